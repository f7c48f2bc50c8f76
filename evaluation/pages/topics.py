"""The topics of a study, one topic with its documents, and one document with its scores."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from evaluation.details import one_topic, scores, topic_list, topic_units
from evaluation.details.one_topic import Judged, OfSystem
from evaluation.details.topic_list import Topic
from evaluation.details.topic_units import Unit
from evaluation.pages.query import document_or_404, labels_of, results_page
from evaluation.pages.systems import RankingQuery, query_of
from evaluation.presentation.parts import zeros_in_words
from judging.models import PooledDocument, Study, StudyTopic
from judging.monitoring import tries
from judging.studies.configuration.anchors import all_contradictions
from web import sparklines
from web.long_lists import Column, listed
from web.text import natural

WITH_REASONS = 25  # scores of a page, as each has some lines, and units, which follow documents
INSIDE = 0.01, 0.99  # of a topic's scores lie on the axis; a few are very far off
LISTED = (
    Column[Topic]("topic", "Topic", lambda row: natural(row.query_id), number=False),
    Column[Topic]("documents", "Documents", lambda row: row.documents),
    Column[Topic]("scores", "Scores", lambda row: row.judgments),
    Column[Topic]("alpha", "Alpha", lambda row: row.alpha, hint="Krippendorff’s"),
)
WITH_UNITS = (
    Column[Topic](
        *("agreement", "As labels", lambda row: row.agreement),
        hint="Share of a unit’s pairs in the labels’ order, without anchors",
    ),
    Column[Topic]("seconds", "Seconds", lambda row: row.seconds, hint="On a document, median"),
)
REFUSED = Column[Topic](
    *("failed", "Refused", lambda row: row.failed and row.failed.share),
    hint="Presses of Finish with the anchors out of order",
)
OF_SYSTEMS = (
    Column[Topic]("mean", "Mean of systems", lambda row: row.mean),
    Column[Topic]("sd", "Their sd", lambda row: row.sd),
)
DOCUMENTS = (
    Column[Judged]("document", "Document", lambda row: natural(row.doc_id), number=False),
    Column[Judged]("gain", "Gain", lambda row: row.gain),
    Column[Judged]("scores", "Scores", lambda row: len(row.scores)),
    Column[Judged]("label", "Label", lambda row: row.label),
)
UNITS = "units-"  # before the options of the list of units
COUNTS = "0", "1", "2+"  # as Table I counts them
STEPS = {"back": "back steps", "failed": "failed finishes"}
OF_UNITS = (
    Column[Unit]("unit", "Unit", lambda row: natural(row.name), number=False),
    Column[Unit]("worker", "Worker", lambda row: row.worker, number=False),
    Column[Unit]("agreement", "As labels", lambda row: row.agreement),
    Column[Unit]("back", "Back steps", lambda row: row.back_steps),
    Column[Unit]("failed", "Failed finishes", lambda row: row.failed_finishes),
    Column[Unit]("seconds", "Median", lambda row: row.median),
    Column[Unit]("each", "Seconds on each document, as shown", number=False),
)
SYSTEMS = (
    Column[OfSystem]("place", "Place", lambda row: -row.place),
    Column[OfSystem]("run", "System", lambda row: natural(row.run), number=False),
    Column[OfSystem]("value", "Value", lambda row: row.value),
)


@results_page
def topics(request: HttpRequest, slug: str) -> HttpResponse:
    """The topics of a study side by side."""
    query = query_of(request, slug)
    study = query.study
    side_by_side = topic_list.topics(
        study, query.ranking, labels_of(request, study), timezone.now()
    )
    columns = (
        *LISTED,
        *(() if study.is_imported else WITH_UNITS),
        *((REFUSED,) if study.takes_people else ()),
        *(OF_SYSTEMS if query.ranking["results"] else ()),
        Column[Topic]("title", "Title", number=False),
    )
    alphas = sorted((row.alpha, row.query_id) for row in side_by_side.rows if row.alpha is not None)
    context = query.context | {
        "found": side_by_side,
        "zeros": zeros_in_words(side_by_side.unlabelled, not study.is_imported),
        "list": listed(side_by_side.rows, request.GET, columns, "topics"),
        "lowest": alphas[0] if alphas else None,
        "highest": alphas[-1] if alphas else None,
    }
    return render(request, "evaluation/topics.html", context)


def _topic_of(study: Study, query_id: str) -> StudyTopic:
    topic = one_topic.topic_of(study, query_id)
    if topic is None:
        raise Http404(f"There is no topic {query_id} in this study.")
    return topic


@results_page
def topic(request: HttpRequest, slug: str, query_id: str) -> HttpResponse:
    """One topic: its documents by gain, and the systems on it."""
    query = query_of(request, slug)
    study = query.study
    study_topic = _topic_of(study, query_id)
    rows = one_topic.documents(study_topic, labels_of(request, study))
    page = listed(rows, request.GET, DOCUMENTS, "documents")
    axis = axis_of(study, rows)
    context = query.context | {
        "topic": study_topic,
        "list": page,
        "drawn": [(row, _dots(axis, row)) for row in page.rows],
        "scale": sparklines.scale(axis, "Levels" if study.is_graded else "Normalised scores"),
        "best": rows[0] if rows and rows[0].gain is not None else None,
        "best_ones": sum(row.gain == rows[0].gain for row in rows),
        "judged": sum(row.gain is not None for row in rows),
        "is_cut": any(s < axis.low or s > axis.high for row in rows for s in row.scores),
        "anchors": {row.anchor: row.doc_id for row in rows if row.anchor},
        "contradictions": all_contradictions(study, [study_topic])[study_topic.pk],
        "all_scores": sum(len(row.scores) for row in rows),
        **_units(request, study_topic, rows),
        **_systems(request, query, query_id),
        **_checks(study, study_topic),
    }
    return render(request, "evaluation/topic.html", context)


def _units(request: HttpRequest, topic: StudyTopic, pool: Sequence[Judged]) -> dict[str, Any]:
    """The completed units of a topic: all, or those that a cell of Table I counts."""
    if topic.study.is_imported:
        return {}
    every = topic_units.units(topic, pool)
    given = {name: request.GET.get(f"{UNITS}{name}", "") for name in STEPS}
    steps = {name: at for name, at in given.items() if at in COUNTS}
    of_plan = bool(steps) or request.GET.get(f"{UNITS}of") == "plan"
    some = [row for row in every if _is_counted(row, steps) and (row.is_planned or not of_plan)]
    return {
        "units": listed(some, request.GET, OF_UNITS, "units", UNITS, WITH_REASONS),
        "units_open": any(name.startswith(UNITS) for name in request.GET),
        "all_units": len(every),
        "made": topic_units.made(some),
        "zeros": zeros_in_words(len(topic_units.zeros(topic, pool))),
        "counted": [f"{at} {STEPS[name]}" for name, at in steps.items()],
        "left_out": len(every) - len(some) if of_plan else 0,
    }


def _is_counted(row: Unit, steps: dict[str, str]) -> bool:
    """Whether a unit is among those that a cell of Table I counts."""
    own = {"back": row.back_steps, "failed": row.failed_finishes}
    return all(COUNTS[min(own[name], 2)] == at for name, at in steps.items())


def axis_of(study: Study, rows: Sequence[Judged]) -> sparklines.Axis:
    """The axis of a topic's scores: of levels, or of magnitudes by their ratios."""
    if study.is_graded:
        return sparklines.Axis(0, len(study.levels) - 1, whole=True)
    every = [score for row in rows for score in row.scores]
    return sparklines.Axis.of(np.quantile(every, INSIDE) if every else [], log=True)


def _dots(axis: sparklines.Axis, row: Judged) -> str:
    if not row.scores:
        return ""
    says = f"{len(row.scores)} scores, {row.scores[0]:.3g} to {row.scores[-1]:.3g}"
    return sparklines.dots(axis, row.scores, says, row.gain)


def _systems(request: HttpRequest, query: RankingQuery, query_id: str) -> dict[str, Any]:
    """The systems on a topic: which are best, and all of them."""
    rows = one_topic.systems(query.ranking, query_id)
    page = listed(rows, request.GET, SYSTEMS, "systems", "systems-")
    axis = sparklines.Axis.of([0.0, *(row.value for row in rows)])
    return {
        "systems": page,
        "systems_drawn": [
            (row, sparklines.bar(axis, row.value, f"{row.value:.4f}")) for row in page.rows
        ],
        "systems_open": any(name.startswith("systems-") for name in request.GET),
    }


def _checks(study: Study, topic: StudyTopic) -> dict[str, Any]:
    """How often check (c) refused to let a unit of this topic end, and of the others."""
    if study.is_imported:
        return {}
    tallies = tries.by_topic(study)
    rates = {tally.key: tally.rates[topic_list.ANCHORS] for tally in tallies}
    refused = rates.pop(topic.pk)
    others = tries.Rate(
        sum(rate.failures for rate in rates.values()), sum(rate.tries for rate in rates.values())
    )
    return {"refused": refused, "refused_elsewhere": others}


@results_page
def document(request: HttpRequest, slug: str, query_id: str, doc_id: str) -> HttpResponse:
    """One document of a topic: its text, and every score of it with its reason."""
    query = query_of(request, slug)
    study = query.study
    found = document_or_404(study, query_id, doc_id)
    label_set = labels_of(request, study)
    rows = one_topic.documents(_topic_of(study, query_id), label_set)
    place, above, below = one_topic.beside(rows, doc_id)
    own = rows[place]
    axis = axis_of(study, rows)
    context = query.context | {
        "label_set": label_set,
        "document": found,
        "topic": found.study_topic.topic,
        "text": scores.text_of(found),
        "own": own,
        "place": one_topic.place_of(own, rows),
        "judged": sum(row.gain is not None for row in rows),
        "above": above,
        "below": below,
        "strip": _dots(axis, own),
        "scale": sparklines.scale(axis, "Levels" if study.is_graded else "Normalised scores"),
        **_scores(request, found),
    }
    return render(request, "evaluation/document.html", context)


def _scores(request: HttpRequest, document: PooledDocument) -> dict[str, Any]:
    """Every score of a document, the highest first, some at a time."""
    study = document.study_topic.study
    if study.is_imported:
        page = listed(
            scores.given_elsewhere(document), request.GET, (), "opinions", size=WITH_REASONS
        )
        return {"list": page, "opinions": page.rows, "all_opinions": page.all}
    every = scores.of_document(document)
    some = listed(every, request.GET, (), "scores", size=WITH_REASONS)
    return {
        "list": some,
        "scores": some.rows,
        "all_scores": some.all,
        "unscaled": any(score.normalised is None for score in some.rows),
    }
