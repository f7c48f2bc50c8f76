"""Topics side by side: agreement, spread, failures, time, and the systems' scores."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from scipy import stats

from evaluation.agreement.alpha import krippendorff_alpha
from evaluation.agreement.units import unit_agreement
from evaluation.analyses.analysis import Analysis
from evaluation.analyses.question import first_counted
from evaluation.analyses.study import comparing as systems
from evaluation.analyses.study.data import Floats, StudyData, TopicData
from evaluation.analyses.telling import plots
from evaluation.analyses.telling.parts import Analysed, Figure, Table, Tell, number, span
from evaluation.spread.spread import spread
from judging.models import Study
from trec.words import count

ENOUGH = 5  # topics, for a correlation to be said
MOST_DRAWN = 40
ROW = 15
MEASURE = systems.MEASURES[0]


@dataclass(frozen=True)
class Aspect:
    """Something that topics are compared by: a column, a panel's name, and how it is had."""

    column: str
    panel: str
    of: Callable[[TopicData], float]


def _alpha(topic: TopicData, keep: Any, level: str, first: int | None) -> float:
    values, items = topic.normalised[keep], topic.places[keep]
    return krippendorff_alpha(values, items, level, first).alpha if items.size else np.nan


def _all(topic: TopicData) -> Any:
    return np.full(topic.places.shape, True)


def _agreement(topic: TopicData, labels: Floats) -> float:
    found = unit_agreement(topic.scores, labels).shares
    return _mean(found)


def _others(topic: TopicData) -> Any:
    return (topic.places != topic.h_k) & (topic.places != topic.n_k)


def _mean(values: Floats) -> float:
    defined = values[~np.isnan(values)]
    return float(defined.mean()) if defined.size else np.nan


def _ratio(topic: TopicData) -> float:
    found = spread(topic.normalised.ravel(), topic.places.ravel(), len(topic.doc_ids)).ratio
    defined = found[~np.isnan(found)]
    return float(np.median(defined)) if defined.size else np.nan


def _systems(topic: TopicData) -> float:
    if not len(topic.lists):
        return np.nan
    return _mean(systems.measure([topic], [systems.magnitudes(topic)], MEASURE).values)


# A panel's name, or none where what differs is only that anchors are left out.
RATIO = Aspect("median_ratio", "max / min", _ratio)
NDCG = Aspect("mean_ndcg", "mean nDCG", _systems)
OF_BOTH = (
    Aspect("unit_agreement", "agreement", lambda topic: _agreement(topic, topic.shown_labels)),
    Aspect(
        "unit_agreement_no_anchors",
        "",
        lambda topic: _agreement(topic, np.where(_others(topic), topic.shown_labels, np.nan)),
    ),
    Aspect("failed", "failed finish", lambda topic: float((topic.failed > 0).mean())),
    Aspect("median_seconds", "seconds", lambda topic: float(np.median(topic.seconds))),
    NDCG,
)


def _aspects(data: StudyData) -> tuple[Aspect, ...]:
    """What the topics of a study are compared by; alpha is the first."""
    graded = data.study.is_graded
    level, first = "ordinal" if graded else "ratio", first_counted(data.study)
    alpha = Aspect("alpha", "alpha", lambda topic: _alpha(topic, _all(topic), level, first))
    if not data.has_anchors:
        return alpha, NDCG
    return (
        alpha,
        Aspect("alpha_no_anchors", "", lambda topic: _alpha(topic, _others(topic), level, first)),
        *(() if graded else (RATIO,)),
        *OF_BOTH,
    )


def _main(aspects: Sequence[Aspect]) -> list[int]:
    """The places of those that are drawn."""
    return [place for place, aspect in enumerate(aspects) if aspect.panel]


OF_MAGNITUDES = (
    "alpha: Krippendorff's, ratio level, of the first ten normalised scores of each document. "
    "median ratio: of the largest to the smallest normalised score of a document."
)
OF_LEVELS = "alpha: Krippendorff's, ordinal level, of the first ten levels of each document."
OF_IMPORTED = "alpha: Krippendorff's, ordinal level, of all levels of each document."
OF_SYSTEMS = f"mean ndcg: {MEASURE} of all systems, in the mean."
NOTES = (
    "unit agreement: share of a unit's pairs of documents with different labels that are not in "
    "the wrong order, in the mean over units. failed: share of completed units with a failed press "
    f"of Finish. {OF_SYSTEMS}",
    "A cell is empty where nothing can be said: no document with two scores, or all scores equal "
    "(alpha); no unit with documents of different labels (agreement); no system.",
)


def _of_alpha(study: Study) -> str:
    """Which scores alpha is of."""
    if study.is_imported:
        return OF_IMPORTED
    return OF_LEVELS if study.is_graded else OF_MAGNITUDES


def analyse(data: StudyData, tell: Tell) -> Analysed:
    """Everything that tells topics apart, as dots, and how it goes together."""
    if not data.topics:
        return Analysed(["No unit is completed yet: there is no topic to look at."])
    found, aspects = [], _aspects(data)
    for done, topic in enumerate(data.topics, 1):
        found.append([aspect.of(topic) for aspect in aspects])
        tell(done / len(data.topics))
    values = np.array(found)
    table = _table(data, aspects, values)
    if len(data.topics) == 1:
        return Analysed(["There is one topic, and none to compare it with."], [table])
    drawn = not np.isnan(values[:, _main(aspects)]).all()
    parts: list[Figure | Table] = [*([_figure(data, aspects, values)] if drawn else []), table]
    says = [_range(data, values[:, 0])]
    if len(data.topics) >= ENOUGH:
        together = _together(aspects, values)
        says.append(_strongest(together))
        parts += [together] if together.rows else []
    else:
        says.append(f"How these go together is said from {ENOUGH} topics on.")
    return Analysed(says, parts)


def _range(data: StudyData, alphas: Floats) -> str:
    if np.isnan(alphas).all():
        return f"{count(len(data.topics), 'topic')}; alpha is not defined on any."
    low, high = int(np.nanargmin(alphas)), int(np.nanargmax(alphas))
    return (
        f"On {count(len(data.topics), 'topic')}, Krippendorff's alpha is "
        + (
            f"{number(alphas[low])} wherever it is defined"
            if number(alphas[low]) == number(alphas[high])
            else f"from {number(alphas[low])} (topic {data.topics[low].query_id}) to "
            f"{number(alphas[high])} (topic {data.topics[high].query_id})"
        )
        + ("." if data.study.is_graded else "; the paper found .323 over all of its 18.")
    )


def _table(data: StudyData, aspects: Sequence[Aspect], values: Floats) -> Table:
    counted, notes = ("units", NOTES) if data.has_anchors else ("judgments", [OF_SYSTEMS])
    return Table(
        "topics",
        "Topics side by side",
        (*("topic", "title", "documents", counted), *(aspect.column for aspect in aspects)),
        [
            (topic.query_id, topic.title, int((topic.counts > 0).sum()), len(topic.scores), *row)
            for topic, row in zip(data.topics, values.tolist(), strict=True)
        ],
        (_of_alpha(data.study), *notes),
    )


def _figure(data: StudyData, aspects: Sequence[Aspect], values: Floats) -> Figure:
    drawn = np.argsort(-np.nan_to_num(values[:, 0], nan=-np.inf), kind="stable")[:MOST_DRAWN]
    names = [data.topics[topic].query_id for topic in drawn.tolist()]
    shown = [place for place in _main(aspects) if not np.isnan(values[:, place]).all()]
    rows: list[dict[str, Any]] = []
    for place in shown:
        panel = aspects[place].panel
        rows.append({"panel": panel, "mean": _mean(values[:, place])})
        for topic, name in zip(drawn.tolist(), names, strict=True):
            value = float(values[topic, place])
            said = f"topic {name}: {panel} {number(value)}"
            rows.append({"panel": panel, "topic": name, "value": value, "name": said})
    cut = (
        f" The {MOST_DRAWN} topics of highest alpha are drawn." if len(names) < len(values) else ""
    )
    return Figure(
        "side-by-side",
        _differ(aspects, values, shown),
        "Topics with the highest alpha are on top; dashed lines are means over topics. Look for "
        f"topics far from the others, and for panels that rise or fall together.{cut}",
        _panels([aspects[place].panel for place in shown], names),
        {"topics": rows},
        ("topic", *(aspects[place].column for place in shown)),
        [(names[n], *values[topic, shown].tolist()) for n, topic in enumerate(drawn.tolist())],
    )


def _differ(aspects: Sequence[Aspect], values: Floats, shown: list[int]) -> str:
    """The finding: the first and the last panel."""
    said = [
        f"{aspects[place].panel} {span(np.nanmin(of), np.nanmax(of), lambda end: number(end, 2))}"
        for place in dict.fromkeys((shown[0], shown[-1]))
        for of in [values[:, place]]
    ]
    return f"Topics differ: {', '.join(said)}"


def _panels(panels: list[str], names: list[str]) -> Any:
    data = plots.alt.NamedData("topics")  # one and the same, so that panels may divide it
    ticks: dict[str, Any] = {"tickCount": 2, "labelSeparation": 8}
    mean = plots.rule_at("topics", along=plots.x("mean", None, **ticks))
    across, down = plots.x("value", None, **ticks), plots.down("topic", names)
    dots = plots.points("topics", across, down, opacity=1)
    mean.data = dots.data = data
    layers = plots.alt.layer(
        mean.transform_filter("isValid(datum.mean)"), dots.transform_filter("isValid(datum.value)")
    )
    faceted = plots.panels(layers, "panel", panels, height=ROW * len(names))
    return faceted.resolve_scale(x="independent")


def _together(aspects: Sequence[Aspect], values: Floats) -> Table:
    rows = []
    for one, other in combinations(_main(aspects), 2):
        both = ~np.isnan(values[:, [one, other]]).any(axis=1)
        x, y = values[both, one], values[both, other]
        if len(x) < ENOUGH or not (np.ptp(x) > 0 and np.ptp(y) > 0):
            continue
        rho, p = stats.spearmanr(x, y)
        names = aspects[one].column, aspects[other].column
        rows.append((*names, len(x), float(rho), float(p)))
    rows.sort(key=lambda row: -abs(row[3]))
    return Table(
        "together",
        "How they go together over topics",
        ("one", "other", "topics", "spearman", "p"),
        rows,
        (
            f"Spearman's rank correlation over topics; p of its t approximation, for each alone: "
            f"of {len(rows)} that are looked at, {number(len(rows) * 0.05, 2)} are expected below "
            ".05 by chance. Pairs are left out where one has no value on enough topics, or the "
            "same on all.",
        ),
    )


def _strongest(table: Table) -> str:
    if not table.rows:
        return "None of these has values on enough topics to go together with another."
    one, other, topics, rho, p = table.rows[0]
    return (
        f"Over {topics} topics, {one.replace('_', ' ')} and {other.replace('_', ' ')} go together "
        f"most: Spearman's correlation {number(rho)} (p = {number(p, 2)}), the strongest of "
        f"{len(table.rows)} that were looked at."
    )


ANALYSIS = Analysis("topics", "How do topics differ?", analyse)
