"""What the workspace has done in the background."""

from celery import shared_task

from workspace import importing


@shared_task
def import_files() -> int:
    """Do the first import that was asked for and that nobody is at, if there is one."""
    importing.forget_old()
    return importing.import_next()
