"""Which worker a browser is: a signed cookie, and what a participant platform says.

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
from judging.platforms import LINKS, PLATFORMS, participant_from
from judging.studies.personal_links import PARAMETER, participant_of
from web.cookie_names import WORKER, path_cookie
from web.encryption import digests

COOKIE_PATH = "/study/"  # of all pages of workers
COOKIE_SECONDS = 365 * 24 * 60 * 60  # seconds that a browser keeps the cookie


def arrival_from_parameters(request: HttpRequest, study: Study) -> Arrival | None:
    """By a platform or a personal link; None: the address names nobody."""
    if listed := participant_of(study, request.GET.get(PARAMETER, "")):
        return Arrival(new_pseudonym(), LINKS.name, listed.external_id, verified=True)
    participant = participant_from(request.GET, request.get_host())
    if participant is None:
        return None
    return Arrival(
        new_pseudonym(),
        participant.platform,
        participant.external_id,
        participant.ids,
        verified=participant.signed,
    )


def study_key(slug: str) -> int:
    """Stays when the study is renamed; raises Http404 if there is none of this name."""
    key = next(iter(Study.objects.filter(slug=slug).values_list("pk", flat=True)), None)
    if key is None:
        raise Http404(f"There is no study {slug}.")
    return key


def arrival_from_cookie(request: HttpRequest, study: int) -> Arrival | None:
    return arrival_of_cookie(study, request.COOKIES.get(cookie_name(study), ""))


def arrival_from_only_cookie(request: HttpRequest) -> Arrival | None:
    """None: the browser has a cookie of no study, or of several.

    It saves the query for the study's key where a live unit is then looked for by study and
    pseudonym: in another study there is none, nor in a copy of the study from an archive.
    """
    prefix = path_cookie(f"{WORKER}-", https=settings.HTTPS)
    keys = [name.removeprefix(prefix) for name in request.COOKIES if name.startswith(prefix)]
    return arrival_of_cookie(keys[0], request.COOKIES[prefix + keys[0]]) if len(keys) == 1 else None


def cookie_name(study: int) -> str:
    return path_cookie(f"{WORKER}-{study}", https=settings.HTTPS)


def arrival_of_cookie(study: int | str, cookie: str) -> Arrival | None:
    """None: there is none, or it is of another study."""
    try:
        return Arrival(**_signer(study).unsign_object(cookie))
    except (signing.BadSignature, TypeError, ValueError):
        return None


def account_of(study: Study, arrival: Arrival) -> PlatformAccount | None:
    if not arrival.external_id:
        return None
    accounts = PlatformAccount.objects.select_related("worker").filter(
        study=study,
        platform=arrival.platform,
        external_id_hash__in=digests(arrival.external_id),
    )
    return accounts.first()


def recognise(study: Study, arrival: Arrival, before: Arrival | None = None) -> Arrival | None:
    """The worker who arrives, as an arrival under their pseudonym.

    before: who this browser was until now. None: the id is of somebody who has begun elsewhere, and
    nothing proves that they are the same.
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
    """A platform's id alone proves nothing."""
    arrival = arrival_from_cookie(request, study.pk)
    recognised = recognise(study, arrival) if arrival else None
    return study.workers.filter(pseudonym=recognised.pseudonym).first() if recognised else None


def signed_cookie(study: int, arrival: Arrival) -> str:
    values = {name: value for name, value in asdict(arrival).items() if value}
    return _signer(study).sign_object(values)


def _signer(study: int | str) -> signing.Signer:
    """Another study's cookies are not valid in this one."""
    return signing.Signer(salt=f"{WORKER}:{study}")


def remember(response: HttpResponseBase, study: int, arrival: Arrival) -> None:
    """Set the cookie of a study, for a year.

    It is named by the study's key: a renamed study keeps its workers, and a new one of the old name
    does not get them.
    """
    response.set_cookie(
        cookie_name(study),
        signed_cookie(study, arrival),
        max_age=COOKIE_SECONDS,
        path=COOKIE_PATH,
        secure=settings.HTTPS,
        httponly=True,
        samesite="Lax",
    )
