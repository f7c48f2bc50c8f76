"""What stands in the way of a backup or a restore."""


class BackupFault(Exception):
    """It cannot be done; the message says why, and what to do."""
