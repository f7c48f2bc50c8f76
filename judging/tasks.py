"""What the tick does for judging."""

from celery import shared_task

from accounts.once import forget_answers
from accounts.sessions import forget_sessions
from judging import flow
from judging.studies import retention
from web import clock


@shared_task
def tick() -> int:
    """End what has been left alone for too long, and forget what need not be known any more.

    That is whom no study needs to pay, the answers to requests of yesterday, and who was logged in.
    """
    now = clock.now()
    forget_answers(now)
    forget_sessions(now)
    retention.forget_accounts(now)
    return flow.expire_overdue(now)
