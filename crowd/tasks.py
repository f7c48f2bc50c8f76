from celery import shared_task

from crowd.language_model import work


@shared_task
def ask_models() -> int:
    return work.judge_running()
