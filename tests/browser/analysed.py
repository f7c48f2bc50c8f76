"""Results to look at, made in a process of its own, with the VAR_DIR of the server that shows them.

`python -m tests.browser.analysed make` makes a study that is judged, with labels and runs;
`compute SLUG` computes all analyses of a study, in a Celery worker's place; `forget SLUG
SECTION` forgets some.
"""

import sys

STUDY = "analysed"


def make() -> None:
    """Make the study, and compute its analyses."""
    from evaluation.pipeline import evaluate
    from judging.models import Collection, Study
    from tests.factory.completed import judged_study

    study, _ = judged_study(5, topics=3, units=24, runs=8, redundancy=4)
    evaluate(study)
    Study.objects.filter(pk=study.pk).update(slug=STUDY, title="What a crowd said of lamps")
    Collection.objects.filter(pk=study.collection_id).update(slug=STUDY)
    compute(STUDY)


def compute(slug: str) -> None:
    """Ask for all analyses of a study, as whoever looks does, and compute them."""
    from django.utils import timezone

    from evaluation.analyses import of_study
    from evaluation.store import keeping
    from judging.models import Study

    study = Study.objects.get(slug=slug)
    keeping.look(study, of_study(study), study.labels, timezone.now())
    keeping.bring_up_to_date()


def forget(slug: str, section: str) -> None:
    """Forget what was computed for one section."""
    from evaluation.analyses import of_section
    from evaluation.models import KeptAnalysis

    names = [analysis.name for analysis in of_section(section)]
    KeptAnalysis.objects.filter(study__slug=slug, name__in=names).delete()


if __name__ == "__main__":
    import os

    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    command, *names = sys.argv[1:]
    {"make": make, "compute": compute, "forget": forget}[command](*names)
