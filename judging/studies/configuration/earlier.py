"""No ids are copied: who comes is looked up among those that the earlier studies still have."""

from collections.abc import Sequence

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import QuerySet

from accounts.models import User
from judging.models import Study
from judging.studies.configuration.form_fields import Texts
from judging.studies.configuration.versions import locked_study, record_change
from judging.studies.faults import BadStudy, Fault

SETTING = "excluded_studies"  # its name in a study.toml


def excluded_studies(study: Study) -> QuerySet[Study]:
    return study.excluded_studies.order_by("slug")


def seen_excluded_studies(study: Study, by: User | None) -> QuerySet[Study]:
    """A command (None) sees all."""
    return excluded_studies(study).filter(pk__in=selectable_studies(study, by).values("pk"))


def selectable_studies(study: Study, by: User | None) -> QuerySet[Study]:
    seen = Study.objects.all() if by is None else Study.objects.seen_by(by)
    return seen.exclude(pk=study.pk).exclude(crowd__in=(Study.Crowd.IMPORTED, Study.Crowd.MODEL))


@transaction.atomic
def exclude_participants_of(
    slug: str, names: Sequence[str], by: User | None, version: int | None = None
) -> Study:
    """Replace the earlier studies whose participants do not come in; those unseen by `by` stay.

    Raises BadStudy: a name is of no study that may be chosen, or the study takes no people.
    """
    study = locked_study(slug, version, [SETTING])
    if not study.takes_people:
        raise BadStudy(f"Study {study} takes no people: nobody comes into it.")
    before = _slugs(study)
    choose_excluded_studies(study, names, by)
    if (after := _slugs(study)) != before:
        record_change(study, by, "changed settings", changes={SETTING: [before, after]})
    return study


def choose_excluded_studies(study: Study, names: object, by: User | None) -> None:
    """By their names, as a study.toml lists them; raises BadStudy for anything else."""
    try:
        slugs = Texts(required=False).clean(names)
    except ValidationError as fault:
        raise BadStudy(Fault((SETTING,), " ".join(fault.messages))) from fault
    may_choose = selectable_studies(study, by)
    chosen = {each.slug: each for each in may_choose.filter(slug__in=slugs)}
    if unknown := [slug for slug in slugs if slug not in chosen]:
        expected = "expected names of other studies that you see"
        raise BadStudy(Fault((SETTING,), f"{', '.join(unknown)}; {expected}"))
    hidden = study.excluded_studies.exclude(pk__in=may_choose.values("pk"))
    study.excluded_studies.set([*chosen.values(), *hidden])


def _slugs(study: Study) -> list[str]:
    return list(excluded_studies(study).values_list("slug", flat=True))
