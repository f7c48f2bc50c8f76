"""How the numbers of a report came about: all that a reviewer asks, from the study's own data.

The words stand in a template, under headings; citations are written [@key], as `references` reads
them.
"""

import platform
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from importlib.metadata import version
from typing import Any, NamedTuple

from django.db.models import Count, Max, Min
from django.template.loader import render_to_string

from evaluation import pipeline
from evaluation.analyses import ANALYSES
from evaluation.presentation.parts import UNLABELLED
from evaluation.publishing import planned_end
from evaluation.report import references
from evaluation.study import scoring
from evaluation.study.data import StudyData
from judging.departures import departures
from judging.models import Assignment, Study, Worker
from judging.monitoring.seconds import reading
from judging.states import State
from judging.studies import analysis_plan
from judging.studies.table_one import pay
from magnitudes.agreement.opinions import MISSING
from magnitudes.files.words import count
from web.product import VERSION

Results = Mapping[str, Mapping[str, Any]]  # by the name of their analysis
LIBRARIES = ("numpy", "scipy")
HEADING = re.compile(r"^=== (.+)$", re.MULTILINE)
ENDED = {  # how an attempt is said to have ended, in this order
    State.FAILED: "failed a check on the way",
    State.EXHAUSTED: "ended after a failed Finish",
    State.LEFT: "were left",
    State.EXPIRED: "ran out of time",
    State.RELEASED: "were released by the team",
    State.RETURNED: "were returned on the platform",
    State.WITHDRAWN: "were withdrawn by their worker",
}


class Paragraph(NamedTuple):
    """Of the methods, under a heading of its own."""

    heading: str
    text: str


def paragraphs(data: StudyData, results: Results) -> list[Paragraph]:
    """The methods of a study, in the order in which things were done."""
    context = _of_study(data) | _of_results(data, results)
    context |= _elsewhere(data) if data.study.is_imported else _collected(data)
    made = rendered("evaluation/report/methods.txt", context)
    cited = references.with_sources(references.recognised(each.text) for each in made)
    return [paragraph._replace(text=text) for paragraph, text in zip(made, cited, strict=True)]


def rendered(template: str, context: Mapping[str, Any]) -> list[Paragraph]:
    """The paragraphs of a template of texts, without those that have come out empty."""
    _, *pieces = HEADING.split(render_to_string(template, dict(context)))
    texts = [" ".join(text.split()) for text in pieces[1::2]]
    return [Paragraph(*each) for each in zip(pieces[::2], texts, strict=True) if each[1]]


def around(
    data: StudyData, results: Results, limits: list[str], silent: list[Any]
) -> dict[str, str]:
    """What can be said beside methods and results, by the heading of its section."""
    context = _of_study(data) | _of_results(data, results)
    context |= {"limits": limits, "silent": silent, "departures": departures(data.study)}
    paragraphs = rendered("evaluation/report/paper.txt", context)
    return {each.heading: references.recognised(each.text) for each in paragraphs}


def in_short(data: StudyData) -> str:
    """What was done, for an abstract."""
    context = _of_study(data) | {"judges": who_judged(data)}
    return " ".join(render_to_string("evaluation/report/abstract.txt", context).split())


def who_judged(data: StudyData) -> str:
    """How many people, and how many artificial workers, judged what counts."""
    if data.study.crowd == Study.Crowd.MODEL:
        return "a language model"
    if data.study.is_imported:
        return f"{count(len(data.workers), 'worker')} elsewhere"
    of_study = Worker.objects.filter(study=data.study, simulated=True)
    artificial = len({*of_study.values_list("pseudonym", flat=True)}.intersection(data.workers))
    n = len(data.workers) - artificial
    people = count(n, "person", "people")
    if not artificial:
        return people
    return f"{count(artificial, 'artificial worker')} and {people if n else 'no people'}"


def methods(data: StudyData, results: Results) -> str:
    """All of it as one text, citations among it."""
    return " ".join(paragraph.text for paragraph in paragraphs(data, results))


def of_analyses(data: StudyData, results: Results) -> Iterator[str]:
    """What the analyses that show something say of how they were computed."""
    for name, analysis in ANALYSES.items():
        if analysis.methods and name in results and results[name]["parts"]:
            yield analysis.methods(data, results[name]["numbers"])


def _of_study(data: StudyData) -> dict[str, Any]:
    study = data.study
    counts = data.documents.counts[data.documents.counts > 0]
    normalisation, aggregation = pipeline.schemes(study)
    ndcg, err = (by.short for by in scoring.measures(study)) if data.runs else ("", "")
    return {
        "data": data,
        "study": study,
        "n_pairs": len(counts),
        "mean_count": counts.mean() if len(counts) else 0,
        "normalisation": normalisation,
        "aggregation": aggregation,
        "ndcg": ndcg,
        "err": err,
        "plan": list(analysis_plan.in_words(study.analysis_plan).values()),
        "later": planned_end.sentence(data.ordered_later, data.planned_end),
        "version": VERSION,
        "python": platform.python_version(),
        "libraries": [f"{name} {version(name)}" for name in LIBRARIES],
    }


def _of_results(data: StudyData, results: Results) -> dict[str, Any]:
    """shown: the names of analyses that show something, and those of their parts after a dot."""
    counts = (result["numbers"].get(UNLABELLED, 0) for result in results.values())
    parts = [(name, part["name"]) for name, each in results.items() for part in each["parts"]]
    return {
        "unlabelled": max(counts, default=0),
        "shown": {name for name, _ in parts} | {f"{name}.{part}" for name, part in parts},
        "of_analyses": list(of_analyses(data, results)),
    }


def _elsewhere(data: StudyData) -> dict[str, Any]:
    """Of what was judged elsewhere, and imported."""
    missing = int((data.opinions.levels == MISSING).sum())
    others = len(data.opinions.items) - len(data.judgments) - missing
    return {"missing_labels": missing, "other_labels": others}


def _collected(data: StudyData) -> dict[str, Any]:
    """How judgments were collected: pool, anchors, checks, people, pay, and who is left out."""
    study = data.study
    sizes = [len(topic.doc_ids) for topic in data.topics]
    drawn = study.topics.filter(anchors_drawn=True).count()
    people = study.workers.filter(simulated=False, consented_at__isnull=False)
    paid = pay(study) if study.payment and not study.mark else None
    return {
        "judges": who_judged(data),
        "pooled": sum(sizes),
        "smallest_pool": min(sizes),
        "largest_pool": max(sizes),
        "named_pools": study.topics.exclude(pool=[]).count(),
        "dates": _dates(study),
        "drawn_anchors": drawn,
        "anchors_by_hand": study.topics.count() - drawn,
        "minimum_seconds": f"{study.minimum_seconds or 0:g}",
        "departures": departures(study),
        "consents": people.values("consent_version").annotate(n=Count("id")).order_by("-n"),
        "exemption": study.ethics_exemption.rstrip("."),
        "seconds": reading(study).all or {"mean": float("nan"), "sd": float("nan")},
        "pay": paid,
        "total": f"{paid.total:,.2f}" if paid else "",
        **_attempts(study),
        **_left_out(study),
    }


def _dates(study: Study) -> str:
    completed = Assignment.objects.completed().filter(study=study)
    times = completed.aggregate(first=Min("finished_at"), last=Max("finished_at"))
    if not times["first"]:
        return ""
    first, last = (f"{times[end]:%-d %B %Y}" for end in ("first", "last"))
    return f"on {first}" if first == last else f"from {first} to {last}"


def _attempts(study: Study) -> dict[str, Any]:
    """How all attempts at units ended."""
    rows = Assignment.objects.filter(study=study).values_list("state").annotate(Count("id"))
    states = Counter(dict(rows))
    ended = [f"{states[state]:,} {words}" for state, words in ENDED.items() if states[state]]
    live = sum(n for state, n in states.items() if state not in (*ENDED, State.COMPLETED))
    if live:
        ended.append(f"{live:,} are not ended")
    return {
        "attempts": sum(states.values()),
        "completed": states[State.COMPLETED],
        "ended": f"; {', '.join(ended)}" if ended else "",
    }


def _left_out(study: Study) -> dict[str, Any]:
    excluded = study.workers.filter(excluded_at__isnull=False)
    reasons = Counter(excluded.values_list("exclusion_reason", flat=True))
    return {
        "n_excluded": sum(reasons.values()),
        "exclusions": [(" ".join(reason.split()), n) for reason, n in reasons.most_common()],
    }
