"""Connecting a study with a workspace of Prolific's, and having its events sent."""

import hmac
from base64 import b64encode
from collections.abc import Sequence

from cryptography.fernet import InvalidToken
from django.db import transaction
from django.db.models import Q, QuerySet
from django.urls import reverse

from accounts.models import User
from judging.models import Role, Study
from judging.studies import trail
from web import clock
from web.sealing import box, is_of_today
from workspace.models import ProlificConnection, ProlificStudy
from workspace.recruiting.api import Api, Named
from workspace.recruiting.faults import CannotRecruit, Refused

PURPOSE = "participant platforms"
EVENT = "submission.status.change"
SEALED = ("sealed_token", "sealed_secret")  # fields of a connection
SHOWN = 4  # letters of a token
LEAST = 16  # letters of one: of fewer, the last four would tell too much


def seal(text: str) -> str:
    """A secret as it is stored."""
    return box(PURPOSE).encrypt(text.encode()).decode()


def unseal(sealed: str) -> str:
    """The secret again.

    Raises:
        CannotRecruit: the site's key is another now, and not among those of the past.
    """
    try:
        return box(PURPOSE).decrypt(sealed).decode()
    except InvalidToken as fault:
        why = "The site's SECRET_KEY has changed since: connect with Prolific anew."
        raise CannotRecruit(why) from fault


def reseal() -> tuple[int, list[str]]:
    """Seal by the site's present key what connections have sealed by one of the past.

    Returns:
        How many connections that changed, and the titles of those that no key opens any more.
    """
    changed, closed = 0, []
    for connection in ProlificConnection.objects.order_by("title"):
        sealed = {name: text for name in SEALED if (text := getattr(connection, name))}
        old = {name: text for name, text in sealed.items() if not is_of_today(PURPOSE, text)}
        try:
            anew = {name: seal(unseal(text)) for name, text in old.items()}
        except CannotRecruit:
            closed.append(connection.title)
            continue
        # Whoever has replaced a token in this moment has sealed it by the present key.
        rows = ProlificConnection.objects.filter(pk=connection.pk, **old)
        changed += rows.update(**anew) if anew else 0
    return changed, closed


def api_of(connection: ProlificConnection) -> Api:
    """The API as this connection may use it."""
    return Api(unseal(connection.sealed_token))


def connections_for(user: User) -> QuerySet[ProlificConnection]:
    """The connections that somebody may use: made by them, or of a study that they own."""
    memberships = {"study__memberships__user": user, "study__memberships__role": Role.OWNER}
    of_own = ProlificStudy.objects.filter(**memberships).values("connection")
    mine = ProlificConnection.objects.filter(Q(made_by=user) | Q(pk__in=of_own))
    return mine.order_by("title", "pk")


def connect(study: Study, token: str, workspace: str, by: User | None) -> ProlificStudy:
    """Recruit for a study in the workspace of Prolific's that a token opens.

    A connection that the workspace has already is used, with the new token.

    Args:
        workspace: its name or id; empty where the token opens only one.

    Raises:
        CannotRecruit: the study is one that nobody is recruited for, or is connected already; no
            token, or one that opens several workspaces; Prolific refuses it.
    """
    token = token.strip()
    _insist_on_people(study)
    if len(token) < LEAST or not token.isascii() or not token.isprintable():
        raise CannotRecruit("This is no token of Prolific's.", field="token")
    chosen = _choose(Api(token).workspaces(), workspace.strip())
    sealed = {
        "sealed_token": seal(token),
        "token_end": token[-SHOWN:],
        "title": chosen.title[:200],
    }
    with transaction.atomic():
        connection, _ = ProlificConnection.objects.update_or_create(
            workspace_id=chosen.key,
            defaults=sealed,
            create_defaults={**sealed, "made_by": by, "made_at": clock.now()},
        )
        return use(study, connection, by)


def _choose(workspaces: Sequence[Named], wanted: str) -> Named:
    if not workspaces:
        raise CannotRecruit("This token opens no workspace.", field="token")
    fitting = [each for each in workspaces if wanted in ("", each.key, each.title)]
    if len(fitting) != 1:
        names = ", ".join(f"{each.title} ({each.key})" for each in workspaces)
        why = f"The token opens several workspaces: {names}. Which one?"
        raise CannotRecruit(why, field="workspace")
    return fitting[0]


def _insist_on_people(study: Study) -> None:
    if study.is_imported or study.rehearsal_of_id or study.demo or study.crowd == "artificial":
        raise CannotRecruit("Nobody is recruited for a study of this kind.")


@transaction.atomic
def use(study: Study, connection: ProlificConnection, by: User | None) -> ProlificStudy:
    """Recruit for a study by a connection that is there.

    Raises:
        CannotRecruit: the study has a study on another workspace already.
    """
    _insist_on_people(study)
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
    """The path of the site to which a workspace sends its events."""
    return reverse("prolific-events", args=[connection.key])


def subscribe(recruiting: ProlificStudy, target: str, by: User | None) -> None:
    """Have a workspace send its events, signed by a new secret: the one before is void.

    Args:
        target: the address of the site that they go to; with HTTPS.

    Raises:
        CannotRecruit: the site has no HTTPS; Prolific refuses it.
    """
    if not target.startswith("https://"):
        raise CannotRecruit("Prolific sends events to addresses with https:// only.")
    connection = recruiting.connection
    api = api_of(connection)
    secret = api.make_secret(connection.workspace_id)
    ProlificConnection.objects.filter(pk=connection.pk).update(sealed_secret=seal(secret))
    if connection.subscription_id:
        _unsubscribe(api, connection.subscription_id)
    subscription = api.subscribe(connection.workspace_id, EVENT, target)
    ProlificConnection.objects.filter(pk=connection.pk).update(
        subscription_id=subscription, subscribed_at=clock.now()
    )
    trail.record(recruiting.study, by, "had Prolific send events", workspace=connection.title)


def _unsubscribe(api: Api, subscription: str) -> None:
    """Have no events sent twice; that Prolific knows the subscription no more is no fault."""
    try:
        api.unsubscribe(subscription)
    except Refused:
        return


def is_signed(secret: str, timestamp: str, body: bytes, signature: str) -> bool:
    """Whether Prolific signed a body: base64 of the HMAC-SHA256 of the timestamp and the body."""
    digest = hmac.digest(secret.encode(), timestamp.encode() + body, "sha256")
    return hmac.compare_digest(b64encode(digest), signature.encode())
