"""The addresses of a crowd worker. Each shows the worker's true state; each form names its page."""

from datetime import datetime

from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from judging import flow
from judging.flow.admission import CONSENT_SETTINGS, Arrival, consent_version, new_pseudonym
from judging.models import Study, Worker
from judging.pages import identity
from judging.pages.actions import perform
from judging.pages.current_page import current_page, page_of_attempt
from judging.pages.forms import NoteForm, read_submission
from judging.pages.links import links_of
from judging.pages.remaining import max_sets_and_pay, minutes_needed
from judging.pages.rendering import redirect_to_document, render_page
from judging.pages.resuming import ask_for_code
from judging.pages.showing import document_form, note_form, sent_form, show, show_document
from judging.pages.unknown import names_a_set, show_unknown
from judging.platforms import placeholder_in
from judging.platforms.platform import MAX_ID_LENGTH
from web import clock
from web.display import accepts_display_choice

NO_SUCH_PAGE = 404
TOO_LATE = 409
STORING_ACTIONS = ("next", "back", "finish", "keep", "report")
WRONG_LINK = 422


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@accepts_display_choice
def entry(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Every page but the documents: the one that belongs to the worker's true state."""
    arrival = identity.arrival_from_only_cookie(request)
    current = page_of_attempt(slug, arrival) if arrival else None
    if current is None:
        arrival = identity.arrival_from_cookie(request, identity.study_key(slug))
        current = current_page(slug, arrival)
    if current is None:
        raise Http404(f"There is no study {slug}.")
    study = current.study
    is_checked = request.method != "POST" and request.GET.get("check") == current.public_name
    if request.method != "POST" and request.GET and not is_checked:
        return _enter_by_link(request, study, arrival)
    if arrival and arrival.external_id:
        recognised = identity.recognise(study, arrival)
        if recognised is None:
            return ask_for_code(request, study, arrival, clock.now())
        if recognised != arrival:
            return _continue_as(study, recognised)  # they have begun since, on another device
    if request.method == "POST":
        if current.worker is None and names_a_set(request):
            return show_unknown(request, study, links_of(study))
        return perform(request, arrival, current)
    response = show(request, current, sent_form(current, request.GET) if is_checked else None)
    if arrival is None and current.step == "welcome":
        identity.remember(response, study.pk, Arrival(new_pseudonym()))
    return response


def _enter_by_link(request: HttpRequest, study: Study, before: Arrival | None) -> HttpResponseBase:
    if placeholder := placeholder_in(request.GET):
        return _placeholder_fault(request, study, placeholder)
    arrival = identity.arrival_from_parameters(request, study)
    if arrival is None:
        return redirect("study", slug=study.slug)
    return _continue_as(study, identity.recognise(study, arrival, before) or arrival)


def _placeholder_fault(request: HttpRequest, study: Study, placeholder: str) -> HttpResponseBase:
    Study.objects.filter(pk=study.pk).update(placeholder_came_at=clock.now())
    context = {"links": links_of(study), "placeholder": placeholder[:MAX_ID_LENGTH]}
    return render_page(request, study, "placeholder", context, WRONG_LINK)


def _continue_as(study: Study, arrival: Arrival) -> HttpResponseBase:
    response = redirect("study", slug=study.slug)
    identity.remember(response, study.pk, arrival)
    return response


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@accepts_display_choice
def resume(request: HttpRequest, slug: str) -> HttpResponseBase:
    """For workers who began on another device, or whose browser lost its cookie."""
    study = get_object_or_404(Study, slug=slug)
    arrival = identity.arrival_from_cookie(request, study.pk)
    if arrival and identity.recognise(study, arrival):
        arrival = None  # this browser may go on as somebody else
    return ask_for_code(request, study, arrival, clock.now())


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@accepts_display_choice
def document(request: HttpRequest, slug: str, position: int) -> HttpResponseBase:
    arrival = identity.arrival_from_only_cookie(request) or identity.arrival_from_cookie(
        request, identity.study_key(slug)
    )
    if arrival is None and request.method == "POST":
        study = get_object_or_404(Study, slug=slug)
        return show_unknown(request, study, links_of(study))
    if arrival is None:
        return redirect("study", slug=slug)
    if request.method == "POST":
        return _judge(request, slug, arrival.pseudonym, position)
    if request.method == "HEAD":
        return _head(request, slug, arrival.pseudonym, position)
    return _open(request, slug, arrival.pseudonym, position)


@never_cache
@accepts_display_choice
def about(request: HttpRequest, slug: str) -> HttpResponseBase:
    study = get_object_or_404(Study, slug=slug)
    worker = identity.worker_of(request, study)
    context = (
        {"links": links_of(study)}
        | minutes_needed(study)
        | max_sets_and_pay(study, study.topics.count())
    )
    context["changed_at"] = _consent_changed_at(study, worker) if worker else None
    return render_page(request, study, "about", context)


def _consent_changed_at(study: Study, worker: Worker) -> datetime | None:
    """None: the texts that they agreed to are the same."""
    if worker.consented_at is None or worker.consent_version == consent_version(study):
        return None
    changes = study.trail.filter(
        at__gt=worker.consented_at, details__changes__has_any_keys=CONSENT_SETTINGS
    )
    return changes.order_by("-at").values_list("at", flat=True).first()


@accepts_display_choice
def lost(request: HttpRequest, slug: str, rest: str) -> HttpResponseBase:
    """For an address under a study that is none of its pages."""
    study = get_object_or_404(Study, slug=slug)
    return render_page(request, study, "lost", {"links": links_of(study)}, NO_SUCH_PAGE)


def _to_entry(slug: str) -> HttpResponseBase:
    """Raises Http404 if the study has another name now: its page may be found by that."""
    identity.study_key(slug)
    return redirect("study", slug=slug)


def _open(request: HttpRequest, slug: str, pseudonym: str, position: int) -> HttpResponseBase:
    page = flow.open_page(slug, pseudonym, position, clock.now())
    if page is None:
        return _to_entry(slug)
    form = document_form(page)
    if "check" in request.GET or "finish" in request.GET:
        form = document_form(page, form.initial)  # bound, so that it can have errors
        form.add_errors(flow.page_errors(page))
    note = note_form(page, is_refused="note" in request.GET)
    note_saved = page.note is not None and "noted" in request.GET
    return show_document(
        request, page, form, links_of(page.study), note=note, note_saved=note_saved
    )


def _head(request: HttpRequest, slug: str, pseudonym: str, position: int) -> HttpResponseBase:
    """The answer to GET, but neither a visit nor a step back."""
    with transaction.atomic():
        response = _open(request, slug, pseudonym, position)
        transaction.set_rollback(True)
    return response


def _judge(request: HttpRequest, slug: str, pseudonym: str, position: int) -> HttpResponseBase:
    action = request.POST.get("action")
    sent = read_submission(request.POST, position)
    if action == "leave":
        return entry(request, slug)
    if action == "draft":
        return _autosave_draft(request, slug, pseudonym, sent)
    if action in STORING_ACTIONS:
        return _store(request, slug, pseudonym, sent)
    if action == "keep-answer":
        token = request.POST.get("page", "")
        flow.discard_draft(slug, pseudonym, token, position, sent.shown_version)
        return redirect_to_document(slug, position)
    return _to_entry(slug)


def _store(
    request: HttpRequest, slug: str, pseudonym: str, sent: flow.Submission
) -> HttpResponseBase:
    action, token = request.POST.get("action", ""), request.POST.get("page") or None
    position, now = sent.position, clock.now()
    is_noted = request.POST.get("kind") or request.POST.get("note", "").strip()
    note = NoteForm(request.POST).unsent_note() if is_noted else None
    if note:
        flow.save_document_note(slug, pseudonym, token, position, *note, now=now)
    if action == "finish":
        result = flow.finish(slug, pseudonym, token, sent, now=now)
    elif action in ("next", "back"):
        result = flow.judge(slug, pseudonym, token, sent, back=action == "back", now=now)
    else:
        result = flow.save_draft(slug, pseudonym, token, sent, now=now)
    if result.is_older:
        return _show_answer_and_older(request, slug, pseudonym, sent)
    if result.finished:
        return redirect("study", slug=slug)
    if result.position is None:
        return _to_entry(slug)
    if action == "report":
        return redirect_to_document(slug, position, "noted" if note else "note")
    if result.errors:
        return redirect_to_document(
            slug, result.position, "check" if result.position == position else "finish"
        )
    return redirect("document", slug=slug, position=result.position)


def _autosave_draft(
    request: HttpRequest, slug: str, pseudonym: str, sent: flow.Submission
) -> HttpResponse:
    """The response is the next draft's `since`, or 409: too late."""
    token = request.POST.get("page", "")
    version = flow.autosave_draft(slug, pseudonym, token, sent, now=clock.now())
    if version is None:
        identity.study_key(slug)  # 404, and so sent on, if the study has another name now
        return HttpResponse(content_type="text/plain", status=TOO_LATE)
    return HttpResponse(version, content_type="text/plain")


def _show_answer_and_older(
    request: HttpRequest, slug: str, pseudonym: str, sent: flow.Submission
) -> HttpResponseBase:
    """Beside it the text of an older form, which is not stored."""
    page = flow.open_page(slug, pseudonym, sent.position, clock.now())
    if page is None:
        return _to_entry(slug)
    older = {
        "score": flow.score_as_text(sent.score_text, page.levels),
        "justification": sent.justification.strip(),
    }
    return show_document(
        request, page, document_form(page), links_of(page.study), older=older, status=TOO_LATE
    )
