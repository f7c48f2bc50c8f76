"""The record: withdrawals, deletions and payments, outside the database and back into it.

tasks      from the table of entries to files beside the backups
replaying  from these files into a restored database
"""
