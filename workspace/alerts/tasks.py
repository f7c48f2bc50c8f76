from celery import shared_task

from web import clock
from workspace.alerts import sending, watching


@shared_task
def watch() -> int:
    return watching.watch(clock.now())


@shared_task
def send() -> int:
    return sending.send_due(clock.now())
