from django.core.exceptions import ValidationError

from accounts.models import User
from judging.collections.access import NotYours
from judging.collections.incoming import CannotImport
from judging.models import Collection, Membership, Role, Study
from web import clock


def get_or_create_study(
    slug: str, home: Collection, levels: list[str], title: str, by: User | None
) -> tuple[Study, bool]:
    """Locked. Raises NotYours, or CannotImport: another kind, scale, collection, a bad name."""
    now = clock.now()
    fields = {
        "collection": home,
        "title": title or slug,
        "scale": Study.Scale.GRADED if levels else Study.Scale.MAGNITUDE,
        "levels": levels,
        "crowd": Study.Crowd.IMPORTED,
        "stage": Study.Stage.CLOSED,
        "opened_at": now,
        "closed_at": now,
        "payment": 0,
    }
    try:
        Study(slug=slug, **fields).full_clean(validate_unique=False)
    except ValidationError as fault:
        messages = fault.message_dict.items()
        faults = "; ".join(f"{name}: {' '.join(of_field)}" for name, of_field in messages)
        raise CannotImport(f"Study {slug!r} cannot be made. {faults}") from fault
    _, is_new = Study.objects.get_or_create(slug=slug, defaults=fields)
    study = Study.objects.select_for_update().get(slug=slug)
    if is_new and by:
        Membership.objects.create(study=study, user=by, role=Role.OWNER)
    _check_may_change(study, by)
    if not study.is_imported:
        raise CannotImport(
            f"Study {slug} is judged here; opinions from elsewhere are a study of their own: "
            "name another."
        )
    if study.is_graded != bool(levels):
        scales = ("levels", "magnitudes") if study.is_graded else ("magnitudes", "levels")
        raise CannotImport(f"Study {slug} has {scales[0]}, not {scales[1]}: name another study.")
    if study.collection_id != home.pk:
        raise CannotImport(
            f"Study {slug} is on the collection {study.collection}, not on {home}: name that "
            "collection, or another study."
        )
    if title and study.title != title:
        study.title = title
        study.save(update_fields=["title"])
    return study, is_new


def _check_may_change(study: Study, by: User | None) -> None:
    """Refuse who may not change a study: a viewer, and who may not know that there is one."""
    if by is None or by.is_superuser:
        return
    member = study.memberships.filter(user=by).first()
    if member is None:
        raise NotYours(f"The name {study.slug} is taken: choose another one for the study.")
    if member.role == Role.VIEWER:
        raise NotYours(f"You may look at study {study}, and not change it.")
