"""How the site is: for programs that watch it, and for its admins."""

from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from judging.monitoring.glance.light import Colour, Light
from operations.health.catalogue import Health, health
from operations.health.doors import only_who_may_ask
from operations.health.finding import State
from trec.words import count

COLOURS = {State.OK: Colour.GREEN, State.DEGRADED: Colour.AMBER, State.DOWN: Colour.RED}


@never_cache
@require_safe
@only_who_may_ask
def status(request: HttpRequest) -> HttpResponse:
    """How every part is, as JSON, or as lines of text; 503 where the site is down."""
    found = health()
    code = 503 if found.state == State.DOWN else 200
    if request.get_preferred_type(["application/json", "text/plain"]) == "text/plain":
        return HttpResponse(as_text(found), content_type="text/plain; charset=utf-8", status=code)
    return JsonResponse(as_json(found), status=code)


def as_json(found: Health) -> dict[str, object]:
    """The findings as an object: the whole, then each part by its name."""
    return {
        "state": found.state,
        "asked_at": found.asked_at.isoformat(timespec="seconds"),
        "parts": {
            check.name: {"state": part.state, "says": part.says, "mend": part.mend}
            for check, part in found.parts
        },
    }


def as_text(found: Health) -> str:
    """The findings as lines: the whole, then a part each."""
    width = max(len(check.name) for check, _ in found.parts)
    lines = [str(found.state)]
    for check, part in found.parts:
        mend = f" {part.mend}" if part.mend else ""
        lines.append(f"{part.state:<8}  {check.name:<{width}}  {part.says}{mend}")
    return "\n".join([*lines, ""])


@never_cache
@login_required
@require_safe
def site(request: HttpRequest) -> HttpResponse:
    """How every part is, for admins: a line each, what is wrong first."""
    if not request.user.is_superuser:
        raise PermissionDenied
    found = health()
    sound = [part for part in found.parts if part not in found.wrong]
    context = {
        "here": "operations",
        "heading": heading(found),
        "asked_at": found.asked_at,
        "parts": [
            (Light(check.title, COLOURS[part.state], part.says, check.name), part)
            for check, part in [*found.wrong, *sound]
        ],
    }
    return render(request, "operations/health.html", context)


def heading(found: Health) -> str:
    """What the page says first: no more than was asked."""
    wrong = [check.title for check, _ in found.wrong]
    if not wrong:
        return f"All {len(found.parts)} parts of the site answer as they should"
    if found.state == State.DOWN:
        vital = [c.title for c, part in found.wrong if c.is_vital and part.state == State.DOWN]
        return f"Workers cannot be served: {', '.join(vital)}"
    needs = "needs" if len(wrong) == 1 else "need"
    return f"{count(len(wrong), 'part')} of the site {needs} a look: {', '.join(wrong)}"
