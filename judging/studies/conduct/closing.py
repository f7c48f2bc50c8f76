from django.db import transaction

from accounts.models import User
from judging.models import Study
from judging.studies import trail
from judging.studies.faults import BadStudy
from web import clock

Stage = Study.Stage


@transaction.atomic
def close_study(slug: str, by: User | None = None) -> Study:
    """For good; whoever is judging may finish. Raises BadStudy unless it is open or paused."""
    study = judged_here(slug, Study.objects.select_for_update().filter(slug=slug).first())
    if study.stage not in (Stage.OPEN, Stage.PAUSED):
        raise BadStudy(f"Study {slug} is {study.stage}, not open.")
    study.stage, study.closed_at = Stage.CLOSED, clock.now()
    study.save(update_fields=["stage", "closed_at"])
    trail.record(study, by, "closed")
    return study


def judged_here(slug: str, study: Study | None) -> Study:
    if study is None:
        raise BadStudy(f"There is no study {slug}.")
    if study.is_imported:
        raise BadStudy(f"Study {slug} was judged elsewhere: it neither opens nor closes.")
    return study
