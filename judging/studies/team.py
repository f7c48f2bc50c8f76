import secrets
from datetime import datetime, timedelta
from hashlib import sha256

from django.db import transaction

from accounts.models import User
from judging.models import Invitation, Membership, Role, Study
from judging.studies import access, trail

VALID_DAYS = 14


class CannotChange(ValueError):
    """The team cannot be changed so."""


class MayNotGive(CannotChange):
    """Somebody would let others see platforms' ids, who may not see them."""


@transaction.atomic
def invite(
    made_by: User,
    now: datetime,
    study: Study | None = None,
    role: str = "",
    *,
    sees_platform_ids: bool = False,
    note: str = "",
) -> str:
    """Invite somebody to an account; with a study, to a role in it.

    Returns the secret of the link, which is stored nowhere. Raises CannotChange: the study is a
    rehearsal, whose team is that of another; MayNotGive: who invites may not see platforms' ids.
    """
    if study:
        _refuse_rehearsal(study)
        if sees_platform_ids:
            _refuse_unless_seen(study, made_by)
    secret = secrets.token_urlsafe(24)
    Invitation.objects.create(
        digest=_digest(secret),
        study=study,
        role=role,
        sees_platform_ids=sees_platform_ids,
        note=note,
        made_by=made_by,
        made_at=now,
        expires_at=now + timedelta(days=VALID_DAYS),
    )
    if study:
        trail.record(study, made_by, "invited", note=note, role=role)
    return secret


@transaction.atomic
def take_back(invitation: Invitation, by: User | None) -> None:
    """Raises CannotChange if somebody has followed it, or it was taken back already."""
    if invitation.study:
        _lock(invitation.study)
    pending = Invitation.objects.select_for_update(of=("self",)).filter(pk=invitation.pk)
    waiting = pending.filter(accepted_at=None).first()
    if waiting is None:
        raise CannotChange("This invitation was followed or taken back already.")
    if invitation.study:
        trail.record(invitation.study, by, "took back invitation", note=invitation.note)
    waiting.delete()


def may_take_back(user: User, invitation: Invitation) -> bool:
    if invitation.study is None:
        return user.is_superuser
    return access.has_role(user, invitation.study, Role.OWNER)


def invitation_of(secret: str, now: datetime) -> Invitation | None:
    """None: it was used, is too old, or never was."""
    pending = Invitation.objects.pending(now)
    return pending.select_related("study", "made_by").filter(digest=_digest(secret)).first()


@transaction.atomic
def accept(invitation: Invitation, user: User, now: datetime) -> None:
    """A member keeps a higher role. Raises CannotChange if somebody else has accepted it."""
    if invitation.study:
        _lock(invitation.study)
    pending = Invitation.objects.pending(now).filter(pk=invitation.pk)
    if not pending.update(accepted_by=user, accepted_at=now):
        raise CannotChange("This invitation has been used, or is too old: ask for another.")
    if invitation.study:
        member, _ = Membership.objects.get_or_create(
            study=invitation.study, user=user, defaults={"role": Role.VIEWER}
        )
        member.role = max(member.role, invitation.role, key=access.ROLES.index)
        member.sees_platform_ids |= invitation.sees_platform_ids
        member.save()
        trail.record(invitation.study, user, "joined", role=member.role)


@transaction.atomic
def add(
    study: Study, user: User, role: str, by: User | None, *, sees_platform_ids: bool = False
) -> None:
    """Give a role without an invitation, whatever somebody had before. Raises as `change`."""
    _refuse_rehearsal(study)
    _lock(study)
    Membership.objects.get_or_create(study=study, user=user, defaults={"role": role})
    change(study, user, role, by, sees_platform_ids=sees_platform_ids)


@transaction.atomic
def change(
    study: Study,
    user: User,
    role: str | None,
    by: User | None = None,
    *,
    sees_platform_ids: bool = False,
) -> None:
    """Give somebody of the team another role, or none.

    Links that they made as an owner, and that nobody has followed, end with that role. Raises
    CannotChange: the study would be left without an owner, or is a rehearsal; MayNotGive: who
    changes it may not see platforms' ids, nor could the person before.
    """
    _refuse_rehearsal(study)
    _lock(study)
    members = Membership.objects.filter(study=study)
    if sees_platform_ids and not members.filter(user=user, sees_platform_ids=True).exists():
        _refuse_unless_seen(study, by)
    owners = set(members.filter(role=Role.OWNER).values_list("user", flat=True))
    if role != Role.OWNER and owners == {user.pk}:
        raise CannotChange("A study needs an owner: make somebody else its owner first.")
    if role != Role.OWNER:
        Invitation.objects.filter(study=study, made_by=user, accepted_at=None).delete()
    if role is None:
        members.filter(user=user).delete()
    else:
        members.filter(user=user).update(role=role, sees_platform_ids=sees_platform_ids)
    trail.record(study, by, "changed team", member=user.get_username(), role=role or "none")


def _lock(study: Study) -> None:
    if Study.objects.locked().filter(pk=study.pk).first() is None:
        raise CannotChange(f"There is no study {study} any more: it was deleted.")


def _refuse_rehearsal(study: Study) -> None:
    if study.rehearsal_of:
        team = f"its team is that of study {study.rehearsal_of}: change that one"
        raise CannotChange(f"{study} is a rehearsal, and {team}.")


def _refuse_unless_seen(study: Study, by: User | None) -> None:
    if by is not None and not access.sees_platform_ids(by, study):
        raise MayNotGive("Only who sees platforms' ids may let others see them.")


def _digest(secret: str) -> str:
    return sha256(secret.encode()).hexdigest()
