from typing import Any

from django import forms
from django.contrib import messages
from django.db.models import Count
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from accounts.models import logged_in
from judging import monitoring
from judging.acts import Question
from judging.models import Role, Study
from judging.monitoring import rehearsed
from judging.studies.access import has_role, study_for
from judging.studies.conduct.closing import close_study
from judging.studies.faults import BadStudy
from judging.studies.rehearsal import (
    MAX_UNITS,
    UNITS,
    CannotRehearse,
    delete_rehearsal,
    rehearse,
)
from magnitudes.files.words import count
from web import clock
from web.text import natural
from workspace.confirm import ask_to_confirm
from workspace.decorators import staff_page

TRIES = 3  # topics at first: who fails a check begins again on another


class NewRehearsal(forms.Form):
    topics = forms.MultipleChoiceField(
        widget=forms.CheckboxSelectMultiple,
        label="Topics",
        help_text="Whoever fails a check may begin again on another topic.",
        error_messages={"required": "Choose at least one topic."},
    )
    units = forms.IntegerField(
        min_value=1,
        max_value=MAX_UNITS,
        initial=UNITS,
        label="Units for each topic",
        help_text="Each is judged by one person, who judges at most one unit on a topic.",
    )

    def __init__(self, study: Study, *args: Any) -> None:
        super().__init__(*args)
        titles = dict(study.topics.values_list("topic__query_id", "topic__title"))
        topics = [(query_id, titles[query_id]) for query_id in sorted(titles, key=natural)]
        choices = [(query_id, f"{query_id}: {title}") for query_id, title in topics]
        self.fields["topics"].choices = choices  # type: ignore[attr-defined]
        self.fields["topics"].initial = [query_id for query_id, _ in topics[:TRIES]]

    def refuse(self, fault: CannotRehearse) -> None:
        for where, what in fault.faults:
            at_field = len(where) == 1 and where[0] in self.fields
            line = ": ".join((*where, str(what)))
            self.add_error(where[0] if at_field else None, what if at_field else line)


@require_http_methods(["GET", "HEAD", "POST"])
@staff_page
def rehearsal(request: HttpRequest, slug: str) -> HttpResponse:
    study = study_for(request.user, slug, Role.EDITOR if request.method == "POST" else Role.VIEWER)
    if not study.takes_people:
        raise Http404(f"Study {study} takes no people: there is nothing to rehearse.")
    if study.rehearsal_of is None:
        return _of_study(request, study)
    if request.method == "POST":
        return _act(request, study, study.rehearsal_of)
    return _results_page(request, study, study.rehearsal_of)


def _of_study(request: HttpRequest, study: Study) -> HttpResponse:
    form = NewRehearsal(study, request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            rehearsal = rehearse(study, logged_in(request), **form.cleaned_data)
        except CannotRehearse as fault:
            form.refuse(fault)
        else:
            messages.success(request, "The rehearsal is open. Hand out its link.")
            return redirect("rehearsal", rehearsal.slug)
    come = Count("assignments__worker", distinct=True)
    rehearsals = list(study.rehearsals.annotate(come=come).order_by("-created_at"))
    progress = monitoring.progress_of(rehearsals)
    context = {
        "study": study,
        "form": form,
        "rehearsals": [(row, progress[row.pk]) for row in rehearsals],
        "may_change": has_role(logged_in(request), study, Role.EDITOR),
    }
    return render(request, "workspace/rehearsals.html", context)


def _act(request: HttpRequest, rehearsal: Study, study: Study) -> HttpResponse:
    action = request.POST.get("action")
    if action == "delete" and "sure" not in request.POST:
        people = count(rehearsal.workers.count(), "person", "people")
        judged = f"What {people} judged and wrote in it is deleted, and cannot be brought back."
        question = Question("Delete the rehearsal?", (judged,), "Delete it")
        return ask_to_confirm(request, rehearsal, question)
    if action == "delete":
        delete_rehearsal(rehearsal, logged_in(request))
        messages.success(request, f"Rehearsal {rehearsal} is deleted, with all that was judged.")
        return redirect("rehearsal", study.slug)
    if action == "end":
        try:
            close_study(rehearsal.slug, logged_in(request))
        except BadStudy as fault:
            messages.error(request, str(fault))
    return redirect("rehearsal", rehearsal.slug)


def _results_page(request: HttpRequest, rehearsal: Study, study: Study) -> HttpResponse:
    everybody = rehearsed.people(rehearsal, clock.now())
    context = {
        "study": rehearsal,
        "rehearsed": study,
        "link": request.build_absolute_uri(reverse("study", args=[rehearsal.slug])),
        "progress": monitoring.progress(rehearsal),
        "people": everybody,
        "duration": rehearsed.duration(study, everybody),
        "most": rehearsed.MAX_ATTEMPTS,
        "may_change": has_role(logged_in(request), rehearsal, Role.EDITOR),
    }
    return render(request, "workspace/rehearsal.html", context)
