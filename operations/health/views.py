from collections.abc import Callable
from dataclasses import replace

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from magnitudes.files.words import count
from operations import request_metrics, site_metrics
from operations.health.access import require_status_token
from operations.health.catalogue import Health, current_health
from web.findings import State
from web.middleware.probes import METRICS, STATUS


@never_cache
@require_safe
@require_status_token
def status(request: HttpRequest) -> HttpResponse:
    """As JSON, or as lines of text; 503 if the site is down."""
    health = current_health()
    code = 503 if health.state == State.DOWN else 200
    if request.get_preferred_type(["application/json", "text/plain"]) == "text/plain":
        return HttpResponse(as_text(health), content_type="text/plain; charset=utf-8", status=code)
    return JsonResponse(as_json(health), status=code)


def as_json(health: Health) -> dict[str, object]:
    return {
        "state": health.state,
        "asked_at": health.checked_at.isoformat(timespec="seconds"),
        "parts": {
            check.name: {"state": part.state, "says": part.sentence, "mend": part.mend}
            for check, part in health.parts
        },
    }


def as_text(health: Health) -> str:
    width = max(len(check.name) for check, _ in health.parts)
    lines = [str(health.state)]
    for check, part in health.parts:
        mend = f" {part.mend}" if part.mend else ""
        lines.append(f"{part.state:<8}  {check.name:<{width}}  {part.sentence}{mend}")
    return "\n".join([*lines, ""])


@never_cache
@require_safe
@require_status_token
def metrics(request: HttpRequest) -> HttpResponse:
    text = generate_latest(request_metrics.registry()) + generate_latest(site_metrics.registry)
    return HttpResponse(text, content_type=CONTENT_TYPE_LATEST)


def watching_middleware(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Answer monitoring programs before checks of hosts, sessions and redirects.

    They use an IP address and plain http, while the site is only served by its name and over https.
    """
    views = {STATUS: status} | ({METRICS: metrics} if settings.METRICS else {})

    def middleware(request: HttpRequest) -> HttpResponse:
        return views.get(request.path, get_response)(request)

    return middleware


@never_cache
@login_required
@require_safe
def site(request: HttpRequest) -> HttpResponse:
    if not request.user.is_superuser:
        raise PermissionDenied
    health = current_health()
    sound = [part for part in health.parts if part not in health.problems]
    context = {
        "here": "operations",
        "heading": heading(health),
        "asked_at": health.checked_at,
        "findings": [
            replace(finding, name=check.title) for check, finding in [*health.problems, *sound]
        ],
    }
    return render(request, "operations/health.html", context)


def heading(health: Health) -> str:
    """Claims no more than was checked."""
    titles = [check.title for check, _ in health.problems]
    if not titles:
        return f"All {len(health.parts)} parts of the site answer as they should"
    if health.state == State.DOWN:
        vital = [c.title for c, part in health.problems if c.is_vital and part.state == State.DOWN]
        return f"Workers cannot be served: {', '.join(vital)}"
    needs = "needs" if len(titles) == 1 else "need"
    return f"{count(len(titles), 'part')} of the site {needs} attention: {', '.join(titles)}"
