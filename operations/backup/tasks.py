"""What the clock asks for backups."""

from celery import shared_task

from operations.backup import scheduling


@shared_task
def back_up() -> str:
    """Delete the backups that are too old, and make one if it is due; its name."""
    return scheduling.look_after()
