"""What an address asks of pages of results, and the fields in which it is asked, on every page."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponseBase, QueryDict
from django.utils import timezone
from django.utils.http import urlencode
from django.views.decorators.cache import never_cache
from django.views.decorators.gzip import gzip_page

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
from evaluation.cache.stored import CachedResult
from evaluation.pages.rankings import offered
from evaluation.publishing import named_gains
from evaluation.publishing.verdicts import judged_document
from judging import completed, monitoring
from judging.models import Assignment, PooledDocument, Study
from magnitudes.measures.names import short

COMMON = ("measure", "gains")  # asked on every page; the others where an analysis takes them
KEPT = (*ASKABLE, "labels", *page.CHOSEN.values())  # what goes along from page to page
View = Callable[..., HttpResponseBase]


def results_page(view: View) -> View:
    """A page of results: somebody has logged in, browsers keep none, and long tables are packed."""
    return gzip_page(never_cache(login_required(view)))


@dataclass(frozen=True)
class Query:
    """What an address asks of some analyses: of each that takes it, and what is wrong with it."""

    label_set: str
    questions: dict[str, Question]
    faults: dict[str, str]


def labels_of(request: HttpRequest, study: Study) -> str:
    """The name of the label set that an address asks for; 404 where there are none such."""
    try:
        return stored.label_set_of(study, request.GET.get("labels", ""))
    except stored.NotThere as fault:
        raise Http404(f"Labels {fault}") from fault


def query_of(request: HttpRequest, study: Study, analyses: Iterable[Analysis]) -> Query:
    """What an address asks of some analyses; measure and gains are read even if none takes them."""
    query = Query(labels_of(request, study), {}, {})
    takes = {analysis.name: analysis.takes for analysis in analyses}
    options = {name: askable(study, some) for name, some in takes.items()} | {"": COMMON}
    for name, some in options.items():
        given = {option: request.GET.get(option, "") for option in some}
        try:
            query.questions[name] = question(study, takes.get(name, COMMON), given)
        except BadQuestion as fault:
            query.faults[fault.option] = str(fault)
    return query


def cached_results(
    request: HttpRequest,
    study: Study,
    analyses: list[Analysis],
    *,
    findings_alone: bool = True,
    thumbnails: bool = False,
) -> tuple[list[CachedResult], dict[str, Any]]:
    """Analyses as an address asks for them, and what their pages show besides.

    waits, begun: how many are to be computed, and how many of these have been begun. The rest are
    fields: their lists, what is in them, what is kept for links. Of `tries`, `first` and `reader`
    there are fields where an analysis of the page takes them.
    """
    query = query_of(request, study, analyses)
    cached = stored.get_or_request(
        *(study, [analysis.name for analysis in analyses], query.label_set, timezone.now()),
        query.questions,
        findings_alone=findings_alone,
        thumbnails=thumbnails,
    )
    waits, runs = [result.row for result in cached if result.waits], completed.runs(study)[1]
    taken = {name for analysis in analyses for name in askable(study, analysis.takes)}
    shown = taken | set(query.faults)
    common = [name for name in COMMON if runs and name in shown]
    marked = page.chosen_in(request.GET)
    further = [name for name in ASKABLE if name in taken and name not in COMMON]
    return cached, {
        "study": study,
        "nothing_judged": _nothing_judged(study),
        "waits": len(waits),
        "begun": sum(row.tries > 0 for row in waits),
        "label_set": query.label_set,
        "label_sets": study.collection.label_sets.order_by("name"),
        "marks": [],
        "marked": marked,
        "marked_without_menu": [(page.CHOSEN[thing], name) for thing, name in marked.items()],
        "common": [_field(request, study, query, name) for name in common],
        "further": [_field(request, study, query, name) for name in further],
        "faults": query.faults,
        "unused": {
            name: value
            for name in COMMON
            if name not in shown and (value := request.GET.get(name, ""))
        },
        "query": kept_query(request.GET),
    }


def _nothing_judged(study: Study) -> bool:
    """Whether a study that is judged here has no completed unit yet."""
    done = Assignment.objects.completed().filter(study=study)
    return not study.is_imported and not done.exists()


def still_open(study: Study) -> int:
    """How many units are not done, of a study that people judge here and that is open."""
    if study.is_imported or study.stage == Study.Stage.CLOSED:
        return 0
    progress = monitoring.progress(study)
    return progress.units - progress.completed


def document_or_404(study: Study, query_id: str, doc_id: str) -> PooledDocument:
    """The document of a study's pool for a topic."""
    document = judged_document(study, query_id, doc_id)
    if document is None:
        raise Http404(f"No document {doc_id} is judged for topic {query_id} in this study.")
    return document


def kept_query(given: QueryDict) -> str:
    """What goes along from page to page of what an address asks, as the end of another."""
    kept = {name: str(given[name]) for name in KEPT if given.get(name)}
    return f"?{urlencode(kept)}" if kept else ""


def _field(request: HttpRequest, study: Study, query: Query, name: str) -> dict[str, Any]:
    """One field: what is typed into it, what there is to choose, and what holds while empty."""
    choices: dict[str, Any] = {}
    if name == "measure":
        choices = dict.fromkeys(map(short, offered(study)), "")
    elif name == "gains":
        choices = named_gains.choices(study)
    first = first_counted(study)
    usual = {
        "measure": next(map(short, pipeline.measures(study)), "none"),
        "gains": named_gains.usual(study),
        "first": "all" if first is None else str(first),
        "reader": "TBG",
        **dict.fromkeys(EVERY, "any number"),
    }
    value, fault = request.GET.get(name, ""), query.faults.get(name, "")
    return {
        "name": name,
        "value": value,
        "fault": fault,
        "choices": choices,
        "usual": usual[name],
    }
