"""What a restored backup must not undo: told here, written outside by `operations.record`.

telling    withdrawals and payments, told by those who make them
deletions  rows that are deleted, by whatever way
"""
