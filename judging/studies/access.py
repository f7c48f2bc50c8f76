"""What somebody may not see answers as if it did not exist."""

from django.core.exceptions import PermissionDenied
from django.http import Http404

from accounts.models import User, Visitor
from judging.models import Membership, Role, Study, StudyTopic

ROLES = (Role.VIEWER, Role.EDITOR, Role.OWNER)  # each may do what those before it may


def study_for(user: Visitor, slug: str, role: Role = Role.VIEWER) -> Study:
    """Raises Http404 unless somebody may see it, PermissionDenied unless they have this role."""
    study = (
        Study.objects.seen_by(user)
        .select_related("collection", "rehearsal_of", "about")
        .filter(slug=slug)
        .first()
    )
    if study is None or not user.is_authenticated:
        raise Http404("There is no such study.")
    if not has_role(user, study, role):
        raise PermissionDenied(f"For this you must be {role.value} of study {study}.")
    return study


def topic_of(study: Study, query_id: str) -> StudyTopic:
    topic = study.topics.select_related("topic").filter(topic__query_id=query_id).first()
    if topic is None:
        raise Http404("The study has no such topic.")
    return topic


def role_of(user: User, study: Study) -> Role | None:
    """An admin may do what an owner may."""
    if user.is_superuser:
        return Role.OWNER
    member = Membership.objects.filter(user=user, study=study.team_study_id).first()
    return Role(member.role) if member else None


def has_role(user: User, study: Study, role: Role) -> bool:
    own = role_of(user, study)
    return own is not None and ROLES.index(own) >= ROLES.index(role)


def sees_platform_ids(user: User, study: Study) -> bool:
    members = Membership.objects.filter(user=user, study=study.team_study_id)
    return user.is_superuser or members.filter(sees_platform_ids=True).exists()
