"""What an admin wants to see while a crowd works. Nothing here writes to the database.

One question a file, one query a question. docs/monitoring.md says what each figure means.
"""

from judging.monitoring.progress import Progress, progress, progress_of

__all__ = ["Progress", "progress", "progress_of"]
