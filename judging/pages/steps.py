"""What the buttons of a worker's pages do, up to the documents and after them."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect

from judging import flow
from judging.flow.admission import Arrival
from judging.pages import arriving
from judging.pages.forms import AnswerForm, typed_text
from judging.pages.rendering import see_document, see_entry
from judging.pages.showing import consent_form, line_form, question_form, show
from judging.pages.standing import Place, page_without
from web import clock

MAX_SHOWN_LENGTH = 100  # characters of a number that is refused; one that is taken is shorter


@dataclass(frozen=True)
class Press:
    """A button pressed on a page of a place."""

    request: HttpRequest
    arrival: Arrival | None
    place: Place


Answer = HttpResponseBase | None  # None: on to the worker's true page


def press(request: HttpRequest, arrival: Arrival | None, place: Place) -> HttpResponseBase:
    """Do what the form of the current page asks; one of another page changes nothing."""
    action, page = request.POST.get("action", ""), request.POST.get("page") or place.name
    step = STEPS.get((place.step, action)) or STEPS.get(("any", action))
    is_current = page == place.name or (action in ("leave", "keep") and _is_of_unit(page, place))
    answer = step(Press(request, arrival, place)) if step and is_current else None
    return answer or redirect("study", slug=place.study.slug)


def _see_refused(press: Press) -> Answer:
    """To the same page by its address, which says what was typed: it shows what is wrong with it.

    So the browser's Back and Reload never send the form again, and nothing need be stored.
    """
    score = typed_text(press.request).get("score", "")[:MAX_SHOWN_LENGTH]
    return see_entry(press.place.study.slug, check=press.place.page, score=score)


def _is_of_unit(page: str, place: Place) -> bool:
    return place.assignment is not None and page.split(":")[0] == place.assignment.token


def _begin(press: Press) -> Answer:
    if press.arrival is None:
        return None
    study = press.place.study
    form = consent_form(press.place, press.request.POST)
    if form and not form.is_valid():
        return _see_refused(press)
    _, no_work = flow.admit(study, press.arrival, clock.now())
    if no_work:
        place = replace(press.place, step=page_without(no_work), assignment=None, no_work=no_work)
        return show(press.request, place)
    response = redirect("study", slug=study.slug)
    # Somebody with the same id may have begun on another device in this very moment.
    if known := arriving.recognise(study, press.arrival):
        arriving.remember(response, study.pk, Arrival(known.pseudonym))
    return response


def _practise(press: Press) -> Answer:
    assert press.place.assignment  # noqa: S101 - practice is a step of an assignment
    form = line_form(press.place, press.request.POST)
    if not form.is_valid():
        return _see_refused(press)
    line, score = press.place.assignment.practice_step, form.cleaned_data["score"]
    flow.practise(press.place.assignment.token, line, score, clock.now())
    return None


def _answer(press: Press) -> Answer:
    assert press.place.assignment  # noqa: S101 - the topic is a step of an assignment
    form = question_form(press.place, press.request.POST)
    if not form.is_valid():
        return _see_refused(press)
    attempt = press.place.assignment
    if flow.answer(attempt.token, form.chosen, clock.now(), attempt.wrong_answers + 1):
        return redirect("document", slug=press.place.study.slug, position=1)
    return None


def _finish(press: Press) -> Answer:
    """Finish from the list of answers; a document that lacks something is shown."""
    assert press.place.assignment  # noqa: S101 - the list is a step of an assignment
    result = flow.finish_from_list(press.place.assignment.token, clock.now())
    if result.position is None:
        return None
    return see_document(press.place.study.slug, result.position, "finish")


def _leave(press: Press) -> Answer:
    place = press.place
    if place.is_live and place.assignment:
        flow.leave(place.assignment.token, clock.now())
        return None
    if place.step == "welcome":
        return show(press.request, replace(place, step="left"))
    return None


def _keep(press: Press) -> Answer:
    """Keep the set longer, and show the same page with what was typed, if anything was."""
    place, typed = press.place, typed_text(press.request)
    if not place.is_live or place.assignment is None:
        return None
    until = flow.renew_deadline(place.assignment.token, clock.now())
    if until is None or place.step == "document":
        return None
    place.assignment.refresh_from_db(fields=["active_at", "deadline_at"])
    form: AnswerForm | None = None
    if place.step == "practice" and place.assignment.practice_step:
        form = line_form(place, **typed)
    elif place.step == "topic":
        form = question_form(place, **typed)
    return show(press.request, place, form)


def _comment(press: Press) -> Answer:
    """Keep what somebody says of a rehearsal, and thank them on the same page."""
    worker, text = press.place.worker, typed_text(press.request).get("comment", "")
    if worker and flow.save_comment(worker, text, clock.now()):
        return show(press.request, press.place, thanked=True)
    return None


Step = Callable[[Press], Answer]


def _only(verb: Callable[..., object]) -> Step:
    """A step that needs nothing but the assignment and the time."""

    def step(press: Press) -> None:
        if press.place.assignment:
            verb(press.place.assignment.token, clock.now())

    return step


STEPS: dict[tuple[str, str], Step] = {
    ("welcome", "continue"): _begin,
    ("done", "again"): _begin,
    ("failed", "again"): _begin,
    ("left", "again"): _begin,
    ("practice", "continue"): _only(flow.start_practice),
    ("practice", "next"): _practise,
    ("instructions", "continue"): _only(flow.read_instructions),
    ("topic", "continue"): _answer,
    ("check", "finish"): _finish,
    ("revise", "back"): _only(flow.resume_revision),
    ("done", "comment"): _comment,
    ("failed", "comment"): _comment,
    ("left", "comment"): _comment,
    ("any", "leave"): _leave,
    ("any", "keep"): _keep,
}
