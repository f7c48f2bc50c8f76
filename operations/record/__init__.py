"""The record: what was taken back, deleted and paid, outside the database and back into it.

writing    from the table of what is told to files beside the backups
replaying  from these files into a database that a backup has filled
attempts   paid attempts that a backup does not know
"""
