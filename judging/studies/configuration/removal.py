import logging

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction

from accounts.models import User
from judging.models import (
    Assignment,
    CheckFailure,
    FormerSlug,
    Judgment,
    Opinion,
    Payment,
    Study,
    UnitDocument,
    Visit,
    Worker,
)
from judging.states import State
from judging.studies.configuration.changing import change_settings
from judging.studies.configuration.versions import locked_study, record_change
from judging.studies.faults import BadStudy, Fault

log = logging.getLogger(__name__)
RUNNING = (Study.Stage.OPEN, Study.Stage.PAUSED)


@transaction.atomic
def rename(
    study_slug: str,
    by: User | None,
    *,
    title: str | None = None,
    slug: str | None = None,
    version: int | None = None,
) -> Study:
    """Raises BadStudy: the name is taken or cannot be one, or workers have links to it."""
    study = locked_study(study_slug, version)
    if slug is not None and slug != study.slug:
        _change_slug(study, slug)
        record_change(study, by, "renamed", changes={"slug": [study_slug, slug]})
    return study if title is None else change_settings(study.slug, {"title": title}, by)


def _change_slug(study: Study, slug: str) -> None:
    where = ("slug",)
    if study.stage in RUNNING:
        raise BadStudy(Fault(where, f"workers have links to study {study.slug}: close it first."))
    before = study.slug
    try:
        study.slug = Study._meta.get_field("slug").clean(slug, study)
    except ValidationError as fault:
        raise BadStudy(Fault(where, " ".join(fault.messages))) from fault
    try:
        with transaction.atomic():
            study.save(update_fields=["slug"])
    except IntegrityError as fault:  # perhaps somebody has taken it in this moment
        taken = f"There is a study {slug} already. Choose another name."
        raise BadStudy(Fault(where, taken)) from fault
    FormerSlug.objects.update_or_create(slug=before, defaults={"study": study})
    study.former_slugs.filter(slug=slug).delete()


def related_counts(study: Study) -> dict[str, int]:
    assignments = Assignment.objects.filter(study=study)
    judged = Judgment.objects.filter(assignment__study=study, score__isnull=False)
    return {
        "topic": study.topics.count(),
        "unit": study.units.count(),
        "worker": study.workers.count(),
        "completed unit": assignments.filter(state=State.COMPLETED).count(),
        "judgment": judged.count(),
        "payment that is still owed": Payment.objects.of_study(study).open().count(),
        "imported label": Opinion.objects.filter(study_topic__study=study).count(),
        "rehearsal": study.rehearsals.count(),
        "role in its team": study.memberships.count(),
    }


def has_data_of_people(study: Study) -> bool:
    return Worker.objects.filter(study=study, simulated=False).exists()


@transaction.atomic
def delete_study(slug: str, by: User | None, typed: str = "") -> dict[str, int]:
    """Delete a study with all that belongs to it, for good; returns the `related_counts`.

    Raises BadStudy: it is open or paused, or people have given data and its name was not `typed`.
    """
    study = locked_study(slug)
    # Whoever finishes or leaves at this moment has done so, or finds that the study is gone.
    list(Assignment.objects.locked().filter(study=study).order_by("pk").values_list("pk"))
    if study.stage in RUNNING:
        raise BadStudy(
            f"Study {slug} is {study.stage}: workers are in it. Close it first; once closed it can "
            "be archived, which keeps its data, or deleted."
        )
    if has_data_of_people(study) and typed != slug:
        raise BadStudy(Fault(("typed",), f"expected {slug}: people's data go with it."))
    numbers = related_counts(study)
    # Large tables first, each by one statement; Django would read all rows to delete them.
    for model in (Judgment, Visit, CheckFailure, Payment):
        model.objects.filter(assignment__study=study).delete()
    UnitDocument.objects.filter(unit__study=study).delete()
    Opinion.objects.filter(study_topic__study=study).delete()
    FormerSlug.objects.filter(slug=slug).delete()  # nor does it lead to who had the name before
    study.delete()
    log.info("%s deleted study %s: %s", by or "A command", slug, numbers)
    return numbers
