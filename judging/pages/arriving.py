"""How a browser is known as a worker: a signed cookie, and what a participant platform says.

A platform's id names a worker, but proves nothing: SONA's are small numbers that anybody can count
through. Somebody who comes with the id of a worker who has begun elsewhere is that worker if the
platform signed the link, if it is the same submission, or if they know the resume code.
"""

from dataclasses import asdict

from django.conf import settings
from django.core import signing
from django.http import Http404, HttpRequest, HttpResponseBase

from judging.flow.admission import Arrival, new_pseudonym
from judging.models import PlatformAccount, Study, Worker
from judging.platforms import PLATFORMS, who_comes
from judging.platforms.links import LINKS
from judging.studies.personal_links import PARAMETER, participant_of
from web.cookie_names import WORKER, path_cookie

FOLDER = "/study/"  # of all pages of workers
A_YEAR = 365 * 24 * 60 * 60  # seconds that a browser keeps the cookie


def from_parameters(request: HttpRequest, study: Study) -> Arrival | None:
    """Who a platform or a personal link says has come; None: the address names nobody."""
    if listed := participant_of(study, request.GET.get(PARAMETER, "")):
        return Arrival(new_pseudonym(), LINKS.name, listed.external_id, verified=True)
    participant = who_comes(request.GET, request.get_host())
    if participant is None:
        return None
    return Arrival(
        new_pseudonym(),
        participant.platform,
        participant.external_id,
        participant.ids,
        verified=participant.signed,
    )


def key_of(slug: str) -> int:
    """The key of a study, which it keeps when it is renamed.

    Raises:
        Http404: there is no study of this name.
    """
    key = next(iter(Study.objects.filter(slug=slug).values_list("pk", flat=True)), None)
    if key is None:
        raise Http404(f"There is no study {slug}.")
    return key


def from_cookie(request: HttpRequest, study: int) -> Arrival | None:
    """Who the browser's cookie says has come to a study, by its key; None: nobody."""
    return read(study, request.COOKIES.get(cookie_name(study), ""))


def cookie_name(study: int) -> str:
    """What the cookie of a study is called on this site."""
    return path_cookie(f"{WORKER}-{study}", https=settings.HTTPS)


def read(study: int, cookie: str) -> Arrival | None:
    """Whom a signed cookie names; None: nobody, or it is not of this study."""
    try:
        return Arrival(**_signer(study).unsign_object(cookie))
    except (signing.BadSignature, TypeError, ValueError):
        return None


def account_of(study: Study, arrival: Arrival) -> PlatformAccount | None:
    """The account that an arrival names, if its worker has begun."""
    if not arrival.external_id:
        return None
    accounts = PlatformAccount.objects.select_related("worker").known_as(arrival.external_id)
    return accounts.filter(study=study, platform=arrival.platform).first()


def recognise(study: Study, arrival: Arrival, before: Arrival | None = None) -> Arrival | None:
    """The worker who arrives, as an arrival under their pseudonym.

    before: who this browser was until now. None: the id is of somebody who has begun elsewhere,
    and nothing proves that they are the same.
    """
    account = account_of(study, arrival)
    if account is None:
        return arrival
    pseudonym = account.worker.pseudonym
    proven = (
        pseudonym == arrival.pseudonym
        or (before is not None and pseudonym == before.pseudonym)
        or arrival.verified
        or PLATFORMS[account.platform].same_session(account.ids, arrival.ids)
    )
    return Arrival(pseudonym) if proven else None


def worker_of(request: HttpRequest, study: Study) -> Worker | None:
    """The worker whose browser this is; a platform's id alone proves nothing."""
    arrival = from_cookie(request, study.pk)
    known = recognise(study, arrival) if arrival else None
    return study.workers.filter(pseudonym=known.pseudonym).first() if known else None


def signed(study: int, arrival: Arrival) -> str:
    """What the cookie of a study says of an arrival."""
    known = {name: value for name, value in asdict(arrival).items() if value}
    return _signer(study).sign_object(known)


def _signer(study: int) -> signing.Signer:
    """The signature of one study's cookies; another study's are not valid in it."""
    return signing.Signer(salt=f"{WORKER}:{study}")


def remember(response: HttpResponseBase, study: int, arrival: Arrival) -> None:
    """Set the cookie of a study, for a year, for the pages of workers.

    It goes by the study's key: a study that is renamed keeps its people, and one that is made by
    the old name does not get them.
    """
    response.set_cookie(
        cookie_name(study),
        signed(study, arrival),
        max_age=A_YEAR,
        path=FOLDER,
        secure=settings.HTTPS,
        httponly=True,
        samesite="Lax",
    )
