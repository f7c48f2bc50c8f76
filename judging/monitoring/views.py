from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.gzip import gzip_page

from accounts.models import logged_in
from judging.models import CheckFailure, Role, Study
from judging.monitoring import attention, newest, one_topic, one_worker, tries
from judging.monitoring.figures import bins
from judging.monitoring.figures.monitor import FIGURES
from judging.monitoring.signals import workers_page as listing
from judging.monitoring.status import machine
from judging.monitoring.watch import Lights, Watch
from judging.studies import table_one
from judging.studies.access import has_role, study_for
from web import clock, long_lists
from web.files import attachment
from web.formats import csv_lines
from web.snapshots import snapshot

SHOWN = 50  # rows of a table that may be long
# Parts of the monitor, with the parameters that say how each is shown.
PARTS: dict[str, tuple[str, ...]] = {
    "at-work": (),
    "over-time": ("last",),
    "seconds": (),
    "checks": (),
    "by-topic": ("topics_by",),
    "by-worker": ("workers_by",),
    "standouts": (),
    "newest": tuple(newest.FIELDS),
}
Context = dict[str, Any]


def _page(template: str) -> Callable[[Callable[..., Context]], Callable[..., HttpResponse]]:
    """Make a page, for who is logged in, of a function that reads its context at one moment."""

    def decorator(context_of: Callable[..., Context]) -> Callable[..., HttpResponse]:
        @never_cache
        @login_required
        @wraps(context_of)
        def view(request: HttpRequest, *args: str, **kwargs: str) -> HttpResponse:
            with snapshot():
                context = context_of(request, *args, **kwargs)
            return render(request, template, context)

        return view

    return decorator


def _watch(request: HttpRequest, slug: str) -> Watch:
    study = study_for(request.user, slug)
    if not study.takes_people:
        raise Http404(f"Study {study} takes no people: there is no work to watch.")
    return Watch(study, clock.now(), request.GET.get("last", ""))


def _choice(request: HttpRequest, name: str, allowed: tuple[str, ...], default: str) -> str:
    choice = request.GET.get(name, default)
    return choice if choice in allowed else default


@gzip_page  # plots and tables are renewed every few seconds
@_page("judging/monitor.html")
def monitor(request: HttpRequest, slug: str) -> Context:
    watch = _watch(request, slug)
    watch.load("progress", "course", "at_work")
    if watch.lifetime:
        watch.load("reading", "standouts")
    lights, of_machine = Lights(watch), list(machine.findings(watch.now))
    notes, parts = newest.notes(watch.study, SHOWN), _open_parts(request)
    return {
        "study": watch.study,
        "watch": watch,
        "lights": list(lights),
        "machine": of_machine,
        "matters": attention.matters(watch, lights, of_machine, len(notes)),
        "parts": parts,
        "may_change": has_role(logged_in(request), watch.study, Role.EDITOR),
        "pay": table_one.pay(watch.study) if watch.study.payment else None,
        "spans": bins.LAST_NAMES.items(),
        "figures": {name: FIGURES[name](watch) for name in _figures(parts)},
        "checks": CheckFailure.Check.choices,
        "notes": notes,
        **_tables(request, watch),
        **_newest(request, watch.study, is_open="newest" in parts),
    }


def _open_parts(request: HttpRequest) -> set[str]:
    """Nothing is drawn in a part that is folded.

    The script names the parts that are open in a header, so that they are in no address that is
    stored or sent; without it, an address names one, or all.
    """
    in_header = request.headers.get("X-Open-Parts")
    if in_header is not None:
        return set(in_header.split())
    named = request.GET.get("open")
    return {
        part
        for part, parameters in PARTS.items()
        if named in (part, "all") or any(map(request.GET.get, parameters))
    }


def _figures(parts: set[str]) -> list[str]:
    folded = set() if "checks" in parts else {"failures", "rates"}
    return [name for name in FIGURES if name not in folded]


def _tables(request: HttpRequest, watch: Watch) -> Context:
    topics_by = _choice(request, "topics_by", tries.ORDERS, "name")
    workers_by = _choice(request, "workers_by", tries.ORDERS, "all")
    failing = [worker for worker in watch.workers if worker.failures]
    return {
        "topic_heads": _heads(request, "topics_by", topics_by, "Topic", "by-topic"),
        "by_topic": tries.ordered(watch.topics, topics_by),
        "in_doubt": watch.anchors.by_topic,
        "worker_heads": _heads(request, "workers_by", workers_by, "Worker", "by-worker"),
        "by_worker": tries.ordered(failing, workers_by)[:SHOWN],
        "failing": len(failing),
    }


def _heads(
    request: HttpRequest, parameter: str, by: str, first: str, anchor: str
) -> list[dict[str, str]]:
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
                "address": f"?{address.urlencode()}#{anchor}",
                "sorted": ("ascending" if name == "name" else "descending") if name == by else "",
            }
        )
    return heads


def _newest(request: HttpRequest, study: Study, *, is_open: bool) -> Context:
    wanted = {name: request.GET.get(name, "").strip() for name in newest.FIELDS}
    matching = newest.failures(study, wanted)
    others = {
        name: request.GET.get(name, "") for name in ("open", "last", "topics_by", "workers_by")
    }
    return {
        "wanted": wanted,
        "is_filtered": any(wanted.values()),
        "newest": list(matching[: SHOWN if is_open else 1]),
        "n_matching": matching.count() if is_open else None,
        "other_parameters": [(name, value) for name, value in others.items() if value],
    }


@never_cache
@login_required
def figure(request: HttpRequest, slug: str, name: str, file_format: str) -> HttpResponse:
    if name not in FIGURES or file_format not in ("svg", "csv"):
        raise Http404(f"The figures are {', '.join(FIGURES)}; each as svg and csv.")
    with snapshot():
        watch = _watch(request, slug)
        chosen = FIGURES[name](watch)
    if chosen is None:
        raise Http404("There is nothing to show yet.")
    is_picture = file_format == "svg"
    for_spreadsheet = request.GET.get("for") == "spreadsheet"
    lines = csv_lines(chosen.columns, chosen.rows, for_spreadsheet=for_spreadsheet)
    return HttpResponse(
        chosen.svg if is_picture else "".join(lines),
        content_type="image/svg+xml" if is_picture else "text/csv; charset=utf-8",
        headers=attachment(watch.study.file_name(name, file_format)),
    )


def _own_checks(watch: Watch, tallies: list[tries.Tally], key: int) -> Context:
    tally = next(tally for tally in tallies if tally.key == key)
    return {
        "study": watch.study,
        "watch": watch,
        "tally": tally,
        "checks": list(zip(watch.checks, tally.rates, strict=True)),
    }


@_page("judging/monitor_workers.html")
def workers(request: HttpRequest, slug: str) -> Context:
    watch = _watch(request, slug)
    shown = listing.names(records_pasting=watch.study.record_pasting)
    by = _choice(request, "by", ("name", *shown), "numbers")
    signal = _choice(request, "only", tuple(listing.FILTERS), listing.ALL)
    rows = listing.worker_rows(watch.workers, watch.signals, by, signal, shown)
    return {
        "study": watch.study,
        "heads": [(name, listing.HEADS[name], name == by) for name in shown],
        "by": by,
        "filters": listing.FILTERS.items(),
        "only": signal,
        "list": long_lists.listed(rows, request.GET, (), "workers"),
        "heading": listing.heading(watch.signals),
        "by_chance_alone": listing.by_chance_alone(watch.signals),
        "pasting_caveat": listing.PASTING_CAVEAT if watch.study.record_pasting else "",
    }


@_page("judging/monitor_worker.html")
def worker(request: HttpRequest, slug: str, pseudonym: str) -> Context:
    watch = _watch(request, slug)
    worker = one_worker.worker_of(watch.study, pseudonym)
    if worker is None:
        raise Http404("No such worker in this study.")
    standouts = {standout.worker.key: standout for standout in watch.standouts}
    return {
        **_own_checks(watch, watch.workers, worker.pk),
        "worker": worker,
        "may_change": has_role(logged_in(request), watch.study, Role.EDITOR),
        "stands_out": standouts.get(worker.pk),
        **_signals(watch, worker.pk),
        "attempts": one_worker.attempts(watch.study, worker, watch.now),
        "own": watch.reading.of(worker.pk),
    }


def _signals(watch: Watch, key: int) -> Context:
    own = watch.signals.workers.get(key)
    if own is None:
        return {}
    names = {tally.key: tally.name for tally in watch.workers}
    most_similar = watch.signals.reasons.most_similar(key)
    shown = listing.names(records_pasting=watch.study.record_pasting)
    return {
        "agreement": own.agreement,
        "agreement_words": listing.signed(own.agreement.mean) if own.agreement else "",
        "agreement_place": listing.place_of(own, watch.signals),
        "marked": [listing.HEADS[name] for name in shown if name in own.stands_out],
        "evidence": list(listing.evidence(own, watch.signals, shown)),
        "most_similar": [(names[other], number) for other, number in most_similar],
    }


@_page("judging/monitor_topic.html")
def topic(request: HttpRequest, slug: str, query_id: str) -> Context:
    watch = _watch(request, slug)
    topic = one_topic.topic_of(watch.study, query_id)
    if topic is None:
        raise Http404("No such topic in this study.")
    anchors = one_topic.anchors(watch.study, topic)
    return {
        **_own_checks(watch, watch.topics, topic.pk),
        "topic": topic,
        "in_doubt": watch.anchors.by_topic.get(topic.pk),
        "contradicted": [item for item in watch.anchors.contradicted if item.topic.pk == topic.pk],
        "anchors": [(anchor, _text(anchor)) for anchor in anchors],
        "apart": one_topic.distance(watch.study, topic),
        "notes": newest.notes(watch.study, SHOWN, topic),
    }


def _text(anchor: one_topic.Anchor) -> str | None:
    document = anchor.document and anchor.document.document
    return document.html if document else None
