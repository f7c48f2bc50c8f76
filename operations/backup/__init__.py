"""Backups of the database, and the way back from one.

stores      where backups lie: a folder, or a bucket that speaks S3
encryption  by age, to a key that is not on this machine
keys        those that are in no backup, by name
postgres    PostgreSQL's own pg_dump and pg_restore, of the right version
manifests   what is known of a backup, and which there are
making      one backup, whole or not there
tasks       by the clock: what is too old goes, and one is made when it is due
restoring   from a backup to a site, with what was taken back since
gate        the database is shut until that is done

What cannot be done raises BackupFault, whose message says why, and what to do.
"""
