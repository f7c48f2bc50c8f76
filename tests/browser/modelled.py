"""A study whose documents a language model judges too, made by tests/browser/backstage.py."""

from tests.browser.studies import make as make_study

SLUG = "modelled"


def make() -> None:
    from judging.studies.conduct.opening import open_study

    make_study(SLUG, redundancy=1, topics=1)
    open_study(SLUG)


def judge() -> None:
    """What the worker of IO does in a minute, and the tick after it."""
    from crowd.language_model.work import judge_running
    from evaluation.pipeline import evaluate
    from judging.models import Study

    judge_running(30)
    evaluate(Study.objects.get(about__slug=SLUG))
