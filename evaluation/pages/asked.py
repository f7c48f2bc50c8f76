"""What an address asks of analyses, and the fields in which it is asked: the same on every page."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from django.http import Http404, HttpRequest, QueryDict
from django.utils.http import urlencode

from evaluation import pipeline
from evaluation.analyses import Analysis
from evaluation.analyses.question import (
    ASKABLE,
    EVERY,
    BadQuestion,
    Question,
    askable,
    first_counted,
    question,
)
from evaluation.cache import page, stored
from evaluation.pages.rankings import offered
from evaluation.publishing import named_gains
from judging import completed
from judging.models import Study

COMMON = ("measure", "gains")  # asked on every page; the others where an analysis takes them
KEPT = (*ASKABLE, "labels", page.SYSTEM)  # what goes along from page to page


@dataclass(frozen=True)
class Asked:
    """What an address asks of some analyses: of each that takes it, and what is wrong with it."""

    label_set: str
    questions: dict[str, Question] = field(default_factory=dict)
    faults: dict[str, str] = field(default_factory=dict)


def labels_asked(request: HttpRequest, study: Study) -> str:
    """The name of the label set that an address asks for; 404 where there are none such."""
    try:
        return stored.label_set_of(study, request.GET.get("labels", ""))
    except stored.NotThere as fault:
        raise Http404(f"Labels {fault}") from fault


def asked_of(request: HttpRequest, study: Study, analyses: Iterable[Analysis]) -> Asked:
    """What an address asks of some analyses."""
    asked = Asked(labels_asked(request, study))
    for analysis in analyses:
        takes = askable(study, analysis.takes)
        options = {name: request.GET.get(name, "") for name in takes}
        try:
            asked.questions[analysis.name] = question(study, analysis.takes, options)
        except BadQuestion as fault:
            asked.faults[fault.option] = str(fault)
    _check_common(request, study, asked)
    return asked


def _check_common(request: HttpRequest, study: Study, asked: Asked) -> None:
    """What is wrong with measure and gains, also where no analysis of the page takes them."""
    options = {name: request.GET.get(name, "") for name in COMMON}
    try:
        question(study, COMMON, options)
    except BadQuestion as fault:
        asked.faults[fault.option] = str(fault)


def fields(
    request: HttpRequest, study: Study, asked: Asked, analyses: list[Analysis]
) -> dict[str, Any]:
    """What a page needs to show the fields: their lists, what is in them, what is kept for links.

    analyses: those of the page. Of `tries`, `first` and `reader` there are fields where an analysis
    of the page takes them.
    """
    runs = completed.runs(study)[1]
    taken = {name for analysis in analyses for name in askable(study, analysis.takes)}
    common = COMMON if runs else ()
    return {
        "label_set": asked.label_set,
        "label_sets": study.collection.label_sets.order_by("name"),
        "runs": runs,
        "system": request.GET.get(page.SYSTEM, ""),
        "common": [_field(request, study, asked, name) for name in common],
        "further": [
            _field(request, study, asked, name)
            for name in ASKABLE
            if name in taken and name not in COMMON
        ],
        "unused": [name for name in common if request.GET.get(name) and name not in taken],
        "query": kept_query(request.GET),
    }


def kept_query(given: QueryDict) -> str:
    """What goes along from page to page of what an address asks, as the end of another."""
    kept = {name: str(given[name]) for name in KEPT if given.get(name)}
    return f"?{urlencode(kept)}" if kept else ""


def _field(request: HttpRequest, study: Study, asked: Asked, name: str) -> dict[str, Any]:
    """One field: what is typed into it, what there is to choose, and what holds while empty."""
    choices: dict[str, Any] = {}
    if name == "measure":
        choices = dict.fromkeys(offered(study), "")
    elif name == "gains":
        choices = named_gains.choices(study)
    return {
        "name": name,
        "value": request.GET.get(name, ""),
        "fault": asked.faults.get(name, ""),
        "choices": choices,
        "usual": _usual(study, name),
    }


def _usual(study: Study, name: str) -> str:
    """What holds where a field is empty."""
    first = first_counted(study)
    return {
        "measure": next(iter(pipeline.measures(study)), "none"),
        "gains": named_gains.usual(study),
        "first": "all" if first is None else str(first),
        "reader": "TBG",
        **dict.fromkeys(EVERY, "any number"),
    }[name]
