"""Workers one by one: how far each agrees with the others, and how each works."""

from typing import Any

import numpy as np

from evaluation.agreement.workers import WorkerAgreement, distinct_values, worker_agreement
from evaluation.analyses.analysis import Analysis
from evaluation.analyses.study.data import Floats, Ints, StudyData
from evaluation.analyses.study.typed import typed
from evaluation.analyses.telling import plots
from evaluation.analyses.telling.parts import Analysed, Figure, Table, Tell, number, percent
from evaluation.analyses.telling.thinning import thinned
from evaluation.scaling.aggregation import aggregate
from judging.monitoring.alike import repeated
from trec.words import count

ENOUGH = 16  # pairs, two units as the paper makes them: below, agreement says little
WIDTH = 0.1  # of a bar
LOWEST = 50  # workers who are drawn whatever is thinned


def analyse(data: StudyData, tell: Tell) -> Analysed:
    """Every worker's agreement with the mean of the others, and how they score."""
    if not data.raw.size:
        return Analysed(["No unit is completed yet: nobody has judged."])
    others = ~data.is_anchor[data.items]
    found, without = _agreement(data), _agreement(data, others)
    tell(0.4)
    table = _table(data, found, without)
    tell(0.8)
    known = found.correlation[~np.isnan(found.correlation)]
    if not known.size:
        said = (
            "No worker has judged two documents that others judged too, with different scores: "
            "agreement is not defined."
        )
        return Analysed([said, _done(data)], [table])
    return Analysed(
        [_agree(data, found, known, without), _done(data)],
        [_histogram(known, data.study.is_graded), _by_units(data, found), table],
        {"median_worker_agreement": np.median(known)},
    )


def _agreement(data: StudyData, which: Any = slice(None)) -> WorkerAgreement:
    """Levels, or logarithms less log γ of the topic, so that topics do not agree by themselves."""
    if data.study.is_graded:
        logs = data.values
    else:
        gammas = np.log([topic.gamma for topic in data.topics])
        logs = np.log(data.values) - gammas[data.topic_of_item[data.items]]
    n_items, n_workers = data.n_items, len(data.workers)
    return worker_agreement(
        logs[which], data.items[which], data.worker_of[which], n_items, n_workers
    )


def _agree(data: StudyData, found: WorkerAgreement, known: Floats, without: WorkerAgreement) -> str:
    of_others = f"; without the anchors {number(_median(without.correlation))}"
    who, more = f"Half of {count(len(known), 'worker')} agree", " or more"
    if len(known) == 1:
        who, more = "1 worker agrees", ""
    return (
        f"{who} with the others on the order of documents by {number(np.median(known))}{more} "
        "(Spearman's correlation with the mean of the others' "
        f"scores{of_others if data.has_anchors else ''}). {_low(found)}."
    )


def _low(found: WorkerAgreement) -> str:
    """How many of those of whom something can be said do not agree."""
    enough = found.correlation[(found.pairs >= ENOUGH) & ~np.isnan(found.correlation)]
    if not enough.size:
        return f"No worker has {ENOUGH} judgments, or agreement is not defined for any who has"
    return (
        f"Of {count(len(enough), 'worker')} with {ENOUGH} judgments or more, "
        f"{count(int((enough <= 0).sum()), 'agrees', 'agree')} by 0 or less"
    )


def _median(values: Floats) -> float:
    known = values[~np.isnan(values)]
    return float(np.median(known)) if known.size else np.nan


def _done(data: StudyData) -> str:
    units = np.bincount(data.per_unit("workers"), minlength=len(data.workers))
    busy = np.sort(units[units > 0])[::-1]
    tenth = busy[: max(len(busy) // 10, 1)].sum() / busy.sum()
    what = "unit" if data.has_anchors else "judgment"
    paper = " (the paper: 1,481, 1 to 18, around 30%)" if data.has_anchors else ""
    who = f"{count(len(busy), 'worker')} completed"
    if busy[-1] == busy[0]:
        each = " each" if len(busy) > 1 else ""
        return f"{who} {count(int(busy[0]), what)}{each}{paper}."
    return (
        f"{who} {busy[-1]:,} to {busy[0]:,} {what}s, {percent((busy == 1).mean())} of them "
        f"one{paper}; the busiest tenth did {percent(tenth)} of all {what}s."
    )


def _histogram(known: Floats, graded: bool) -> Figure:
    of = (
        "levels with the mean of the others'"
        if graded
        else "normalised scores (logarithms less that of the topic's γ) with the mean of others'"
    )
    edges = np.round(np.arange(-1, 1 + WIDTH / 2, WIDTH), 10)
    counts, _ = np.histogram(known, bins=edges)
    last = int(np.flatnonzero(counts)[0])  # what is below the lowest worker need not be drawn
    rows = [*zip(edges[:-1], edges[1:], counts.tolist(), strict=True)][last:]
    return Figure(
        "agreement",
        f"Workers agree with the others by {number(np.median(known))} at the median",
        f"Spearman's correlation of a worker's {of} for the same documents. Look for workers at 0 "
        "and below: they may not have read.",
        plots.bars("bins", "agreement with the others", "workers"),
        {"bins": [{"from": low, "to": high, "n": n} for low, high, n in rows]},
        ("from", "to", "workers"),
        rows,
    )


def _by_units(data: StudyData, found: WorkerAgreement) -> Figure:
    known = np.flatnonzero(~np.isnan(found.correlation))
    rows = [
        (data.workers[worker], int(found.pairs[worker]), float(found.correlation[worker]))
        for worker in known[np.argsort(found.correlation[known], kind="stable")].tolist()
    ]
    judgments = [row[1] for row in rows]
    domain = min(judgments) / 1.3, max(judgments) * 1.3
    ticks = [n * 10**k for k in range(7) for n in (1, 2, 5) if domain[0] <= n * 10**k <= domain[1]]
    drawn = thinned(len(rows), keep=np.arange(min(LOWEST, len(rows))), seed=data.seed)
    return Figure(
        "by-judgments",
        _low(found),
        "Workers with few judgments scatter widely by chance. Look for low ones to the right. "
        f"{len(drawn):,} of {count(len(rows), 'worker')} are drawn, the {LOWEST} lowest among "
        "them.",
        plots.sized(
            plots.points(
                "workers",
                plots.x("pairs", "judgments", log=True, domain=domain, values=ticks),
                plots.y("agreement", "agreement with the others"),
                opacity=0.5,
            )
        ),
        {"workers": [_dot(*rows[row]) for row in drawn]},
        ("worker", "judgments", "agreement"),
        rows,
    )


def _dot(worker: str, pairs: int, agreement: float) -> dict[str, Any]:
    name = f"{worker}: {number(agreement)}, {count(pairs, 'judgment')}"
    return {"name": name, "pairs": pairs, "agreement": agreement}


def _shares(marked: Any, groups: Ints, n_groups: int) -> Floats:
    """The share of each group that is marked; every worker here has a unit."""
    sizes = np.bincount(groups, minlength=n_groups)
    shares: Floats = np.bincount(groups, marked, n_groups) / np.maximum(sizes, 1)
    return shares


LEVELS_OFF = "how many levels off that mean they are, in the mean."
RATIOS_OFF = (
    "the factor by which scores are off that mean, in the geometric mean. one, two figures: share "
    "of units that keep to ratios of so many significant figures."
)
OF_UNITS = (
    " repeated words: share of justifications that the worker had given elsewhere in the same "
    "words. failed finishes: in completed units."
)


def _ratios(data: StudyData) -> dict[str, Floats]:
    """How often units keep to ratios of one, and of two significant figures."""
    given, n_workers = typed(data), len(data.workers)
    of_unit, size = data.per_unit("workers"), data.study.unit_size
    figures = {"one_figure": 1, "two_figures": 2}
    return {
        name: _shares(given.ratios_followed(size, n), of_unit, n_workers)
        for name, n in figures.items()
    }


def _work(data: StudyData) -> dict[str, Any]:
    """How workers went through their units."""
    of_unit, n_workers = data.per_unit("workers"), len(data.workers)
    return {
        "median_seconds": aggregate(data.seconds, data.worker_of, n_workers, "median").values,
        "repeated_words": _shares(repeated(data.worker_of, data.words), data.worker_of, n_workers),
        "failed_finishes": np.bincount(of_unit, data.per_unit("failed"), n_workers).astype(int),
    }


def _columns(data: StudyData, found: WorkerAgreement, without: WorkerAgreement) -> dict[str, Any]:
    n_workers, graded, here = len(data.workers), data.study.is_graded, data.has_anchors
    with np.errstate(over="ignore"):
        distance = found.deviation if graded else np.exp(found.deviation)
    units = np.bincount(data.per_unit("workers"), minlength=n_workers)
    return {
        **({"units": units} if here else {}),
        "judgments": np.bincount(data.worker_of, minlength=n_workers),
        "agreement": found.correlation,
        **({"agreement_no_anchors": without.correlation} if here else {}),
        "distance": distance,
        "distinct_scores": distinct_values(data.raw, data.worker_of, n_workers),
        **({} if graded else _ratios(data)),
        **(_work(data) if here else {}),
    }


def _table(data: StudyData, found: WorkerAgreement, without: WorkerAgreement) -> Table:
    columns = _columns(data, found, without)
    rows = [*zip(data.workers, *(column.tolist() for column in columns.values()), strict=True)]
    order = np.lexsort((-columns["judgments"], found.correlation))  # NaN last
    anchors = ", with and without anchors, whose order is checked" if data.has_anchors else ""
    return Table(
        "workers",
        "All workers, those who agree least first",
        ("worker", *columns),
        [rows[worker] for worker in order.tolist()],
        (
            f"agreement: Spearman's correlation with the mean of the others' scores{anchors}; "
            "empty where the worker, or the others, gave all documents the same. distance: "
            f"{LEVELS_OFF if data.study.is_graded else RATIOS_OFF}"
            f"{OF_UNITS if data.has_anchors else ''}",
            f"Agreement on fewer than {ENOUGH} documents is mostly chance. None is a verdict.",
        ),
    )


ANALYSIS = Analysis("workers", "How do workers differ?", analyse)
