"""Whether there are enough judges and topics to tell systems apart, and which more would help."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from math import ceil
from typing import NamedTuple

import numpy as np

from evaluation.analyses.analysis import Analysis, Numbers
from evaluation.analyses.study import comparing
from evaluation.analyses.study.data import Floats, StudyData
from evaluation.analyses.telling import plots
from evaluation.analyses.telling.parts import Analysed, Figure, Table, Tell, percent
from evaluation.comparison import variance_components as parts
from evaluation.comparison.drawing import Topic
from evaluation.comparison.halves import halves, single_scores, whole_judges
from evaluation.comparison.recomputing import Recompute, recompute
from evaluation.comparison.variance_components import Components, Squares
from evaluation.measures.names import Measure
from trec.words import count

MEASURE = comparing.MEASURES[0]
TIMES = 1, 1.5, 2  # judges, and topics
DIFFERENCES = 0.02, 0.05, 0.1  # that systems might truly have; never those observed
SPLITS = 20  # of each kind
DRAWS = 300  # of topics, for intervals
LEAST = 8  # topics
HALF = 0.5  # of the variance
ENDS = 0.025, 0.975
TOPICS, JUDGES, EITHER = "topics matter most", "judges matter most", "cannot say"
KINDS = {
    "judges as now": ("circle", plots.MARK),
    "judges × 1.5": ("diamond", plots.OTHER),
    "judges × 2": ("triangle-up", plots.INK),
}


class Size(NamedTuple):
    """What can be expected of a study with so many times the judges and topics, and its cost."""

    judges_times: float
    topics_times: float
    judges: float  # of a document
    topics: int
    half_width: float
    low: float
    high: float
    shares: tuple[float, ...]  # of pairs told apart, by DIFFERENCES
    share_ends: tuple[tuple[float, float], ...]
    units: int
    cost: float  # with the platform's fee; NaN: nothing is paid
    is_there: bool  # the collection has as many topics


@dataclass(frozen=True)
class Found:
    """Parts of the variance of an average pair, what they promise, and what is said of them."""

    measure: Measure
    systems: int
    topics: int
    judges: float  # of a document, at the median
    components: Components
    ends: dict[str, tuple[float, float]]  # of topic, judge, rest, and of the share of topics
    sizes: list[Size]
    collection: int  # topics that it has
    is_imported: bool
    currency: str
    seed: int

    @property
    def share(self) -> float:
        """That topics have of the variance of a difference."""
        return float(self.components.topic / self.components.total)

    @property
    def verdict(self) -> str:
        low, high = self.ends["share"]
        if self.topics < LEAST or (not low > HALF and not high < HALF):
            return EITHER
        return TOPICS if low > HALF else JUDGES

    @property
    def now(self) -> Size:
        return self.sizes[0]

    def size(self, judges: float, topics: float) -> Size:
        return next(
            row for row in self.sizes if (row.judges_times, row.topics_times) == (judges, topics)
        )


def analyse(data: StudyData, tell: Tell) -> Analysed:
    """Variance components of paired differences, and what other sizes of the study would give."""
    if reason := why_not(data):
        return Analysed([reason], numbers={"verdict": EITHER})
    squares = measured(data, lambda share: tell(0.8 * share))
    if not np.ptp(squares.values, axis=1).any():
        reason = f"All systems have the same {MEASURE} on every topic: they cannot be told apart."
        return Analysed([reason], numbers={"verdict": EITHER})
    found = compute(data, squares)
    return Analysed([*says(found)], [figure(found), *tables(found)], numbers(found))


def why_not(data: StudyData) -> str:
    """Why nothing can be said; empty where something can."""
    if len(data.runs) < 2:
        return "There are fewer than two runs: no systems to tell apart."
    if len(data.topics) < LEAST:
        return (
            "Cannot say yet: how far topics differ cannot be told from "
            f"{count(len(data.topics), 'topic')}. It takes {LEAST}."
        )
    if judges_of(data) < 2:
        return (
            "Cannot say: most documents have one score, which does not tell how far judges differ."
        )
    return ""


def judges_of(data: StudyData) -> float:
    """How many scores a judged document has, at the median."""
    counts = data.documents.counts[data.documents.counts > 0]
    return float(np.median(counts)) if counts.size else 0.0


def measured(data: StudyData, tell: Tell) -> Squares:
    """The values of all systems, and how those by two halves of the judges lie apart."""
    rng = np.random.default_rng(data.seed)
    judges = np.split(data.judgments.workers, np.cumsum([t.places.size for t in data.topics])[:-1])
    rows = []
    for done, (topic, of_topic) in enumerate(zip(data.topics, judges, strict=True), 1):
        drawable = comparing.drawable(topic, topic.lists)
        again = recompute(drawable, MEASURE)
        whole = [whole_judges(of_topic, drawable.documents, rng) for _ in range(SPLITS)]
        single = [single_scores(drawable.documents, rng) for _ in range(SPLITS)]
        values = again(drawable.aggregated[:, np.newaxis])[:, 0]
        rows.append((values, *(_apart(drawable, again, some) for some in (whole, single))))
        tell(done / len(data.topics))
    return parts.checked(Squares(*map(np.stack, zip(*rows, strict=True))))


def _apart(topic: Topic, again: Recompute, splits: list[np.ndarray]) -> Floats:
    """(systems, systems): the mean of scale · δδᵀ over splits; 0 where nothing can be split."""
    first, second, scale = halves(topic.scores, topic.documents, topic.size, splits)
    delta = again(first) - again(second)
    table: Floats = np.nan_to_num(scale) * (delta @ delta.T) / len(splits)
    return table


def compute(data: StudyData, squares: Squares) -> Found:
    topics, study = len(squares.values), data.study
    again = [squares, *parts.resampled(squares, parts.drawn_topics(topics, DRAWS, data.seed))]
    averages = [parts.of_average_pair(each) for each in again]
    pairs = [parts.of_pairs(each) for each in again]
    units = len(data.units)
    collection = max(data.topics_there, topics)
    cost = float(study.payment or 0) * (1 + float(study.platform_fee or 0))
    sizes = []
    for topics_times, judges_times in product(TIMES, TIMES):
        many = round(topics * topics_times)
        width, *widths = (
            float(parts.half_width(each.of_one_topic(judges_times), many)) for each in averages
        )
        share, *shares = (
            tuple(
                float(parts.told_apart(each.of_one_topic(judges_times), many, away).mean())
                for away in DIFFERENCES
            )
            for each in pairs
        )
        more = ceil(units * many / topics * judges_times)
        sizes.append(
            Size(
                judges_times,
                topics_times,
                judges_of(data) * judges_times,
                many,
                width,
                *_ends(widths),
                share,
                tuple(map(_ends, zip(*shares, strict=True))),
                more,
                more * cost if cost else np.nan,
                many <= collection,
            )
        )
    ends = {
        name: _ends([float(getattr(each, name)) for each in averages[1:]])
        for name in ("topic", "judge", "rest")
    }
    ends["share"] = _ends([float(each.topic / each.total) for each in averages[1:] if each.total])
    return Found(
        *(MEASURE, len(data.runs), topics, judges_of(data), averages[0], ends, sizes, collection),
        *(study.is_imported, study.currency, data.seed),
    )


def _ends(values: list[float] | tuple[float, ...]) -> tuple[float, float]:
    low, high = np.quantile(values, ENDS).tolist()
    return low, high


def says(found: Found) -> Iterator[str]:
    low, high = found.ends["share"]
    now, twice_topics, twice_judges = found.now, found.size(1, 2), found.size(2, 1)
    yield (
        f"{headline(found)} Of what makes a difference of two systems uncertain, "
        f"{percent(found.share)} is that topics differ (95% interval {percent(low)} to "
        f"{percent(high)})."
    )
    yield (
        f"By {found.measure}, a difference of two systems is known to ±{now.half_width:.3f} "
        f"({now.low:.3f} to {now.high:.3f}). With twice the topics it would be "
        f"±{twice_topics.half_width:.3f}, with twice the judges ±{twice_judges.half_width:.3f}; "
        "either costs as much."
    )
    yield (
        f"If two systems truly differed by {DIFFERENCES[1]:g}, {percent(now.shares[1])} of pairs "
        "would be told apart (paired t-test, each pair alone, .05)."
    )
    yield from _limits(found)


def headline(found: Found) -> str:
    """The finding in a sentence, which says no more than the interval does."""
    return {
        TOPICS: "Topics matter more than judges: more topics would help most.",
        JUDGES: "Judges matter more than topics: more of either would help.",
        EITHER: "Cannot say whether more topics or more judges would help.",
    }[found.verdict]


def _limits(found: Found) -> Iterator[str]:
    if found.collection <= found.topics:
        yield "The collection has no more topics: for more, another collection is needed."
    elif found.collection < 2 * found.topics:
        more = count(found.collection - found.topics, "more topic")
        yield f"The collection has no more than {more}."
    raws = zip(("topics", "judges"), found.components.raw, strict=True)
    below = [name for name, raw in raws if raw < 0]
    if below:
        yield f"The estimate for {' and '.join(below)} came out below 0 and is taken as 0."


def figure(found: Found) -> Figure:
    names = dict(zip(TIMES, KINDS, strict=True))
    rows = [
        {
            "topics": f"{size.topics} topics",
            "judges": names[size.judges_times],
            "half_width": size.half_width,
            "low": size.low,
            "high": size.high,
            "name": f"{size.topics} topics, {size.judges:g} judges: ±{size.half_width:.3f}",
        }
        for size in found.sizes
    ]
    down = plots.down("topics", list(dict.fromkeys(str(row["topics"]) for row in rows)))
    chart = plots.intervals_of_kinds(
        "sizes", "half_width", f"half-width of a difference, {found.measure}", down, "judges", KINDS
    )
    return Figure(
        "half-widths",
        headline(found).rstrip("."),
        "Dots: half of the 95% interval of a difference of two systems, in the mean over pairs, "
        "for so many topics and judges; lines: its 95% interval. Further left is better.",
        plots.sized(chart, 180, plots.WIDTH - 110),
        {"sizes": rows},
        ("topics", "judges", "half_width", "low", "high"),
        [tuple(row.values())[:5] for row in rows],
    )


def tables(found: Found) -> Iterator[Table]:
    yield _sizes(found)
    yield Table(
        "components",
        f"Variance of a difference on one topic by {found.measure}, in the mean over pairs",
        ("part", "variance", "low", "high", "share"),
        [
            (name, float(part), *found.ends[key], float(part / found.components.total))
            for name, key, part in (
                ("topics", "topic", found.components.topic),
                ("judges", "judge", found.components.judge),
                ("single scores", "rest", found.components.rest),
            )
        ],
        (
            "judges: what a person does to all documents of a topic that they judge; single "
            "scores: what a score has of its own. Both as they are with the judges of now, "
            f"{found.judges:g} a document; more divide them. Set equal to expected mean squares, "
            "with two halves of the judges for two crowds; cut at 0.",
        ),
    )


def _sizes(found: Found) -> Table:
    cost = f"cost_{found.currency}" if found.currency else "cost"
    shares = tuple(f"told_apart_{away:g}" for away in DIFFERENCES)
    work = "opinions" if found.is_imported else "units"
    has_cost = not np.isnan(found.now.cost)
    rows = [
        (
            *(size.topics, size.judges, size.half_width, size.low, size.high, *size.shares),
            size.units,
            *([size.cost] if has_cost else []),
            "yes" if size.is_there else "no",
        )
        for size in found.sizes
    ]
    return Table(
        "sizes",
        "What more topics or more judges would give",
        (
            *("topics", "judges", "half_width", "low", "high", *shares, work),
            *([cost] if has_cost else []),
            "collection_has_topics",
        ),
        rows,
        (
            "half_width: of the 95% t interval of a difference, in the mean over pairs; low, high: "
            f"its 95% interval, by {DRAWS} draws of topics (seed {found.seed}). told_apart: the "
            "share of pairs that a paired t-test, each pair alone, at .05 would tell apart if they "
            "truly differed by so much.",
        ),
    )


def numbers(found: Found) -> dict[str, object]:
    """For scripts, and for the overview's card."""
    return {
        "verdict": found.verdict,
        "share_of_topics": found.share,
        "share_low": found.ends["share"][0],
        "share_high": found.ends["share"][1],
        "half_width": found.now.half_width,
        "half_width_low": found.now.low,
        "half_width_high": found.now.high,
        "half_width_twice_topics": found.size(1, 2).half_width,
        "half_width_twice_judges": found.size(2, 1).half_width,
        "told_apart_.05": found.now.shares[1],
        "no_more_topics": found.collection <= found.topics,
    }


def methods(data: StudyData, numbers: Numbers) -> str:
    if "half_width" not in numbers:
        return ""
    return (
        "Variance components of paired differences of systems (topic, judge within topic, rest) "
        f"were estimated from expected mean squares, with {SPLITS} splits of the judges of each "
        f"topic into halves; their intervals are by {DRAWS} bootstrap draws of topics, seed "
        f"{data.seed}."
    )


ANALYSIS = Analysis("enough", "Would more topics or more judges help?", analyse, methods=methods)
