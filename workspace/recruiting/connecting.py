import hmac
from base64 import b64encode
from collections.abc import Sequence
from contextlib import suppress

from django.db import transaction
from django.db.models import Q, QuerySet
from django.urls import reverse

from accounts.models import User
from judging.models import Role, Study
from judging.studies import trail
from web import clock
from web.encryption import CannotDecrypt
from workspace.models import ProlificConnection, ProlificStudy
from workspace.recruiting.api import Api, Resource
from workspace.recruiting.faults import CannotRecruit, Refused

EVENT = "submission.status.change"
SHOWN_CHARACTERS = 4  # the last ones of a token
MIN_TOKEN_LENGTH = 16  # of a shorter one the last four would tell too much


def api_of(connection: ProlificConnection) -> Api:
    """CannotRecruit: no key of the site decrypts its token."""
    try:
        return Api(connection.token)
    except CannotDecrypt as fault:
        why = "The site's ENCRYPTION_KEY has changed since: connect with Prolific anew."
        raise CannotRecruit(why) from fault


def connections_for(user: User) -> QuerySet[ProlificConnection]:
    """Those made by the user, or of a study that they own."""
    memberships = {"study__memberships__user": user, "study__memberships__role": Role.OWNER}
    of_own_studies = ProlificStudy.objects.filter(**memberships).values("connection")
    usable = ProlificConnection.objects.filter(Q(made_by=user) | Q(pk__in=of_own_studies))
    return usable.order_by("title", "pk")


def connect(study: Study, token: str, workspace: str, by: User | None) -> ProlificStudy:
    """Recruit for a study in the workspace of Prolific's that a token opens.

    An existing connection of the workspace gets the new token. workspace: its name or id; empty if
    the token opens only one.
    """
    token = token.strip()
    _check_takes_people(study)
    if len(token) < MIN_TOKEN_LENGTH or not token.isascii() or not token.isprintable():
        raise CannotRecruit("This is no token of Prolific's.", field="token")
    chosen = _choose(Api(token).workspaces(), workspace.strip())
    fields = {
        "token": token,
        "token_end": token[-SHOWN_CHARACTERS:],
        "title": chosen.title[:200],
    }
    with transaction.atomic():
        connection, _ = ProlificConnection.objects.update_or_create(
            workspace_id=chosen.key,
            defaults=fields,
            create_defaults={**fields, "made_by": by, "made_at": clock.now()},
        )
        return use_connection(study, connection, by)


def _choose(workspaces: Sequence[Resource], name: str) -> Resource:
    if not workspaces:
        raise CannotRecruit("This token opens no workspace.", field="token")
    matches = [each for each in workspaces if name in ("", each.key, each.title)]
    if len(matches) != 1:
        names = ", ".join(f"{each.title} ({each.key})" for each in workspaces)
        why = f"The token opens several workspaces: {names}. Which one?"
        raise CannotRecruit(why, field="workspace")
    return matches[0]


def _check_takes_people(study: Study) -> None:
    no_people = not study.takes_people or study.crowd == study.Crowd.ARTIFICIAL
    if no_people or study.rehearsal_of_id or study.demo:
        raise CannotRecruit("Nobody is recruited for a study of this kind.")


@transaction.atomic
def use_connection(study: Study, connection: ProlificConnection, by: User | None) -> ProlificStudy:
    _check_takes_people(study)
    Study.objects.locked().get(pk=study.pk)
    recruiting, _ = ProlificStudy.objects.get_or_create(
        study=study, defaults={"connection": connection}
    )
    if recruiting.connection_id != connection.pk:
        if recruiting.prolific_id or recruiting.asked:
            raise CannotRecruit(
                f"Its study on Prolific is in the workspace {recruiting.connection}."
            )
        recruiting.connection = connection
        recruiting.save(update_fields=["connection"])
    trail.record(study, by, "connected with Prolific", workspace=connection.title)
    return recruiting


# --- events -------------------------------------------------------------------------------------
def hook_path(connection: ProlificConnection) -> str:
    return reverse("prolific-events", args=[connection.key])


def subscribe(recruiting: ProlificStudy, target: str, by: User | None) -> None:
    """Have a workspace send its events, signed by a new secret: the one before is void."""
    if not target.startswith("https://"):
        raise CannotRecruit("Prolific sends events to addresses with https:// only.")
    connection = recruiting.connection
    api = api_of(connection)
    connection.secret = api.make_secret(connection.workspace_id)
    connection.save(update_fields=["secret"])
    if connection.subscription_id:
        with suppress(Refused):  # if it is unknown there
            api.unsubscribe(connection.subscription_id)  # events are not to be sent twice
    subscription = api.subscribe(connection.workspace_id, EVENT, target)
    ProlificConnection.objects.filter(pk=connection.pk).update(
        subscription_id=subscription, subscribed_at=clock.now()
    )
    trail.record(recruiting.study, by, "had Prolific send events", workspace=connection.title)


def is_signed(secret: str, timestamp: str, body: bytes, signature: str) -> bool:
    """The signature is base64 of the HMAC-SHA256 of the timestamp and the body."""
    digest = hmac.digest(secret.encode(), timestamp.encode() + body, "sha256")
    return hmac.compare_digest(b64encode(digest), signature.encode())
