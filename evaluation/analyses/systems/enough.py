"""Whether there are enough judges and topics to tell systems apart, and which more would help."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil
from typing import Any, NamedTuple

import numpy as np

from evaluation.analyses.analysis import Analysis, Numbers
from evaluation.presentation import plots
from evaluation.presentation.parts import Analysed, Figure, Table, Tell, drawn, percent
from evaluation.study import comparing, judges_apart
from evaluation.study.data import StudyData
from evaluation.study.judges_apart import MIN_FREEDOM, SPLITS
from magnitudes.comparison import larger_study
from magnitudes.comparison.larger_study import Larger, Range, Size
from magnitudes.comparison.variance_components import Squares
from magnitudes.files.words import count
from magnitudes.measures.names import Measure

TIMES = 1, 1.5, 2  # judges, and topics
DIFFERENCES = 0.02, 0.05, 0.1  # that systems might truly have; never those observed
DRAWS = 300  # of topics, for intervals
LEAST = 8  # topics
HALF = 0.5  # of the variance
TOPICS, JUDGES, EITHER = "topics", "judges", "cannot say"  # what more of would help
KINDS = {
    "judges as now": ("circle", plots.MARK),
    "judges × 1.5": ("diamond", plots.OTHER),
    "judges × 2": ("triangle-up", plots.INK),
}
NAMES = {"topic": "topics", "judge": "judges", "rest": "single scores"}  # of the parts


class Width(NamedTuple):
    """The half-width of a difference that is expected of a size."""

    topics: str
    judges: str
    half_width: float
    low: float
    high: float


class Told(NamedTuple):
    """The share of pairs that would be told apart, if they truly differed by so much."""

    topics: int
    judges: float
    difference: float
    share: float
    low: float
    high: float


@dataclass(frozen=True)
class Found:
    """What larger studies promise, and what there is to make the study larger.

    judges: of a document, at the median. in_study, in_collection: topics. a_unit: its cost with
    the platform's fee, NaN where nothing is paid.
    """

    measure: Measure
    systems: int
    topics: int
    judges: float
    units: int
    larger: Larger
    in_study: int
    in_collection: int
    is_imported: bool
    a_unit: float
    currency: str
    seed: int

    @property
    def add(self) -> str:
        """What more of would help most, as far as the interval tells."""
        _, low, high = self.larger.share_of_topics
        return TOPICS if low > HALF else JUDGES if high < HALF else EITHER

    @property
    def now(self) -> Size:
        return self.size(1, 1)

    def size(self, topics: float, judges: float) -> Size:
        """With so many times the topics and the judges."""
        sizes = {(row.topics_times, row.judges_times): row for row in self.larger.sizes}
        return sizes[topics, judges]

    def units_of(self, size: Size) -> int:
        return ceil(self.units * size.topics / self.topics * size.judges_times)

    @property
    def no_more_topics(self) -> bool:
        return self.in_collection <= self.in_study


def analyse(data: StudyData, tell: Tell) -> Analysed:
    """Variance components of paired differences, and what other sizes of the study would give."""
    if reason := why_not(data):
        return Analysed([reason], numbers={"add": EITHER})
    measure = comparing.first(data.study)
    squares = judges_apart.measured(data, measure, lambda share: tell(0.8 * share))
    if not np.ptp(squares.values, axis=1).any():
        reason = f"All systems have the same {measure} on every topic: they cannot be told apart."
        return Analysed([reason], numbers={"add": EITHER})
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
    freedom = judges_apart.pooled(judges_apart.within(data)).freedom
    if freedom < MIN_FREEDOM:
        return (
            "Cannot say yet: how far judges differ is seen on documents with two scores or more, "
            f"by {count(freedom, 'degree')} of freedom so far. It takes {MIN_FREEDOM}."
        )
    return ""


def compute(data: StudyData, squares: Squares) -> Found:
    study, topics = data.study, len(squares.values)
    paid = float(study.payment or 0) * (1 + float(study.platform_fee or 0))
    in_study = max(data.topics_of_study, topics)
    return Found(
        comparing.first(study),
        len(data.runs),
        topics,
        judges_apart.judges_of(data),
        len(data.units),
        larger_study.larger_study(squares, TIMES, DIFFERENCES, DRAWS, data.seed),
        in_study,
        max(data.topics_there, in_study),
        study.is_imported,
        paid or np.nan,
        study.currency,
        data.seed,
    )


def says(found: Found) -> Iterator[str]:
    share = found.larger.share_of_topics
    widths = (found.size(*times).half_width for times in ((1, 1), (2, 1), (1, 2)))
    now, twice_topics, twice_judges = (f"±{width.value:.3f}" for width in widths)
    yield (
        f"{headline(found)} Of what makes a difference of two systems uncertain, "
        f"{percent(share.value)} is that topics differ (95% interval {percent(share.low)} to "
        f"{percent(share.high)})."
    )
    yield (
        f"By {found.measure}, a difference of two systems is known to {now} on average. With "
        f"twice the topics it would be {twice_topics}, with twice the judges {twice_judges}; "
        "either costs as much."
    )
    told = found.now.shares[1]
    yield (
        f"If two systems truly differed by {DIFFERENCES[1]:g}, {percent(told.value)} of pairs "
        f"({percent(told.low)} to {percent(told.high)}) would be told apart (paired t-test, each "
        f"pair alone, .05)."
    )
    yield from _limits(found)


def headline(found: Found) -> str:
    """The finding in a sentence, which says no more than the interval does."""
    return {
        TOPICS: "Topics matter more than judges: more topics would help most.",
        JUDGES: "Judges matter more than topics: more of them would help nearly as much.",
        EITHER: "Cannot say whether more judges would help as much as more topics.",
    }[found.add]


def _limits(found: Found) -> Iterator[str]:
    if found.no_more_topics:
        yield "The collection has no more topics: for more, another collection is needed."
    elif found.in_collection < 2 * found.topics:
        more = count(found.in_collection - found.in_study, "more topic")
        yield f"The collection has no more than {more}."
    raws = zip(("topics", "judges"), found.larger.components.raw, strict=True)
    below = [name for name, raw in raws if raw < 0]
    if below:
        yield f"The estimate for {' and '.join(below)} came out below 0 and is taken as 0."


def figure(found: Found) -> Figure:
    names = dict(zip(TIMES, KINDS, strict=True))
    rows = [
        Width(f"{size.topics} topics", names[size.judges_times], *size.half_width)
        for size in found.larger.sizes
    ]
    down = plots.names("topics", list(dict.fromkeys(row.topics for row in rows)))
    chart = plots.intervals_of_kinds(
        "sizes",
        "half_width",
        f"half-width of a difference, {found.measure}",
        down,
        "judges",
        KINDS,
        ticks=4,
    )
    return Figure(
        "half-widths",
        headline(found).rstrip("."),
        "Half of the 95% interval of a difference of two systems, averaged over pairs.",
        plots.sized(chart, 180, plots.WIDTH - 110),
        {"sizes": drawn(rows, "topics judges half_width low high", _tooltip)},
        Width,
        rows,
        reading=(
            "Dots: what is expected for so many topics and judges; lines: its 95% interval. "
            "Further left is better."
        ),
    )


def _tooltip(row: Width) -> str:
    return f"{row.topics}, {row.judges}: ±{row.half_width:.3f}"


def tables(found: Found) -> Iterator[Table]:
    yield _sizes(found)
    yield Table(
        "told-apart",
        "Pairs told apart, if systems truly differed by so much",
        Told,
        [
            Told(size.topics, found.judges * size.judges_times, away, *share)
            for size in found.larger.sizes
            for away, share in zip(DIFFERENCES, size.shares, strict=True)
        ],
        (f"share: of pairs, by a paired t-test at .05, each pair alone. {_drawn(found)}",),
        folded=True,
    )
    whole = found.larger.components.total
    yield Table(
        "components",
        f"Variance of a difference on one topic by {found.measure}, averaged over pairs",
        ("part", "variance", "low", "high", "share"),
        [
            (NAMES[name], *part, float(part.value / whole))
            for name, part in found.larger.parts.items()
        ],
        (
            "judges: what a person does to all documents of a topic that they judge; single "
            "scores: what a score has of its own. Both as they are with the judges of now, "
            f"{found.judges:g} a document at the median; more divide them. Set equal to expected "
            "mean squares, with other crowds made of halves of the judges; cut at 0. A document "
            "with one score has the variance of those with more.",
        ),
    )


def _drawn(found: Found) -> str:
    return f"Low, high: its 95% interval, by {DRAWS} draws of topics (seed {found.seed})."


def _sizes(found: Found) -> Table:
    cost = f"cost_{found.currency}" if found.currency else "cost"
    has_cost = not np.isnan(found.a_unit)
    rows = [
        (
            *(size.topics, found.judges * size.judges_times, *size.half_width),
            *(share.value for share in size.shares),
            found.units_of(size),
            *([found.units_of(size) * found.a_unit] if has_cost else []),
            "yes" if size.topics <= found.in_collection else "no",
        )
        for size in found.larger.sizes
    ]
    return Table(
        "sizes",
        "What more topics or more judges would give",
        (
            *("topics", "judges", "half_width", "low", "high"),
            *(f"told_apart_{away:g}" for away in DIFFERENCES),
            "opinions" if found.is_imported else "units",
            *([cost] if has_cost else []),
            "collection_has_topics",
        ),
        rows,
        (
            "Half width: of the 95% t interval of a difference, averaged over pairs. "
            f"{_drawn(found)} Told apart: the share of pairs that a paired t-test, each pair "
            "alone, at .05 would tell apart if they truly differed by so much.",
        ),
    )


def numbers(found: Found) -> dict[str, Any]:
    """For scripts, and for the overview's card."""
    of_sizes = {"": (1, 1), "_twice_topics": (2, 1), "_twice_judges": (1, 2)}
    every = {"share_of_topics": found.larger.share_of_topics}
    every |= {f"half_width{name}": found.size(*by).half_width for name, by in of_sizes.items()}
    every["told_apart_.05"] = found.now.shares[1]
    costs = {
        f"cost{name}": found.units_of(found.size(*by)) * found.a_unit
        for name, by in of_sizes.items()
    }
    return {
        "add": found.add,
        "no_more_topics": found.no_more_topics,
        "currency": found.currency,
        **costs,
        **{key: end for name, number in every.items() for key, end in _with_ends(name, number)},
    }


def _with_ends(name: str, number: Range) -> Iterator[tuple[str, float]]:
    yield name, number.value
    yield f"{name}_low", number.low
    yield f"{name}_high", number.high


def methods(data: StudyData, numbers: Numbers) -> str:
    if "half_width" not in numbers:
        return ""
    return (
        "Variance components of paired differences of systems (topic, judge within topic, rest) "
        f"were estimated from expected mean squares, with {SPLITS} splits of the judges of each "
        "topic into halves; documents that were judged once have the pooled variance of scores "
        f"within documents. Intervals are by {DRAWS} bootstrap draws of topics, seed {data.seed}."
    )


ANALYSIS = Analysis(
    "enough", "Would more topics or more judges help?", analyse, methods=methods, of_systems=True
)
