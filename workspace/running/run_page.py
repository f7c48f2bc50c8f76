from typing import Any, NamedTuple

from django import forms
from django.contrib import messages
from django.db.models import Count, Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from accounts.models import logged_in
from evaluation.publishing import planned_end
from judging import monitoring
from judging.acts.studies import RUNNING
from judging.models import Batch, Role, Study, TrailEntry, Worker
from judging.monitoring.live import live
from judging.states import State
from judging.studies.access import has_role, study_for
from judging.studies.conduct import batches
from judging.studies.conduct.batches import Chosen
from judging.studies.conduct.exclusion import MAX_REASON_LENGTH
from judging.studies.faults import BadStudy
from magnitudes.files.words import count
from web import clock
from web.bounds import field_options
from web.text import whole_number
from workspace.confirm import add_faults, ask_to_confirm, page_before
from workspace.decorators import staff_page
from workspace.running.trail_sentences import in_words


class Empty(forms.Form):
    """A button alone."""


class Payment(forms.Form):
    payment = forms.DecimalField(
        label="Payment for a unit that is begun from now on",
        help_text="Without the platform’s fee. Pay is never lowered while people come.",
        **field_options(Study, "payment"),
    )


class Code(forms.Form):
    code = forms.CharField(
        label="Completion code",
        max_length=40,
        help_text="The worker has it from the end of the unit.",
    )


class ReleasedUnit(forms.Form):
    unit = forms.CharField(widget=forms.HiddenInput)


class Excluded(forms.Form):
    worker = forms.CharField(label="Worker", help_text="The pseudonym, as the monitor has it.")
    reason = forms.CharField(
        max_length=MAX_REASON_LENGTH,
        label="Why",
        help_text="Kept in the trail. The worker does not see it.",
    )


class Readmitted(forms.Form):
    worker = forms.CharField(widget=forms.HiddenInput)


class Counting(forms.Form):
    """Whether the judgments of batches count beyond the redundancy."""

    all_judgments = forms.BooleanField(required=False, widget=forms.HiddenInput)


class NewBatch(forms.Form):
    documents = forms.CharField(
        required=False,
        widget=forms.Textarea(attrs={"rows": 4, "spellcheck": "false"}),
        label="Topics and documents",
        help_text="A line for each topic: its number, and behind it documents if only some are to "
        "be judged more often, as in <code>402 FT911-1 FT911-7</code>. Leave blank for all topics.",
    )
    redundancy = forms.IntegerField(
        label="More judgments of each document", initial=1, **field_options(Batch, "redundancy")
    )
    all_judgments = forms.BooleanField(
        required=False,
        initial=True,
        label="All judgments count",
        help_text="Also those beyond the redundancy, at once.",
    )
    number = forms.IntegerField(required=False, widget=forms.HiddenInput)

    def clean_documents(self) -> Chosen | None:
        chosen: dict[str, list[str]] = {}
        for line in self.cleaned_data["documents"].splitlines():
            if names := line.split():
                chosen.setdefault(names[0], []).extend(names[1:])
        return chosen or None


def lines_of(chosen: Chosen) -> str:
    """What `NewBatch` reads as these documents."""
    return "\n".join(" ".join((topic, *documents)) for topic, documents in chosen.items())


REFUSED = 422
NEWEST = 100  # entries of the trail on a page


class Button(NamedTuple):
    """What a button does, its form if it is more than a button, and the page that has it."""

    act: str
    form: type[forms.Form] = Empty
    page: str = "running"


BUTTONS = {
    **{name: Button(name) for name in ("pause", "resume", "close")},
    **{name: Button(name, page="whole-study") for name in ("archive", "unarchive")},
    "payment": Button("raise-payment", Payment),
    "release": Button("release-unit", ReleasedUnit),
    "withdraw": Button("withdraw", Code),
    "exclude": Button("exclude", Excluded, "exclusions"),
    "take back": Button("take-back-exclusion", Readmitted, "exclusions"),
    "batch": Button("add-batch", NewBatch, "batches"),
    "count": Button("count-judgments", Counting, "batches"),
}


@staff_page
def run(request: HttpRequest, slug: str, page: str) -> HttpResponse:
    """The pages of running a study; each takes what the buttons of all of them send."""
    role = Role.EDITOR if request.method == "POST" else Role.VIEWER
    study = study_for(request.user, slug, role)
    if not study.takes_people and page != "running":
        raise Http404(f"Study {study} takes no people: nobody works on it here.")
    if request.method != "POST":
        is_model = study.crowd == Study.Crowd.MODEL
        return redirect("model-run", slug) if is_model else _page(request, study, page)
    name = request.POST.get("action", "")
    if name not in BUTTONS:
        return redirect(page, slug)
    return _press(request, study, name)


def _press(request: HttpRequest, study: Study, name: str) -> HttpResponse:
    button, form = BUTTONS[name], _form(name, request.POST)
    act = RUNNING[button.act]
    if form.is_valid():
        try:
            if act.ask and "sure" not in request.POST:
                question = act.ask(study, **form.cleaned_data)
                return ask_to_confirm(request, study, question, form)
            done = act.do(study, logged_in(request), **form.cleaned_data)
        except BadStudy as refusal:
            add_faults(form, refusal.faults)
        else:
            messages.success(request, act.message(done, form.cleaned_data))
            return redirect(page_before(request) or reverse(button.page, args=[study.slug]))
    return _page(request, study, button.page if button.page in PAGES else "running", name, form)


def _form(name: str, data: Any = None, **initial: Any) -> forms.Form:
    return BUTTONS[name].form(data, auto_id=f"{name}_%s", initial=initial)


def _page(
    request: HttpRequest,
    study: Study,
    page: str,
    name: str = "",
    invalid_form: forms.Form | None = None,
) -> HttpResponse:
    study.refresh_from_db()
    context = PAGES[page](study)
    if name:
        context.setdefault("forms", {})[name] = invalid_form
    context |= {
        "study": study,
        "form": invalid_form,
        "may_change": has_role(logged_in(request), study, Role.EDITOR),
    }
    status = REFUSED if invalid_form else 200
    return render(request, f"workspace/{page}.html", context, status=status)


def _state(study: Study) -> dict[str, Any]:
    return {
        "progress": monitoring.progress(study),
        "live": live(study, clock.now()),
        "forms": {
            "payment": _form("payment", payment=study.payment),
            "withdraw": _form("withdraw"),
        },
    }


def _more_judges(study: Study) -> dict[str, Any]:
    missing = batches.short_of_judgments(study)
    form = _form("batch", documents=lines_of(missing), number=batches.next_number(study))
    if study.all_judgments:
        del form.fields["all_judgments"]
    return {
        "batches": [(batch, _topics_of(batch)) for batch in _batches(study)],
        "missing": sum(map(len, missing.values())),
        "topics_missing": len(missing),
        "forms": {"batch": form},
    }


def _exclusions(study: Study) -> dict[str, Any]:
    return {"excluded": _excluded(study), "forms": {"exclude": _form("exclude")}}


PAGES = {"running": _state, "batches": _more_judges, "exclusions": _exclusions}


def _batches(study: Study) -> QuerySet[Batch, Any]:
    completed = Q(units__assignments__state=State.COMPLETED)
    return study.batches.annotate(
        all_units=Count("units", distinct=True),
        completed=Count("units", filter=completed, distinct=True),
    ).order_by("number")


def _topics_of(batch: Batch) -> str:
    return ", ".join(
        f"{topic} ({count(len(ids), 'document')})" if ids else topic
        for topic, ids in batch.chosen.items()
    )


def _excluded(study: Study) -> QuerySet[Worker, Any]:
    done = Count("assignments", filter=Q(assignments__state=State.COMPLETED))
    workers = study.workers.filter(excluded_at__isnull=False)
    return workers.annotate(completed=done).order_by("-excluded_at")


# --- the trail ----------------------------------------------------------------------------------
@staff_page
def trail(request: HttpRequest, slug: str) -> HttpResponse:
    study = study_for(request.user, slug, Role.OWNER)
    entries = TrailEntry.objects.filter(study=study).select_related("by").order_by("-at", "-pk")
    before = whole_number(request.GET.get("before", ""))
    if before is not None:
        entries = entries.filter(pk__lt=before)
    rows = list(entries[: NEWEST + 1])
    context = {
        "study": study,
        "rows": [(entry, in_words(entry)) for entry in rows[:NEWEST]],
        "older": rows[NEWEST - 1].pk if len(rows) > NEWEST else None,
        "first": not before,
        "at_planned_end": planned_end.cached_sentence(study),
    }
    return render(request, "workspace/trail.html", context)
