"""How a browser is known as a worker: a signed cookie, and what a participant platform says."""

from dataclasses import asdict
from datetime import date
from functools import lru_cache
from typing import Any

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponseBase
from django.utils import timezone

from judging.flow.admission import Arrival, find_worker, new_pseudonym
from judging.models import Study

COOKIE = "worker"
A_YEAR = 365 * 24 * 60 * 60
# Platform: the parameter that names the participant, and those that come with it.
PLATFORMS = {
    "prolific": ("PROLIFIC_PID", ("STUDY_ID", "SESSION_ID")),
    "connect": ("participantId", ("assignmentId", "projectId")),
    "sona": ("id", ()),
}


def from_parameters(request: HttpRequest) -> Arrival | None:
    """Who a platform says has come; None: the address names nobody."""
    for platform, (name, others) in PLATFORMS.items():
        if external_id := _clean(request.GET.get(name, "")):
            ids = {key: _clean(request.GET[key]) for key in others if key in request.GET}
            return Arrival(new_pseudonym(), platform, external_id, ids)
    return None


def _clean(value: str) -> str:
    return storable(value).strip()[:255]


def storable(text: str) -> str:
    """`text` without what PostgreSQL cannot hold: zero bytes and halves of characters."""
    return text.replace("\0", "").encode(errors="ignore").decode()


def from_cookie(request: HttpRequest) -> Arrival | None:
    """Who the signed cookie says has come; None: nobody, or it is not ours."""
    return _read(request.COOKIES.get(COOKIE, ""), timezone.now().date())


@lru_cache(maxsize=4096)
def _read(cookie: str, today: date) -> Arrival | None:
    """What a cookie says; looked at once a day, since every request brings it."""
    try:
        said: dict[str, Any] = signing.loads(cookie, salt=COOKIE, max_age=A_YEAR)
        return Arrival(**said)
    except (signing.BadSignature, TypeError, ValueError):
        return None


def known_as(study: Study, arrival: Arrival) -> Arrival:
    """The arrival under the pseudonym the worker already has in the study, if any."""
    worker = find_worker(study, arrival)
    return Arrival(worker.pseudonym) if worker else arrival


def signed(arrival: Arrival) -> str:
    """What the cookie says of an arrival."""
    return signing.dumps({k: v for k, v in asdict(arrival).items() if v}, salt=COOKIE)


def remember(response: HttpResponseBase, slug: str, arrival: Arrival) -> None:
    """Set the cookie, for a year, for the pages of this study only."""
    response.set_cookie(
        COOKIE,
        signed(arrival),
        max_age=A_YEAR,
        path=f"/study/{slug}/",
        secure=settings.HTTPS,
        httponly=True,
        samesite="Lax",
    )
