"""What the clock asks for backups."""

from celery import shared_task

from operations.backup import scheduling


@shared_task
def back_up() -> str:
    """Make a backup if one is due; its name."""
    return scheduling.make_if_due()
