"""Workers one by one: how far each agrees with the others, and how each works."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evaluation.analyses.analysis import Analysis
from evaluation.presentation import plots, published
from evaluation.presentation.parts import (
    Analysed,
    Figure,
    Table,
    Tell,
    binned,
    correlation,
    drawn,
    percent,
    thinned,
)
from evaluation.study.data import Floats, Ints, StudyData
from evaluation.study.fits import in_units
from judging.monitoring.signals.repeated_judgments import repeats
from magnitudes.agreement.workers import WorkerAgreement, distinct_values, worker_agreement
from magnitudes.files.words import count
from magnitudes.scaling.aggregation import aggregate

ENOUGH = 16  # documents, two units as the paper makes them: below, agreement says little
WIDTH = 0.1  # of a bar
LOWEST = 50  # workers who are drawn whatever is thinned
LEVELS_OFF = "how many levels off that mean they are, in the mean."
RATIOS_OFF = (
    "the factor by which scores are off that mean, in the geometric mean. Ratios of one, two "
    "figures: share of units that keep to them."
)
OF_UNITS = (
    " Repeated words: share of justifications that the worker had given elsewhere in the same "
    "words. Failed finishes: in completed units."
)


class Worker(NamedTuple):
    """A worker's agreement with the others on some documents."""

    worker: str
    judgments: int
    agreement: float


@dataclass(frozen=True)
class Found:
    """How workers agree with the others, and how they work.

    workers: those whose agreement is defined, the lowest first; without_anchors: the median on
    other documents; units: how many each has completed; columns: of the table of all workers.
    """

    graded: bool
    has_anchors: bool
    in_units: bool
    seed: int
    workers: list[Worker]
    without_anchors: float
    units: Ints
    columns: dict[str, NDArray[Any]]

    @property
    def agreement(self) -> Floats:
        return np.array([row.agreement for row in self.workers])

    @property
    def enough(self) -> list[float]:
        """The agreement of those of whom something can be said."""
        return [row.agreement for row in self.workers if row.judgments >= ENOUGH]

    @property
    def at_or_below_0(self) -> int:
        """How many of those do not agree."""
        return sum(agreement <= 0 for agreement in self.enough)

    @property
    def low(self) -> str:
        """How many of those of whom something can be said do not agree."""
        enough = self.enough
        if not enough:
            return f"No worker has {ENOUGH} judgments, or agreement is not defined for any who has"
        workers = f"{count(len(enough), 'worker')} with {ENOUGH} judgments or more"
        who = count(self.at_or_below_0, "is", "are") if self.at_or_below_0 else "none is"
        return f"Of {workers}, {who} at 0 or below"


def analyse(data: StudyData, tell: Tell) -> Analysed:
    """Every worker's agreement with the mean of the others, and how they score."""
    if not data.judgments.scores.size:
        return Analysed(["No unit is completed yet: nobody has judged."])
    found = compute(data)
    return Analysed(
        says(found),
        [*figures(found), table(found)],
        numbers(found) | {"fewest_people": fewest_people(data)},
    )


def fewest_people(data: StudyData) -> tuple[str, int]:
    """The topic that fewest people judged, and how many they were."""
    people = [(topic.query_id, len(np.unique(topic.workers))) for topic in data.topics]
    return min(people, key=lambda pair: pair[1])


def numbers(found: Found) -> dict[str, float | int]:
    """The median of workers, and how many of those with enough judgments do not agree."""
    if not found.workers:
        return {}
    return {
        "median_worker_agreement": float(np.median(found.agreement)),
        "workers_with_enough": len(found.enough),
        "workers_at_or_below_0": found.at_or_below_0,
    }


def compute(data: StudyData) -> Found:
    every, others = (
        _agreement(data),
        _agreement(data, ~data.documents.is_anchor[data.judgments.items]),
    )
    without = others.correlation[~np.isnan(others.correlation)]
    columns = _columns(data, every, others)
    order = np.lexsort((-columns["judgments"], every.correlation))  # NaN last
    known = np.argsort(every.correlation, kind="stable")[: np.isfinite(every.correlation).sum()]
    return Found(
        data.study.is_graded,
        data.has_anchors,
        in_units(data.study),
        data.seed,
        [
            Worker(data.workers[worker], int(every.pairs[worker]), every.correlation[worker])
            for worker in known
        ],
        float(np.median(without)) if without.size else np.nan,
        np.bincount(data.units.workers),
        {name: column[order] for name, column in columns.items()},
    )


def _agreement(data: StudyData, which: Any = slice(None)) -> WorkerAgreement:
    """Levels, or logarithms less log γ of the topic, so that topics do not agree by themselves."""
    logs = data.judgments.normalised
    if not data.study.is_graded:
        gammas = np.log([topic.gamma for topic in data.topics])
        logs = np.log(logs) - gammas[data.documents.topics[data.judgments.items]]
    items, workers = data.judgments.items[which], data.judgments.workers[which]
    return worker_agreement(logs[which], items, workers, len(data.documents), len(data.workers))


def _columns(
    data: StudyData, every: WorkerAgreement, others: WorkerAgreement
) -> dict[str, NDArray[Any]]:
    """Of the table; the ratio rule of magnitudes alone, how they worked of those who did here."""
    n, of_unit, here = len(data.workers), data.units.workers, data.has_anchors
    graded = data.study.is_graded
    with np.errstate(over="ignore"):
        distance = every.deviation if graded else np.exp(every.deviation)
    return {
        "worker": np.array(data.workers, dtype=object),
        **({"units": np.bincount(of_unit, minlength=n)} if in_units(data.study) else {}),
        "judgments": np.bincount(data.judgments.workers, minlength=n),
        "agreement": every.correlation,
        **({"agreement_no_anchors": others.correlation} if here else {}),
        "distance": distance,
        "distinct_scores": distinct_values(data.judgments.scores, data.judgments.workers, n),
        **({} if graded else _ratios(data)),
        **(_work(data) if here else {}),
    }


def _ratios(data: StudyData) -> dict[str, Floats]:
    """The shares of units that keep to ratios of one, and of two significant figures."""
    numbers, n, of_unit = data.judgments.typed, len(data.workers), data.units.workers
    return {
        name: aggregate(
            numbers.ratios_followed(data.judgments.units, figures), of_unit, n, "arithmetic"
        ).values
        for name, figures in (("one_figure", 1), ("two_figures", 2))
    }


def _work(data: StudyData) -> dict[str, NDArray[Any]]:
    """How workers went through their units."""
    judgments, n = data.judgments, len(data.workers)
    judges = judgments.workers
    failed = np.bincount(data.units.workers, data.units.failed, n)
    again = repeats(judges, judgments.words)
    return {
        "median_seconds": aggregate(judgments.seconds, judges, n, "median").values,
        "repeated_words": aggregate(again, judges, n, "arithmetic").values,
        "failed_finishes": failed.astype(int),
    }


def says(found: Found) -> list[str]:
    return [_agree(found), _done(found)]


def _agree(found: Found) -> str:
    if not found.workers:
        return (
            "No worker has judged two documents that others judged too, with different scores: "
            "agreement is not defined."
        )
    without = (
        f" ({correlation(found.without_anchors, 3)} without the anchors)"
        if found.has_anchors
        else ""
    )
    return (
        f"{_median(found)}{without}. {found.low}. This is Spearman's, of a worker's scores with "
        "the mean of the others' for the same documents."
    )


def _median(found: Found) -> str:
    median, workers = correlation(float(np.median(found.agreement)), 3), len(found.workers)
    if workers == 1:
        return f"One worker can be compared, and has a correlation of {median} with the others"
    return f"Half of {workers:,} workers have a correlation of {median} or more with the others"


def _done(found: Found) -> str:
    busy = np.sort(found.units[found.units > 0])[::-1]
    tenth = busy[: max(len(busy) // 10, 1)].sum() / busy.sum()
    what = "unit" if found.in_units else "judgment"
    paper = published.quote(" (the paper: around {one_unit} of {workers})")
    paper = paper if found.has_anchors else ""
    who = f"{count(len(busy), 'worker')} completed"
    if busy[-1] == busy[0]:
        each = " each" if len(busy) > 1 else ""
        return f"{who} {count(int(busy[0]), what)}{each}."
    return (
        f"{who} {busy[-1]:,} to {busy[0]:,} {what}s, {percent((busy == 1).mean())} of them "
        f"one{paper}; the busiest tenth did {percent(tenth)} of all {what}s."
    )


def figures(found: Found) -> Iterator[Figure]:
    if found.workers:
        yield _histogram(found)
        yield _by_judgments(found)


def _histogram(found: Found) -> Figure:
    scores = (
        "levels with the mean of the others'"
        if found.graded
        else "normalised scores (logarithms less that of the topic's γ) with the mean of others'"
    )
    edges = np.round(np.arange(-1, 1 + WIDTH / 2, WIDTH), 10)
    counts, _ = np.histogram(found.agreement, bins=edges)
    lowest = int(np.flatnonzero(counts)[0])  # what is below that worker need not be drawn
    rows = list(zip(edges[lowest:], edges[lowest + 1 :], counts[lowest:].tolist(), strict=False))
    return Figure(
        "agreement",
        _median(found),
        f"{count(len(found.workers), 'worker')}, by agreement with the others.",
        plots.bars("bins", "agreement with the others", "workers"),
        {"bins": binned(rows)},
        ("from", "to", "workers"),
        rows,
        reading=f"Spearman's correlation of a worker's {scores} for the same documents. Look for "
        "workers at 0 and below: they may not have read.",
    )


def _by_judgments(found: Found) -> Figure:
    rows = found.workers
    judgments = [row.judgments for row in rows]
    low, high = min(judgments) / 1.3, max(judgments) * 1.3
    ticks = [n * 10**k for k in range(7) for n in (1, 2, 5) if low <= n * 10**k <= high]
    across = plots.axis("pairs", "judgments", log=True, domain=(low, high), values=ticks)
    up = plots.axis("agreement", "agreement with the others")
    places = thinned(len(rows), keep=np.arange(min(LOWEST, len(rows))), seed=found.seed)
    dots = drawn((rows[place] for place in places), "agreement", _tooltip, pairs="judgments")
    return Figure(
        "by-judgments",
        found.low,
        "A dot a worker, by the number of judgments"
        + ("." if len(dots) == len(rows) else f"; {len(dots):,} of {len(rows):,} are drawn."),
        plots.sized(plots.points("workers", across, up, opacity=0.5)),
        {"workers": dots},
        Worker,
        rows,
        reading="Workers with few judgments scatter widely by chance. Look for low ones to the "
        "right.",
    )


def _tooltip(row: Worker) -> str:
    return f"{row.worker}: {correlation(row.agreement, 3)}, {count(row.judgments, 'judgment')}"


def table(found: Found) -> Table:
    anchors = ", with and without anchors, whose order is checked" if found.has_anchors else ""
    return Table(
        "workers",
        "All workers, those who agree least first",
        tuple(found.columns),
        list(zip(*(column.tolist() for column in found.columns.values()), strict=True)),
        (
            f"Agreement: Spearman's correlation with the mean of the others' scores{anchors}; "
            "empty where the worker, or the others, gave all documents the same. Distance: "
            f"{LEVELS_OFF if found.graded else RATIOS_OFF}"
            f"{OF_UNITS if found.has_anchors else ''}",
            f"Agreement on fewer than {ENOUGH} documents is mostly chance. None is a verdict.",
        ),
    )


ANALYSIS = Analysis("workers", "How do workers differ?", analyse)
