"""Topics side by side: agreement, spread, failures, time, and the systems' scores."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evaluation.analyses import papers
from evaluation.analyses.analysis import Analysis
from evaluation.analyses.question import first_counted
from evaluation.presentation import plots, strips
from evaluation.presentation.heads import heading
from evaluation.presentation.parts import Analysed, Figure, Table, Tell, number, p_value, span
from evaluation.study import comparing
from evaluation.study.data import Floats, Ints, StudyData
from evaluation.study.topics import TopicData
from judging.models import Study
from magnitudes.agreement.alpha import krippendorff_alpha
from magnitudes.agreement.units import unit_agreement
from magnitudes.comparison.rank_correlation import MAX_EXACT, N_RESAMPLES, holm, spearman
from magnitudes.comparison.top_set import LEVEL
from magnitudes.files.words import count
from magnitudes.measures.names import Measure
from magnitudes.spread.spread import spread

ENOUGH = 5  # topics, for a correlation to be said
MOST_LINES = 40  # topics that are drawn below each other; more are strips of dots
ROW = 15
Mask = NDArray[np.bool_]
OF_MAGNITUDES = (
    "Alpha: Krippendorff's, ratio level, of the first ten normalised scores of each document. "
    "Median max / min: of the largest to the smallest normalised score of a document."
)
OF_LEVELS = "Alpha: Krippendorff's, ordinal level, of the first ten levels of each document."
OF_IMPORTED = "Alpha: Krippendorff's, ordinal level, of all levels of each document."
OF_IMPORTED_MAGNITUDES = OF_MAGNITUDES.replace("the first ten", "all")
NOTES = (
    "Unit agreement: share of a unit's pairs of documents with different labels that are not in "
    "the wrong order, in the mean over units.",
    "A cell is empty where nothing can be said: no document with scores of two workers, or all "
    "scores equal (alpha); no unit with documents of different labels (agreement); no system.",
)


class Topic(NamedTuple):
    """A topic, how many of its documents are judged, and in how many units or judgments."""

    topic: str
    title: str
    documents: int
    units: int


class Together(NamedTuple):
    """How two aspects go together over topics; p for this pair alone, and corrected for all.

    same_scores: "yes" where both are computed from the same scores, and so go together anyway.
    """

    one: str
    other: str
    topics: int
    spearman: float
    p: float
    p_of_all: float
    same_scores: str


class Aspect(NamedTuple):
    """Something that topics are compared by; panel: empty where only the anchors are left out."""

    column: str
    panel: str
    values: Floats  # (topics,)

    @property
    def of_scores(self) -> bool:
        """Whether it is computed from the scores, and not from how they came about."""
        return self.column not in ("failed", "median_seconds")


@dataclass(frozen=True)
class Found:
    """The topics, and what they are compared by: alpha first."""

    study: Study
    topics: list[Topic]
    aspects: list[Aspect]
    together: list[Together]  # the strongest first

    @property
    def shown(self) -> list[Aspect]:
        """Those of which there is something to draw."""
        return [a for a in self.aspects if a.panel and not np.isnan(a.values).all()]

    @property
    def alphas(self) -> Floats:
        return self.aspects[0].values


def analyse(data: StudyData, tell: Tell) -> Analysed:
    """Everything that tells topics apart, as dots, and how it goes together."""
    if not data.topics:
        return Analysed(["No unit is completed yet: there is no topic to look at."])
    found = compute(data, tell)
    if len(found.topics) == 1:
        return Analysed(
            ["There is one topic, and none to compare it with."], [_side_by_side(found)]
        )
    together = [_strongest(found)] if len(found.shown) > 1 else []
    return Analysed([_range(found), *together], [*figures(found), *tables(found)])


def compute(data: StudyData, tell: Tell) -> Found:
    aspects, named = [], _aspects(data.study)
    for column, (panel, value) in named.items():
        values = [value(topic) for topic in data.with_zeros.topics]
        aspects.append(Aspect(column, panel, np.array(values)))
        tell(len(aspects) / len(named))
    topics = [
        Topic(topic.query_id, topic.title, int((topic.counts > 0).sum()), len(topic.scores))
        for topic in data.topics
    ]
    return Found(data.study, topics, aspects, _together(aspects, data.seed))


def _aspects(study: Study) -> dict[str, tuple[str, Callable[[TopicData], float]]]:
    """By column: the panel, and how it is had of a topic."""
    level, first = "ordinal" if study.is_graded else "ratio", first_counted(study)

    def alpha(topic: TopicData, which: Mask) -> float:
        values, items = topic.normalised[which], topic.places[which]
        judges = np.broadcast_to(topic.workers[:, np.newaxis], topic.places.shape)[which]
        return krippendorff_alpha(values, items, level, first, judges=judges).alpha

    measure = comparing.first(study)
    aspects = {
        "alpha": ("alpha", lambda topic: alpha(topic, topic.places >= 0)),
        "alpha_no_anchors": ("", lambda topic: alpha(topic, _others(topic))),
        **ASPECTS,
        "mean_ndcg": ("mean nDCG", lambda topic: _ndcg(topic, measure)),
    }
    left_out = ("median_ratio",) if study.is_graded else ()
    columns = ("alpha", "median_ratio", "mean_ndcg") if study.is_imported else aspects
    return {column: aspects[column] for column in columns if column not in left_out}


def _others(topic: TopicData) -> Mask:
    """Which judgments are not of anchors."""
    return (topic.places != topic.h_k) & (topic.places != topic.n_k)


def _middle(values: Floats, how: Callable[[Floats], Any] = np.mean) -> float:
    """The mean, or the like, of those that are defined."""
    known = values[~np.isnan(values)]
    return float(how(known)) if known.size else np.nan


def _agreement(topic: TopicData, labels: Floats) -> float:
    return _middle(unit_agreement(topic.scores, labels).shares)


def _ratio(topic: TopicData) -> float:
    items = topic.places.ravel()
    return _middle(spread(topic.normalised.ravel(), items, len(topic.doc_ids)).ratio, np.median)


def _ndcg(topic: TopicData, measure: Measure) -> float:
    if not len(topic.lists):
        return np.nan
    return _middle(comparing.measure([topic], [comparing.magnitudes(topic)], measure).values)


ASPECTS: dict[str, tuple[str, Callable[[TopicData], float]]] = {
    "median_ratio": ("max / min", _ratio),
    "unit_agreement": ("agreement", lambda topic: _agreement(topic, topic.shown_labels)),
    "unit_agreement_no_anchors": (
        "",
        lambda topic: _agreement(topic, np.where(_others(topic), topic.shown_labels, np.nan)),
    ),
    "failed": ("failed finish", lambda topic: float((topic.failed > 0).mean())),
    "median_seconds": ("seconds", lambda topic: float(np.median(topic.seconds))),
}


def _together(aspects: Sequence[Aspect], seed: int) -> list[Together]:
    """Pairs that have values on enough topics, not all the same."""
    rows = []
    for first, second in combinations([aspect for aspect in aspects if aspect.panel], 2):
        both = ~np.isnan(first.values + second.values)
        x, y = first.values[both], second.values[both]
        if len(x) >= ENOUGH and np.ptp(x) > 0 and np.ptp(y) > 0:
            tested = spearman(x, y, seed=seed)
            same = "yes" if first.of_scores and second.of_scores else "no"
            names = heading(first.column), heading(second.column)
            rows.append(Together(*names, len(x), tested.rho, tested.p, np.nan, same))
    corrected = holm([row.p for row in rows]).tolist()
    rows = [row._replace(p_of_all=p) for row, p in zip(rows, corrected, strict=True)]
    return sorted(rows, key=lambda row: -abs(row.spearman))


def _range(found: Found) -> str:
    alphas, topics = found.alphas, count(len(found.topics), "topic")
    if np.isnan(alphas).all():
        return f"{topics}; alpha is not defined on any."
    low, high = (
        (number(alphas[place]), found.topics[place].topic)
        for place in (np.nanargmin(alphas), np.nanargmax(alphas))
    )
    between = f"from {low[0]} (topic {low[1]}) to {high[0]} (topic {high[1]})"
    if low[0] == high[0]:
        between = f"{low[0]} wherever it is defined"
    alone = found.study.is_graded or not papers.is_comparable(found.study)
    paper = "" if alone else "; the paper found .323 over all of its 18"
    return f"On {topics}, Krippendorff's alpha is {between}{paper}."


def _strongest(found: Found) -> str:
    if len(found.topics) < ENOUGH:
        return f"How these go together is said from {ENOUGH} topics on."
    if not found.together:
        return "None of these has values on enough topics to go together with another."
    looked = f"Spearman's correlation, corrected for {count(len(found.together), 'pair')}"
    claimed = [row for row in found.together if row.same_scores == "no" and row.p_of_all < LEVEL]
    if not claimed:
        return (
            f"No two of these are significantly correlated over topics ({looked}){_aside(found)}."
        )
    row = claimed[0]
    return (
        f"Over {row.topics} topics, {row.one} and {row.other} are most strongly correlated: "
        f"{number(row.spearman)}, {p_value(row.p_of_all)} ({looked}){_aside(found)}."
    )


def _aside(found: Found) -> str:
    """That some pairs are not spoken of, where there are any."""
    same = any(row.same_scores == "yes" for row in found.together)
    return "; pairs computed from the same scores are left aside" if same else ""


def figures(found: Found) -> Iterator[Figure]:
    shown, alphas = found.shown, np.nan_to_num(found.alphas, nan=-np.inf)
    if not shown:
        return
    places = np.argsort(-alphas, kind="stable")
    names = [found.topics[place].topic for place in places]
    panels = [aspect.panel for aspect in shown]
    differ = ", ".join(map(_differ, [shown[0], *shown[1:][-1:]]))
    if few := len(names) <= MOST_LINES:
        chart = _panels(panels, names)
        marks = [mark for aspect in shown for mark in _marks(aspect, names, places)]
    else:
        dots = {aspect.panel: _dots(aspect, names, places) for aspect in shown}
        chart = _strips(panels, max(map(strips.height, dots.values())))
        marks = [{"panel": panel, **dot} for panel, each in dots.items() for dot in each]
    yield Figure(
        "side-by-side",
        f"By topic: {differ}",
        f"{'Topics with the highest alpha are on top' if few else 'A dot a topic'}; dashed: means "
        "over topics.",
        chart,
        {"topics": marks},
        ("topic", *(aspect.column for aspect in shown)),
        list(zip(names, *(aspect.values[places] for aspect in shown), strict=True)),
        reading="Look for topics far from the others"
        + (", and for panels that rise or fall together." if few and len(shown) > 1 else "."),
    )


def _dots(aspect: Aspect, names: Sequence[str], places: Ints) -> list[dict[str, Any]]:
    """Every topic's, stacked where they are close; and the mean."""
    values = aspect.values[places]
    says = [
        f"topic {topic}: {aspect.panel} {number(v)}" for topic, v in zip(names, values, strict=True)
    ]
    return [*strips.rows(values, names, says), {"mean": _middle(aspect.values), "up": 0}]


def _strips(panels: list[str], tall: int) -> Any:
    """A strip for each aspect, each on its own axis."""
    mean = plots.rule_at("topics", x=plots.axis("mean", None))
    layers = plots.layer(strips.strip("topics", None, None, tall), mean)
    return plots.panels(layers, "panel", panels, columns=1, height=tall, apart=True)


def _marks(aspect: Aspect, names: Sequence[str], places: Ints) -> Iterator[dict[str, Any]]:
    """The mean, and a dot for each topic that is drawn."""
    panel = aspect.panel
    yield {"panel": panel, "mean": _middle(aspect.values)}
    for topic, value in zip(names, aspect.values[places].tolist(), strict=True):
        name = f"topic {topic}: {panel} {number(value)}"
        yield {"panel": panel, "topic": topic, "value": value, "name": name}


def _differ(aspect: Aspect) -> str:
    ends = np.nanmin(aspect.values), np.nanmax(aspect.values)
    return f"{aspect.panel} {span(*ends, lambda end: number(end, 2))}"


def _panels(panels: list[str], names: list[str]) -> Any:
    across, down = plots.axis("value", None, ticks=2), plots.names("topic", names)
    dots = plots.points("topics", across, down, opacity=1)
    layers = plots.layer(dots, plots.rule_at("topics", x=plots.axis("mean", None)))
    columns, tall = min(len(panels), 3), ROW * len(names)
    return plots.panels(layers, "panel", panels, columns, height=tall, apart=True)


def tables(found: Found) -> Iterator[Table]:
    yield _side_by_side(found)
    if rows := found.together:
        yield Table(
            "together",
            "How aspects of topics go together",
            Together,
            rows,
            (
                "Spearman's rank correlation over topics. p: by a permutation test, of all orders "
                f"up to {MAX_EXACT} topics and of {N_RESAMPLES:,} drawn ones beyond, for each pair "
                f"alone; p of all: corrected for {count(len(rows), 'pair')} (Holm). Aspects that "
                "are computed from the same scores are correlated anyway: of those nothing is "
                "claimed. Pairs are left out where one has no value on enough "
                "topics, or the same on all.",
            ),
        )


def _side_by_side(found: Found) -> Table:
    """With units, if the study was judged here."""
    study = found.study
    units, alpha = "units", OF_LEVELS if study.is_graded else OF_MAGNITUDES
    if study.is_imported:
        units, alpha = "judgments", OF_IMPORTED if study.is_graded else OF_IMPORTED_MAGNITUDES
    values = np.column_stack([aspect.values for aspect in found.aspects]).tolist()
    return Table(
        "topics",
        "Topics side by side",
        (*Topic._fields[:-1], units, *(aspect.column for aspect in found.aspects)),
        [(*topic, *row) for topic, row in zip(found.topics, values, strict=True)],
        (
            alpha,
            *(() if study.is_imported else NOTES),
            f"Mean nDCG: {comparing.first(study)} averaged over all systems.",
        ),
    )


ANALYSIS = Analysis("topics", "How do topics differ?", analyse, counts_unlabelled=True)
