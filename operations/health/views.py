"""How the site is: for programs that watch it, and for its admins."""

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from operations.health.catalogue import Health, health
from operations.health.doors import may_ask
from operations.health.finding import State


@never_cache
@require_safe
def status(request: HttpRequest) -> HttpResponse:
    """How every part is, as JSON, or as lines of text; 503 where the site is down."""
    if not may_ask(request):
        return HttpResponse(
            "Show the token of STATUS_TOKEN, or ask from this machine, past the proxy.\n",
            content_type="text/plain",
            status=401,
            headers={"WWW-Authenticate": "Bearer"},
        )
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
