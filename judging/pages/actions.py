from collections.abc import Callable
from dataclasses import dataclass, replace

from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect

from judging import flow
from judging.flow.admission import Arrival
from judging.pages import identity
from judging.pages.current_page import WorkerPage, step_for
from judging.pages.forms import AnswerForm, typed_text
from judging.pages.rendering import redirect_to_document, redirect_to_entry
from judging.pages.showing import consent_form, line_form, question_form, show
from web import clock

MAX_SHOWN_LENGTH = 100  # characters of a number that is refused; one that is taken is shorter


@dataclass(frozen=True)
class ButtonPress:
    request: HttpRequest
    arrival: Arrival | None
    current: WorkerPage


ActionResponse = HttpResponseBase | None  # None: on to the worker's true page


def perform(request: HttpRequest, arrival: Arrival | None, current: WorkerPage) -> HttpResponseBase:
    """A form of another page changes nothing."""
    action, page = request.POST.get("action", ""), request.POST.get("page") or current.name
    handler = ACTIONS.get((current.step, action)) or ACTIONS.get(("any", action))
    is_current = page == current.name or (
        action in ("leave", "keep") and _is_of_unit(page, current)
    )
    response = handler(ButtonPress(request, arrival, current)) if handler and is_current else None
    return response or redirect("study", slug=current.study.slug)


def _redirect_to_refused(press: ButtonPress) -> ActionResponse:
    """What was typed is in the address: Back and Reload never send the form again."""
    score = typed_text(press.request).get("score", "")[:MAX_SHOWN_LENGTH]
    return redirect_to_entry(press.current.study.slug, check=press.current.public_name, score=score)


def _is_of_unit(page: str, current: WorkerPage) -> bool:
    return current.assignment is not None and page.split(":")[0] == current.assignment.token


def _begin(press: ButtonPress) -> ActionResponse:
    if press.arrival is None:
        return None
    study = press.current.study
    form = consent_form(press.current, press.request.POST)
    if form and not form.is_valid():
        return _redirect_to_refused(press)
    _, no_work = flow.admit(study, press.arrival, clock.now())
    if no_work:
        current = WorkerPage(study, step_for(no_work), press.current.worker, None, no_work)
        return show(press.request, current)
    response = redirect("study", slug=study.slug)
    # Somebody with the same id may have begun on another device in this very moment.
    if recognised := identity.recognise(study, press.arrival):
        identity.remember(response, study.pk, Arrival(recognised.pseudonym))
    return response


def _practise(press: ButtonPress) -> ActionResponse:
    assert press.current.assignment  # noqa: S101 - practice is a step of an assignment
    form = line_form(press.current, press.request.POST)
    if not form.is_valid():
        return _redirect_to_refused(press)
    line, score = press.current.assignment.practice_step, form.cleaned_data["score"]
    flow.practise(press.current.assignment.token, line, score, clock.now())
    return None


def _answer(press: ButtonPress) -> ActionResponse:
    assert press.current.assignment  # noqa: S101 - the topic is a step of an assignment
    form = question_form(press.current, press.request.POST)
    if not form.is_valid():
        return _redirect_to_refused(press)
    attempt = press.current.assignment
    if flow.answer(attempt.token, form.chosen, clock.now(), attempt.wrong_answers + 1):
        return redirect("document", slug=press.current.study.slug, position=1)
    return None


def _finish(press: ButtonPress) -> ActionResponse:
    assert press.current.assignment  # noqa: S101 - the list is a step of an assignment
    result = flow.finish_from_list(press.current.assignment.token, clock.now())
    if result.position is None:
        return None
    return redirect_to_document(press.current.study.slug, result.position, "finish")


def _leave(press: ButtonPress) -> ActionResponse:
    current = press.current
    if current.is_live and current.assignment:
        flow.leave(current.assignment.token, clock.now())
        return None
    if current.step == "welcome":
        return show(press.request, replace(current, step="left"))
    return None


def _renew_deadline(press: ButtonPress) -> ActionResponse:
    """The same page is shown, with what was typed."""
    current, typed = press.current, typed_text(press.request)
    if not current.is_live or current.assignment is None:
        return None
    until = flow.renew_deadline(current.assignment.token, clock.now())
    if until is None or current.step == "document":
        return None
    current.assignment.refresh_from_db(fields=["active_at", "deadline_at"])
    form: AnswerForm | None = None
    if current.step == "practice" and current.assignment.practice_step:
        form = line_form(current, **typed)
    elif current.step == "topic":
        form = question_form(current, **typed)
    return show(press.request, current, form)


def _comment(press: ButtonPress) -> ActionResponse:
    worker, text = press.current.worker, typed_text(press.request).get("comment", "")
    if worker and flow.save_comment(worker, text, clock.now()):
        return show(press.request, press.current, thanked=True)
    return None


Action = Callable[[ButtonPress], ActionResponse]


def _flow_action(verb: Callable[..., object]) -> Action:
    def action(press: ButtonPress) -> None:
        if press.current.assignment:
            verb(press.current.assignment.token, clock.now())

    return action


ACTIONS: dict[tuple[str, str], Action] = {
    ("welcome", "continue"): _begin,
    ("done", "again"): _begin,
    ("failed", "again"): _begin,
    ("left", "again"): _begin,
    ("practice", "continue"): _flow_action(flow.start_practice),
    ("practice", "next"): _practise,
    ("instructions", "continue"): _flow_action(flow.read_instructions),
    ("topic", "continue"): _answer,
    ("check", "finish"): _finish,
    ("revise", "back"): _flow_action(flow.resume_revision),
    ("done", "comment"): _comment,
    ("failed", "comment"): _comment,
    ("left", "comment"): _comment,
    ("any", "leave"): _leave,
    ("any", "keep"): _renew_deadline,
}
