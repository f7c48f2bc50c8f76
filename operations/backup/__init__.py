"""Backups of the database, and the way back from one.

stores      where backups lie: a folder, or a bucket that speaks S3
sealing     their encryption, to a key that is not on this machine
keys        those that are in no backup, by name
programs    PostgreSQL's own pg_dump and pg_restore, of the right version
manifests   what is said of a backup, and which there are
making      one backup, whole or not there
expiring    what is too old goes
restoring   from a backup to a site, with what was taken back since
gate        the database is shut until that is done
"""
