"""What a restored backup must not undo: logged here, written outside by `operations.record`.

journal    withdrawals and payments, logged by the code that makes them
deletions  rows that are deleted, in whatever way
"""
