"""What the sections of results are looked at with. `python -m tests.browser.analysed` makes it.

Run in a process of its own, with the VAR_DIR of the server that will show it; with `compute` it
computes what has been asked for, in a Celery worker's place.
"""

import sys

NAME, PASSWORD = "remy", "over the rosy hills"
STUDY = "analysed"


def make() -> None:
    """A log-in, and a study that is judged, with labels and runs."""
    from django.contrib.auth import get_user_model

    from evaluation.pipeline import evaluate
    from judging.models import Collection, Study
    from tests.factory.completed import judged_study

    get_user_model().objects.create_user(NAME, password=PASSWORD, is_staff=True)
    study, _ = judged_study(5, topics=3, units=24, runs=8, redundancy=4)
    evaluate(study)
    Study.objects.filter(pk=study.pk).update(slug=STUDY, title="What a crowd said of lamps")
    Collection.objects.filter(pk=study.collection_id).update(slug=STUDY)


def compute() -> None:
    from evaluation.store import keeping

    keeping.bring_up_to_date()


if __name__ == "__main__":
    import os

    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    compute() if "compute" in sys.argv else make()
