"""One document on which crowd and labels differ: what was said of it, and a verdict."""

from dataclasses import dataclass
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode

from accounts.models import logged_in
from evaluation.analyses.agreement import differences
from evaluation.cache import part_files, stored
from evaluation.details import one_topic
from evaluation.details import scores as scores_of
from evaluation.models import Verdict
from evaluation.pages.query import document_or_404, labels_of, results_page
from evaluation.publishing.verdicts import give_verdict
from judging.models import Role, Study
from judging.studies.access import study_for


class VerdictForm(forms.ModelForm):
    """A verdict as it is typed."""

    class Meta:
        model = Verdict
        fields = ("finding", "note")
        error_messages = {"finding": {"required": "Choose what you found."}}


@dataclass(frozen=True)
class Listed:
    """A place in the list of documents that differ most, and the documents beside it."""

    number: int
    of: int
    row: dict[str, Any]
    before: tuple[str, str] | None
    after: tuple[str, str] | None


@results_page
def difference(request: HttpRequest, slug: str, query_id: str, doc_id: str) -> HttpResponse:
    """The topic, the document, every score of it, and the form for the verdict."""
    role = Role.EDITOR if request.method == "POST" else Role.VIEWER
    study = study_for(request.user, slug, role)
    label_set = labels_of(request, study)
    document = document_or_404(study, query_id, doc_id)
    listed = _listed(study, label_set, (query_id, doc_id))
    verdict = Verdict.objects.filter(document=document, label_set=label_set).first()
    form = VerdictForm(request.POST or None, instance=verdict)
    if request.method == "POST" and form.is_valid():
        by, now = logged_in(request), timezone.now()
        give_verdict(document, label_set, **form.cleaned_data, by=by, at=now)
        onwards = listed.after if listed and request.POST.get("then") == "next" else None
        return HttpResponseRedirect(_address(study, label_set, onwards or (query_id, doc_id)))
    scores = [] if study.is_imported else scores_of.of_document(document)
    context: dict[str, Any] = {
        "study": study,
        "label_set": label_set,
        "document": document,
        "topic": document.study_topic.topic,
        "level": one_topic.labels(document.study_topic, label_set).get(document.doc_id),
        "text": scores_of.text_of(document),
        "scores": scores[: stored.MOST_ROWS],
        "all_scores": len(scores),
        "unscaled": any(score.normalised is None for score in scores),
        "opinions": scores_of.given_elsewhere(document),
        "listed": listed,
        "before": listed and listed.before and _address(study, label_set, listed.before),
        "after": listed and listed.after and _address(study, label_set, listed.after),
        "verdict": verdict if verdict and verdict.pk else None,
        "form": form,
        "findings": Verdict.Finding.choices,
        "chosen": form["finding"].value(),
    }
    return render(request, "evaluation/difference.html", context)


def _address(study: Study, label_set: str, pair: tuple[str, str]) -> str:
    address = reverse(differences.PAGE, args=[study.slug, *pair])
    return f"{address}?{urlencode({'labels': label_set})}"


def _listed(study: Study, label_set: str, pair: tuple[str, str]) -> Listed | None:
    """Where the kept list has the document; None if there is no list, or it is not in it."""
    cached = study.analyses.filter(name="differences", label_set=label_set).first()
    rows = part_files.rows_of(cached.result if cached else None, differences.DOCUMENTS)
    pairs = [(row["query_id"], row["doc_id"]) for row in rows]
    if pair not in pairs:
        return None
    place = pairs.index(pair)
    return Listed(
        place + 1,
        len(rows),
        rows[place],
        pairs[place - 1] if place else None,
        pairs[place + 1] if place + 1 < len(pairs) else None,
    )
