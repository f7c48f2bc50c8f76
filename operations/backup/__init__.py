"""Backups of the database, and how to restore one.

stores      where backups lie: a folder, or a bucket of S3
encryption  by age, to a key that is not on this machine
keys        those that are in no backup, by name
postgres    pg_dump and pg_restore, of the right version
manifests   what is stored about a backup, and which there are
dumping     one backup, as a whole or not at all
tasks       deletes old backups, and makes one when it is due
restoring   a site from a backup, with what was withdrawn since
gate        shuts the database until that is done

What cannot be done raises BackupFault, whose message says why, and what to do.
"""
