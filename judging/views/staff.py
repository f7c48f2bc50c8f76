"""The monitoring pages: a study, its figures as files, one worker, one topic."""

import csv
import io
from collections.abc import Callable
from typing import Any, TypeVar

from django.contrib.admin.views.decorators import staff_member_required
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.gzip import gzip_page

from judging import reading
from judging.models import CheckFailure, Study
from judging.monitoring import bins, failures, one_topic, one_worker, tries
from judging.monitoring.figures import FIGURES, Figure
from judging.monitoring.watch import Watch

View = TypeVar("View", bound=Callable[..., HttpResponseBase])
SHOWN = 50  # rows of a table that may be long


def staff_only(view: View) -> View:
    """Let only staff see a page; others come to the log-in."""
    return staff_member_required(view, login_url="login")


def _watch(request: HttpRequest, slug: str) -> Watch:
    study = get_object_or_404(Study, slug=slug)
    if study.is_imported:
        raise Http404(f"Study {study} was judged elsewhere: there is no work to watch.")
    return Watch(study, timezone.now(), request.GET.get("last", ""))


def _asked(request: HttpRequest, name: str, known: tuple[str, ...], usual: str) -> str:
    """One of the known answers that an address gives, or the usual one."""
    given = request.GET.get(name, usual)
    return given if given in known else usual


@gzip_page  # plots and tables are renewed every few seconds
@never_cache
@staff_only
def monitor(request: HttpRequest, slug: str) -> HttpResponse:
    """A study while a crowd works on it."""
    watch = _watch(request, slug)
    context: dict[str, Any] = {
        "study": watch.study,
        "here": "monitor",
        "watch": watch,
        "spans": bins.LAST_NAMES.items(),
        "figures": {name: make(watch) for name, make in FIGURES.items()},
        "checks": CheckFailure.Check.choices,
        **_tables(request, watch),
        **_newest(request, watch.study),
    }
    return render(request, "judging/monitor.html", context)


def _tables(request: HttpRequest, watch: Watch) -> dict[str, Any]:
    """Topics and workers with their checks, in the order that the address asks for."""
    topics_by = _asked(request, "topics_by", tries.ORDERS, "name")
    workers_by = _asked(request, "workers_by", tries.ORDERS, "all")
    failing = [worker for worker in watch.workers if worker.failures]
    return {
        "topic_heads": _heads(request, "topics_by", topics_by, "Topic", "by-topic"),
        "by_topic": tries.ordered(watch.topics, topics_by),
        "bad_anchors": {anchor.topic.pk for anchor in watch.anchors},
        "worker_heads": _heads(request, "workers_by", workers_by, "Worker", "by-worker"),
        "by_worker": tries.ordered(failing, workers_by)[:SHOWN],
        "failing": len(failing),
    }


def _heads(
    request: HttpRequest, parameter: str, by: str, first: str, place: str
) -> list[dict[str, str]]:
    """The headings of a table of checks: each sorts it by its column."""
    labels = {"name": (first, ""), "all": ("All", "all failures")}
    labels |= {check.value: (check.label[:3], check.label[4:]) for check in tries.Check}
    heads = []
    for name, (label, title) in labels.items():
        address = request.GET.copy()
        address[parameter] = name
        heads.append(
            {
                "label": label,
                "title": f"Sort by {title or label.lower()}",
                "address": f"?{address.urlencode()}#{place}",
                "sorted": ("ascending" if name == "name" else "descending") if name == by else "",
            }
        )
    return heads


def _newest(request: HttpRequest, study: Study) -> dict[str, Any]:
    """The newest failures that fit what the address asks for."""
    wanted = failures.Filter(
        *(request.GET.get(name, "").strip() for name in ("topic", "check", "worker"))
    )
    found = failures.failures(study, wanted)
    given = {name: request.GET.get(name, "") for name in ("last", "topics_by", "workers_by")}
    return {
        "wanted": wanted,
        "newest": found[:SHOWN],
        "fitting": found.count(),
        "kept": [pair for pair in given.items() if pair[1]],
    }


@never_cache
@staff_only
def figure(request: HttpRequest, slug: str, name: str, file_format: str) -> HttpResponse:
    """One figure of the monitoring page as a file: its picture, or its data."""
    if name not in FIGURES or file_format not in ("svg", "csv"):
        raise Http404(f"The figures are {', '.join(FIGURES)}; each as svg and csv.")
    watch = _watch(request, slug)
    made = FIGURES[name](watch)
    if made is None:
        raise Http404("There is nothing to show yet.")
    drawn = file_format == "svg"
    return HttpResponse(
        made.svg if drawn else _csv(made),
        content_type="image/svg+xml" if drawn else "text/csv; charset=utf-8",
        headers={
            "Content-Disposition": "attachment; "
            f'filename="{watch.study.file_name(name, file_format)}"'
        },
    )


def _csv(made: Figure) -> str:
    text = io.StringIO()
    written = csv.writer(text, lineterminator="\n")
    written.writerow(made.columns)
    written.writerows([[_plain(value) for value in row] for row in made.rows])
    return text.getvalue()


def _plain(value: Any) -> Any:
    return value.isoformat() if hasattr(value, "isoformat") else value


@never_cache
@staff_only
def worker(request: HttpRequest, slug: str, pseudonym: str) -> HttpResponse:
    """One worker: every attempt, and the judgments of completed units."""
    watch = _watch(request, slug)
    found = one_worker.worker_of(watch.study, pseudonym)
    if found is None:
        raise Http404("No such worker in this study.")
    tally = next(one for one in watch.workers if one.key == found.pk)
    context = {
        "study": watch.study,
        "watch": watch,
        "worker": found,
        "tally": tally,
        "checks": zip(watch.checks, tally.rates, strict=True),
        "stands_out": next((one for one in watch.standouts if one.worker.key == found.pk), None),
        "attempts": one_worker.attempts(watch.study, found, watch.now),
        "own": watch.reading.of(found.pk),
    }
    return render(request, "judging/monitor_worker.html", context)


@never_cache
@staff_only
def topic(request: HttpRequest, slug: str, query_id: str) -> HttpResponse:
    """One topic: its checks beside those of the study, its question and its anchors."""
    watch = _watch(request, slug)
    found = one_topic.topic_of(watch.study, query_id)
    if found is None:
        raise Http404("No such topic in this study.")
    anchors = one_topic.anchors(watch.study, found)
    tally = next(one for one in watch.topics if one.key == found.pk)
    context = {
        "study": watch.study,
        "watch": watch,
        "topic": found,
        "tally": tally,
        "checks": zip(watch.checks, tally.rates, strict=True),
        "bad": next((one for one in watch.anchors if one.topic.pk == found.pk), None),
        "anchors": [(anchor, _text(anchor)) for anchor in anchors],
        "apart": one_topic.distance(watch.study, found),
    }
    return render(request, "judging/monitor_topic.html", context)


def _text(anchor: one_topic.Anchor) -> str | None:
    document = anchor.document and anchor.document.document
    return reading.as_html(document.text, document.is_html) if document else None
