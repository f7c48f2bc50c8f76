"""The addresses of a crowd worker. Each shows the worker's true state; each form names its page."""

from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from judging import flow
from judging.flow.admission import Arrival, new_pseudonym
from judging.models import Study
from judging.pages import arriving
from judging.pages.forms import DocumentForm, NoteForm, typed_text
from judging.pages.links import links_of
from judging.pages.rendering import render_page
from judging.pages.resuming import ask_for_code
from judging.pages.showing import document_form, note_form, show, show_document
from judging.pages.standing import standing
from judging.pages.steps import press
from judging.pages.unknown import names_a_set, show_unknown
from web import clock
from web.display import takes_display
from web.words import Words

NO_SUCH_PAGE = 404
TOO_LATE = 409


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@takes_display
def entry(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Every page of a worker but the documents: the one that belongs to their true state."""
    arrival = arriving.from_cookie(request, slug)
    place = standing(slug, arrival)
    if place is None:
        raise Http404(f"There is no study {slug}.")
    study = place.study
    if request.method != "POST" and request.GET:
        return _come_by_link(request, study, arrival)
    if arrival and arrival.external_id:
        known = arriving.recognise(study, arrival)
        if known is None:
            return ask_for_code(request, study, arrival, clock.now())
        if known != arrival:
            return _go_on_as(study, known)  # they have begun since, on another device
    if request.method == "POST":
        if place.worker is None and names_a_set(request):
            return show_unknown(request, study, links_of(study))
        return press(request, arrival, place)
    response = show(request, place)
    if arrival is None and place.step == "welcome":
        arriving.remember(response, slug, Arrival(new_pseudonym()))
    return response


def _come_by_link(request: HttpRequest, study: Study, before: Arrival | None) -> HttpResponseBase:
    """On to the plain address, as whom the parameters of a platform name, if they do."""
    arrival = arriving.from_parameters(request, study)
    if arrival is None:
        return redirect("study", slug=study.slug)
    return _go_on_as(study, arriving.recognise(study, arrival, before) or arrival)


def _go_on_as(study: Study, arrival: Arrival) -> HttpResponseBase:
    response = redirect("study", slug=study.slug)
    arriving.remember(response, study.slug, arrival)
    return response


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@takes_display
def resume(request: HttpRequest, slug: str) -> HttpResponseBase:
    """For who has begun on another device, or whose browser has forgotten them."""
    study = get_object_or_404(Study, slug=slug)
    arrival = arriving.from_cookie(request, slug)
    if arrival and arriving.recognise(study, arrival):
        arrival = None  # this browser may go on as somebody else
    return ask_for_code(request, study, arrival, clock.now())


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@takes_display
def document(request: HttpRequest, slug: str, position: int) -> HttpResponseBase:
    """One document of the worker's unit."""
    arrival = arriving.from_cookie(request, slug)
    if arrival is None and request.method == "POST":
        study = get_object_or_404(Study, slug=slug)
        return show_unknown(request, study, links_of(study))
    if arrival is None:
        return redirect("study", slug=slug)
    if request.method == "POST":
        return _judge(request, slug, arrival.pseudonym, position)
    if request.method == "HEAD":
        return _look(request, slug, arrival.pseudonym, position)
    return _open(request, slug, arrival.pseudonym, position)


@takes_display
def lost(request: HttpRequest, slug: str, rest: str) -> HttpResponseBase:
    """The way back to a study, for an address under it that is none of its pages."""
    study = get_object_or_404(Study, slug=slug)
    return render_page(request, study, "lost", {"links": links_of(study)}, NO_SUCH_PAGE)


def _open(request: HttpRequest, slug: str, pseudonym: str, position: int) -> HttpResponseBase:
    page = flow.open_page(slug, pseudonym, position, clock.now())
    if page is None:
        return redirect("study", slug=slug)
    form = document_form(page)
    if "check" in request.GET:
        form = document_form(page, form.initial)
        form.correct(flow.what_is_missing(page))
    return show_document(request, page, form, links_of(page.study))


def _look(request: HttpRequest, slug: str, pseudonym: str, position: int) -> HttpResponseBase:
    """The answer to GET, but neither a visit nor a step back."""
    with transaction.atomic():
        response = _open(request, slug, pseudonym, position)
        transaction.set_rollback(True)
    return response


def _judge(request: HttpRequest, slug: str, pseudonym: str, position: int) -> HttpResponseBase:
    """Do what the button of a document's form asks."""
    action = request.POST.get("action")
    submission = DocumentForm((), request.POST).submission(position)
    if action == "leave":
        return entry(request, slug)
    if action == "keep":
        return _keep(request, slug, pseudonym, position)
    if action == "report":
        return _report(request, slug, pseudonym, position)
    if action == "draft":
        return _keep_draft(request, slug, pseudonym, submission)
    if action in ("next", "back", "finish"):
        return _send(request, slug, pseudonym, submission)
    return redirect("study", slug=slug)


def _send(
    request: HttpRequest, slug: str, pseudonym: str, submission: flow.Submission
) -> HttpResponseBase:
    """Store what the form of a document says, a note too, and go where its button leads."""
    action, token = request.POST.get("action"), request.POST.get("page") or None
    position, now = submission.position, clock.now()
    if note := NoteForm(request.POST).as_it_stands():
        flow.note_fault(slug, pseudonym, token, position, *note, now=now)
    if action == "finish":
        result = flow.finish(slug, pseudonym, token, submission, now=now)
    else:
        result = flow.judge(slug, pseudonym, token, submission, back=action == "back", now=now)
    if result.position is None:
        return redirect("study", slug=slug)
    if result.errors and result.position == position:
        return _correct(request, slug, pseudonym, position, result.errors)
    response = redirect("document", slug=slug, position=result.position)
    if result.errors:
        response["Location"] += "?check"
    return response


def _report(request: HttpRequest, slug: str, pseudonym: str, position: int) -> HttpResponseBase:
    """Keep what is wrong with the document, and show its page with what was typed."""
    note = NoteForm(request.POST)
    if is_right := note.is_valid():
        token, what = request.POST.get("page", ""), note.cleaned_data
        flow.note_fault(
            slug, pseudonym, token, position, what["kind"], what["note"], now=clock.now()
        )
    page = flow.open_page(slug, pseudonym, position, clock.now())
    if page is None:
        return redirect("study", slug=slug)
    form = document_form(page, **typed_text(request))
    more = {"noted": True} if is_right else {"note": note}
    return show_document(request, page, form, links_of(page.study), **more)


def _keep_draft(
    request: HttpRequest, slug: str, pseudonym: str, submission: flow.Submission
) -> HttpResponse:
    """Keep what is being typed; the answer names the draft, or says that it came too late."""
    token, since = request.POST.get("page", ""), request.POST.get("since", "")
    name = flow.keep_draft(slug, pseudonym, token, since, submission, now=clock.now())
    return HttpResponse(name or "", content_type="text/plain", status=200 if name else TOO_LATE)


def _keep(request: HttpRequest, slug: str, pseudonym: str, position: int) -> HttpResponseBase:
    """Keep the set longer, as every opening of a page does, and show it with what was typed."""
    page = flow.open_page(slug, pseudonym, position, clock.now())
    if page is None:
        return redirect("study", slug=slug)
    typed = typed_text(request)
    form, note = document_form(page, **typed), note_form(page, **typed)
    return show_document(request, page, form, links_of(page.study), note=note)


def _correct(
    request: HttpRequest, slug: str, pseudonym: str, position: int, errors: dict[str, Words]
) -> HttpResponseBase:
    """The same page again, with what was typed and what is wrong with it."""
    page = flow.open_page(slug, pseudonym, position, clock.now())
    if page is None:
        return redirect("study", slug=slug)
    form = document_form(page, request.POST)
    form.correct(errors)
    return show_document(request, page, form, links_of(page.study))
