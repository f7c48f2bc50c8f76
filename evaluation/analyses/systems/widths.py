"""Units with a narrow and with a wide scale (paper, section 7.3, Figure 13 and Table IV)."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evaluation.agreement.units import narrow_and_wide
from evaluation.analyses.analysis import Analysis
from evaluation.analyses.study import comparing as systems
from evaluation.analyses.study.data import Floats, StudyData, TopicData
from evaluation.analyses.study.fits import magnitude
from evaluation.analyses.systems import best_units, concordance, subruns
from evaluation.analyses.telling import plots
from evaluation.analyses.telling.parts import Analysed, Figure, Row, Table, Tell, number, percent
from trec.words import count

BINS = 30
NEARLY_ALL, TINY = 0.99, 1e-9
WIDTHS = ("narrow", "wide", "all")
# Of narrow, wide and all units: tau, then overlap of top sets.
PAPER: tuple[Row, ...] = (
    ("paper: runs", "TREC's", "nDCG@10", 0.679, 0.744, 0.677, 0.6364, 0.7273, 0.8182),
    ("paper: runs", "TREC's", "ERR@10", 0.361, 0.247, 0.222, 0.2, 0.6, 0.2),
    ("paper: simulated", "Sormunen's", "nDCG@10", 0.036, 0.382, 0.147, 0.0976, 0.6829, 0.3171),
    ("paper: simulated", "Sormunen's", "ERR@10", 0.017, 0.323, 0.060, 0.6818, 1.0, 0.6818),
)


class Split(NamedTuple):
    """Gains of each topic from narrow, wide and all units, and pairs that fell back."""

    gains: dict[str, list[Floats]]
    pairs: int
    fell_back: dict[str, int]


def analyse(data: StudyData, tell: Tell) -> Analysed:
    """Ratios of the anchors' scores, and rankings by units with small and with large ones."""
    if not data.units:
        return Analysed(["No unit is completed yet."])
    ratios = np.concatenate([topic.hk_nk for topic in data.topics])
    scales = narrow_and_wide(ratios)
    says = [
        f"Units scored H_k at {number(scales.median)} times N_k at the median (the paper: 5). "
        f"{count(int(scales.narrow.sum()), 'unit')} below it are narrow, "
        f"{count(int(scales.wide.sum()), 'unit')} at or above it wide."
    ]
    figure = _histogram(ratios, scales.median)
    if reason := systems.why_not(data):
        return Analysed([*says, reason], [figure])
    narrow = data.by_topic(scales.narrow)
    kept, made = subruns.simulated(data)
    rows, notes = _rows(systems.labelled(data), narrow, "runs", lambda values: values)
    if len(kept) >= subruns.LEAST:
        more, other = _rows(kept, narrow, "simulated", subruns.picking(made))
        rows, notes = rows + more, notes + other
    return Analysed([*says, _says(rows)], [figure, _table(rows, notes)])


def _histogram(ratios: Floats, median: float) -> Figure:
    logs = np.log10(ratios)
    limit = min(np.ceil(np.quantile(logs, NEARLY_ALL) + TINY), 308)
    counts, edges = np.histogram(logs, bins=BINS, range=(min(logs.min(), 0), limit))
    bins = zip(10 ** edges[:-1], 10 ** edges[1:], counts.tolist(), strict=True)
    rows = [(float(low), float(high), n) for low, high, n in bins]
    if beyond := int((logs > limit).sum()):
        rows.append((float(10**limit), float(ratios.max()), beyond))
    title = "score of H_k over score of N_k in a unit"
    return Figure(
        "ratios",
        f"Half of the units have scored H_k at {number(median)} times N_k or more",
        "Look for a tail to the right: units in which one document is worth hundreds of another. "
        "Dashed: the median, which divides narrow units from wide ones."
        + (f" {count(beyond, 'unit')} above {10**limit:,.0f} not drawn." if beyond else ""),
        plots.sized(
            plots.alt.layer(
                plots.bars("bins", title, "units", log=True),
                plots.rule_at("median", along=plots.x("at", title, log=True)),
            ),
            180,
        ),
        {
            "bins": [{"from": low, "to": high, "n": n} for low, high, n in rows[:BINS]],
            "median": [{"at": median}],
        },
        ("from", "to", "units"),
        rows,
        "Figure 13",
    )


def _rows(
    topics: Sequence[TopicData],
    narrow: dict[str, NDArray[np.bool_]],
    name: str,
    pick: concordance.Pick,
) -> tuple[list[Row], list[str]]:
    """A row for each kind of labels and measure; and how many pairs fell back, in words."""
    rows: list[Row] = []
    notes = []
    notes += systems.too_few(len(topics))
    for kind in systems.kinds(topics):
        split = _split(topics, narrow, kind)
        notes.append(_fell_back(split, name))
        of_labels = [systems.labels(topic, systems.KINDS[kind]) for topic in topics]
        for by in systems.MEASURES:
            reference = pick(systems.measure(topics, of_labels, by).values)
            compared = [
                systems.compare(
                    reference,
                    pick(
                        systems.measure(
                            topics, map(systems.magnitudes, topics, split.gains[width]), by
                        ).values
                    ),
                )
                for width in WIDTHS
            ]
            taus, shares = [of.tau.tau for of in compared], [of.overlap for of in compared]
            rows.append((name, kind, str(by), *taus, *shares))
            notes += [f"A dash: {of.reason}." for of in compared if of.reason]
    return rows, notes


def _fell_back(split: Split, name: str) -> str:
    without = " and ".join(
        f"{n:,} ({percent(n / split.pairs, 1)}) {'has' if n == 1 else 'have'} no {width} unit"
        for width, n in split.fell_back.items()
    )
    which, paper = ("runs", "12%") if name == "runs" else ("simulated systems", "7%")
    return (
        f"Of {count(split.pairs, 'document')} on the topics of {which}, {without}: the best "
        f"units of any width stand in (the paper: {paper})."
    )


def _split(topics: Sequence[TopicData], narrow: dict[str, NDArray[np.bool_]], kind: str) -> Split:
    gains: dict[str, list[Floats]] = {width: [] for width in WIDTHS}
    fell_back = dict.fromkeys(WIDTHS[:2], 0)
    for topic in topics:
        of_topic = narrow[topic.query_id]
        for width, wanted in zip(WIDTHS, (of_topic, ~of_topic, None), strict=True):
            chosen = best_units.best(topic, systems.KINDS[kind], wanted)
            gains[width].append(chosen.values)
            if wanted is not None:
                fell_back[width] += int(chosen.fell_back.sum())
    return Split(gains, sum(int((topic.counts > 0).sum()) for topic in topics), fell_back)


def _says(rows: Sequence[Row]) -> str:
    said = [
        f"{number(row[3])}, {number(row[4])} and {number(row[5])} by {row[2]}"
        for row in rows
        if row[:2] == ("runs", "binary") and not np.isnan(row[3:6]).any()
    ]
    if not said:
        return "No order of systems can be compared with that by binary labels."
    return (
        f"Gains from the {best_units.HOW_MANY} units that agree best with binary labels, taken "
        f"among narrow units, wide ones and all, order runs with a tau to these labels of "
        f"{'; '.join(said)}. "
        "The paper found .679, .744 and .677 by nDCG, and .361, .247 and .222 by ERR."
    )


def _table(rows: Sequence[Row], notes: Sequence[str]) -> Table:
    return Table(
        "widths",
        "Order and top set by units with a narrow scale, a wide one, and all",
        (
            *("systems", "labels", "measure"),
            *(f"{of}_{width}" for of in ("tau", "overlap") for width in WIDTHS),
        ),
        [*rows, *PAPER],
        tuple(dict.fromkeys(notes)),
        "Table IV",
    )


ANALYSIS = Analysis(
    "widths", "Does it matter how wide a scale workers use?", analyse, fits=magnitude
)
