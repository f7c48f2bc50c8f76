"""The pages of a crowd worker. Each shows the worker's true state; each form names its page."""

import math
import random
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from functools import wraps
from typing import Any

from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.template.backends.utils import csrf_input
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from judging import arriving, flow, reading
from judging.flow.admission import Arrival, new_pseudonym
from judging.models import Study
from judging.numbers import NotAScore, parse_score
from judging.standing import Attempt, Place, codes, page_without, standing

CANVAS = 280  # pixels: the width of the ground that practice lines are drawn on
SECONDS_A_DOCUMENT = 75  # what people typically take
PREPARATION_MINUTES = 3  # practice, instructions and the topic


View = Callable[..., HttpResponseBase]


def never_kept(view: View) -> View:
    """No cache keeps what the view answers. What Django's never_cache says, put together once."""

    @wraps(view)
    def answer(*args: Any, **given: Any) -> HttpResponseBase:
        response = view(*args, **given)
        response.headers["Cache-Control"] = "max-age=0, no-cache, no-store, private"
        return response

    return answer


@never_kept
@require_http_methods(["GET", "HEAD", "POST"])
def entry(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Every page of a worker but the documents: the one that belongs to their true state."""
    known = arriving.from_cookie(request)
    place = (
        standing(slug, known.pseudonym, simulated=known.simulated)
        if known
        else standing(slug, None)
    )
    if place is None:
        raise Http404(f"There is no study {slug}.")
    if request.method != "POST" and request.GET:
        return _as_worker(place.study, arriving.from_parameters(request))
    if known and known.external_id and arriving.known_as(place.study, known) != known:
        return _as_worker(place.study, known)  # they have begun since, perhaps on another device
    if request.method == "POST":
        return _act(request, known, place)
    response = _show(request, place)
    if known is None and place.step == "welcome":
        arriving.remember(response, slug, Arrival(new_pseudonym()))
    return response


def _as_worker(study: Study, arrival: Arrival | None) -> HttpResponseBase:
    """On to the plain address, as the worker that this arrival is known as."""
    response = redirect("study", slug=study.slug)
    if arrival:
        arriving.remember(response, study.slug, arriving.known_as(study, arrival))
    return response


def _show(
    request: HttpRequest, place: Place, *, status: int = 200, **extra: Any
) -> HttpResponseBase:
    study, attempt = place.study, place.assignment
    if place.step == "document" and attempt:
        return redirect("document", slug=study.slug, position=attempt.position)
    context = {"study": study, "place": place, "errors": None, **_time_needed(study), **extra}
    if place.step == "practice":
        context |= _line(place)
    elif place.step == "topic" and attempt:
        context |= {"asked": attempt.asked, "options": list(enumerate(_options(attempt)))}
    elif not place.is_live:
        context["codes"] = codes(place.worker)
    return _page(request, place.step.replace("-", "_"), context, status)


def _page(
    request: HttpRequest, name: str, context: dict[str, Any], status: int = 200
) -> HttpResponse:
    context["csrf"] = csrf_input(request)  # once: each has another mask
    return render(request, f"{name}.html", context, status=status, using="jinja2")


def _options(attempt: Attempt) -> list[str]:
    """The answers in the order in which this worker sees them."""
    return [attempt.asked.options[n] for n in attempt.option_order]


def _time_needed(study: Study) -> dict[str, int]:
    """Minutes to expect: for the documents, and from the first page to the last (in fives)."""
    seconds = study.unit_size * max(SECONDS_A_DOCUMENT, study.minimum_seconds)
    reading = math.ceil(seconds / 60)
    return {
        "reading_minutes": reading,
        "minutes": 5 * math.ceil((reading + PREPARATION_MINUTES) / 5),
    }


def _marks(now: int, reached: int, last: int) -> list[str]:
    """How far one has come, a mark a page: done, now, or still to come."""
    return [
        "now" if n == now else "done" if n < max(now, reached) else "" for n in range(1, last + 1)
    ]


def _line(place: Place) -> dict[str, Any]:
    """The practice line to draw, at a place that a reload does not change."""
    assignment = place.assignment
    if assignment is None or assignment.practice_step == 0:
        return {}
    length = assignment.lines[assignment.practice_step - 1]
    start = random.Random(place.name).randint(5, CANVAS - 5 - length)  # noqa: S311
    return {
        "canvas": CANVAS,
        "x1": start,
        "x2": start + length,
        "length": length,
        "lines": len(assignment.lines),
        "marks": _marks(assignment.practice_step, 0, len(assignment.lines)),
        "previous": _as_typed(assignment.line_scores),
    }


def _as_typed(scores: list[float]) -> str:
    """The last score the way people write numbers, without an exponent."""
    return f"{Decimal(f'{scores[-1]:.12g}'):f}" if scores else ""


def _act(request: HttpRequest, known: Arrival | None, place: Place) -> HttpResponseBase:
    """Do what the form of the current page asks; one of another page changes nothing."""
    action = request.POST.get("action", "")
    act = ACTIONS.get((place.step, action)) or ACTIONS.get(("any", action))
    named = request.POST.get("page", place.name)
    ours = named == place.name or (action == "leave" and _same_unit(named, place))
    response = act(request, known, place) if act and ours else None
    return response or redirect("study", slug=place.study.slug)


def _same_unit(named: str, place: Place) -> bool:
    return place.assignment is not None and named.split(":")[0] == place.assignment.token


def _begin(request: HttpRequest, known: Arrival | None, place: Place) -> HttpResponseBase | None:
    if known is None:
        return None
    study = place.study
    worker, no_work = flow.admit(study, known, timezone.now())
    if no_work:
        there = replace(place, step=page_without(no_work), assignment=None, no_work=no_work)
        return _show(request, there)
    response = redirect("study", slug=study.slug)
    if worker and Arrival(worker.pseudonym) != known:
        arriving.remember(response, study.slug, Arrival(worker.pseudonym))
    return response


def _practise(request: HttpRequest, known: Arrival | None, place: Place) -> HttpResponseBase | None:
    assert place.assignment  # noqa: S101 - practice is a step of an assignment
    typed = _text(request.POST.get("score", ""))
    try:
        score = parse_score(typed)
    except NotAScore as refusal:
        return _show(request, place, status=422, typed=typed, errors={"score": str(refusal)})
    flow.practise(place.assignment.token, place.assignment.practice_step, score, timezone.now())
    return None


def _answer(request: HttpRequest, known: Arrival | None, place: Place) -> HttpResponseBase | None:
    assert place.assignment  # noqa: S101 - the topic is a step of an assignment
    chosen = request.POST.get("answer", "")
    options = _options(place.assignment)
    if chosen not in map(str, range(len(options))):
        errors = {"answer": "Choose one of the four answers."}
        return _show(request, place, status=422, errors=errors)
    if flow.answer(place.assignment.token, options[int(chosen)], timezone.now()):
        return redirect("document", slug=place.study.slug, position=1)
    return None


def _leave(request: HttpRequest, known: Arrival | None, place: Place) -> HttpResponseBase | None:
    if place.is_live and place.assignment:
        flow.leave(place.assignment.token, timezone.now())
        return None
    return _show(request, replace(place, step="left")) if place.step == "welcome" else None


Step = Callable[[HttpRequest, Arrival | None, Place], HttpResponseBase | None]


def _simply(verb: Callable[..., None]) -> Step:
    """A step that needs nothing but the assignment and the time."""

    def act(request: HttpRequest, known: Arrival | None, place: Place) -> None:
        if place.assignment:
            verb(place.assignment.token, timezone.now())

    return act


ACTIONS: dict[tuple[str, str], Step] = {
    ("welcome", "continue"): _begin,
    ("done", "again"): _begin,
    ("failed", "again"): _begin,
    ("left", "again"): _begin,
    ("practice", "continue"): _simply(flow.start_practice),
    ("practice", "next"): _practise,
    ("instructions", "continue"): _simply(flow.read_instructions),
    ("topic", "continue"): _answer,
    ("revise", "back"): _simply(flow.resume_revision),
    ("any", "leave"): _leave,
}


@never_kept
@require_http_methods(["GET", "HEAD", "POST"])
def document(request: HttpRequest, slug: str, position: int) -> HttpResponseBase:
    """One document of the worker's unit."""
    known = arriving.from_cookie(request)
    if known is None:
        return redirect("study", slug=slug)
    if request.method == "POST":
        return _judge(request, slug, known.pseudonym, position)
    if request.method == "HEAD":
        return _look(request, slug, known.pseudonym, position)
    return _document(request, slug, known.pseudonym, position)


def _look(request: HttpRequest, slug: str, pseudonym: str, position: int) -> HttpResponseBase:
    """The answer to GET, but neither a visit nor a step back."""
    with transaction.atomic():
        response = _document(request, slug, pseudonym, position)
        transaction.set_rollback(True)
    return response


def _document(
    request: HttpRequest,
    slug: str,
    pseudonym: str,
    position: int,
    *,
    errors: dict[str, str] | None = None,
) -> HttpResponseBase:
    page = flow.open_page(slug, pseudonym, position, timezone.now())
    if page is None:
        return redirect("study", slug=slug)
    if "check" in request.GET:
        errors = flow.what_is_missing(page)
    return _page(
        request,
        "document",
        {
            "page": page,
            "body": reading.as_html(page.text, page.is_html),
            "marks": _marks(page.position, page.furthest, page.last),
            "to_come": page.last - page.position,
            "errors": errors,
        },
        422 if errors and request.method == "POST" else 200,
    )


def _judge(request: HttpRequest, slug: str, pseudonym: str, position: int) -> HttpResponseBase:
    form = request.POST
    action, token = form.get("action"), form.get("page")
    if action == "leave":
        return entry(request, slug)
    submission = flow.Submission(
        position=position,
        score_text=_text(form.get("score", "")),
        justification=_text(form.get("justification", "")),
        visible_seconds=_seconds(form.get("visible_seconds", "")),
    )
    now = timezone.now()
    if action == "finish":
        result = flow.finish(slug, pseudonym, token, submission, now=now)
    elif action in ("next", "back"):
        result = flow.judge(slug, pseudonym, token, submission, back=action == "back", now=now)
    else:
        return redirect("study", slug=slug)
    if result.position is None:
        return redirect("study", slug=slug)
    if result.errors and result.position == position:
        return _document(request, slug, pseudonym, position, errors=result.errors)
    response = redirect("document", slug=slug, position=result.position)
    if result.errors:
        response["Location"] += "?check"
    return response


def _text(typed: str) -> str:
    """What was typed, without what PostgreSQL cannot hold: zero bytes and halves of characters."""
    return arriving.storable(typed).replace("\r\n", "\n")


def _seconds(said: str) -> float | None:
    """The browser's own count, if it is one."""
    try:
        seconds = float(said)
    except ValueError:
        return None
    return seconds if 0 <= seconds < 1e6 else None
