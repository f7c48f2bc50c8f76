"""Whether fewer judges of a document, or fewer topics, would rank systems alike."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from evaluation import pipeline
from evaluation.analyses.study.comparing import drawable
from evaluation.analyses.study.data import Floats, StudyData
from evaluation.analyses.telling import plots
from evaluation.analyses.telling.parts import Analysed, Figure, Row, Tell, amount, number, percent
from evaluation.comparison.fewer_topics import by_topics
from evaluation.comparison.resampling import (
    QUANTILES,
    Resampled,
    all_judges,
    quantiles,
    resample,
    stacked,
)
from evaluation.comparison.top_set import top_set
from evaluation.measures.names import parse
from trec.words import count

DRAWS = 400
MOST_NUMBERS = 20  # of topics that are tried
MOST_JUDGES = 25  # that are tried; time and memory grow with them
LEAST = 6  # topics from which a signed-rank test can tell two systems apart, p below .05
JUDGES, TOPICS = "judge", "topic"
TAU, OVERLAP = "tau with all", "overlap of top sets"
ENDS = ("lowest", "lower", "median", "upper", "highest")


def most_judges(data: StudyData) -> int:
    """As many judges as planned, or as at least half of the documents have by now.

    Nobody planned labels that were given elsewhere: all count, up to MOST_JUDGES.
    """
    judged = data.counts[data.counts > 0]
    planned = data.study.ratings_wanted or MOST_JUDGES
    return min(planned, int(np.median(judged))) if judged.size else 0


def analyse(data: StudyData, most: int, tell: Tell) -> Analysed:
    """Tau and overlap of top sets, with fewer judges and with fewer topics, and those of all."""
    measure = parse(pipeline.MEASURES[0])
    if len(data.runs) < 2:
        return Analysed(["There are fewer than two runs: no order of systems depends on judges."])
    topics = [drawable(topic, topic.lists) for topic in data.topics]
    usual = all_judges(topics, measure)
    drawn = []
    for judges in range(1, most + 1):
        drawn.append(
            resample(topics, measure, usual, DRAWS, data.seed, judges, len(topics) >= LEAST)
        )
        tell(judges / (most + 1))
    by_judges = stacked(drawn, DRAWS, data.seed)
    if by_judges.reason or np.isnan(by_judges.taus).all():
        why = by_judges.reason or "the lists hold no judged document"
        return Analysed([f"The order of systems by {measure} cannot be compared: {why}."])
    numbers = np.unique(np.linspace(1, len(topics), min(len(topics), MOST_NUMBERS)).round())
    tried = numbers.astype(int).tolist()
    of_topics = by_topics(usual, tried, DRAWS, data.seed)
    of_topics.overlaps[np.array(tried) < LEAST] = np.nan
    found = [(JUDGES, list(range(1, most + 1)), by_judges)]
    if len(tried) > 2:
        found.append((TOPICS, tried, of_topics))
    says = [
        f"{count(len(data.runs), 'system')} by {measure}: "
        + "; ".join(_said(*one) for one in found)
        + f". {DRAWS} draws each, compared with all judges and topics."
    ]
    if len(topics) < LEAST:
        says.append(
            f"With fewer than {LEAST} topics no test tells two systems apart: every system is in "
            "the top set, and overlaps mean nothing."
        )
    else:
        top = int(top_set(usual).members.sum())
        says.append(f"The top set of all judges and topics has {count(top, 'system')}.")
    return Analysed(says, [_figure(*one) for one in found])


def _middle(numbers: Sequence[int]) -> int:
    """The place of the number that sentences speak of."""
    return (len(numbers) - 1) // 2


def _said(what: str, numbers: Sequence[int], found: Resampled) -> str:
    place = _middle(numbers)
    low, _, middle, _, high = quantiles(found.taus[place])
    share = quantiles(found.overlaps[place])[2]
    size = quantiles(found.sizes[place])[2]
    top = (
        ""
        if np.isnan(share)
        else f", and of the top set of all, {percent(share)} remain in it, which then has "
        f"{amount(size, 'system')} at the median"
    )
    return (
        f"with {numbers[place]} of {count(numbers[-1], what)}, tau is {number(middle)} at the "
        f"median of draws ({number(low)} to {number(high)} in 95% of them){top}"
    )


def _figure(what: str, numbers: Sequence[int], found: Resampled) -> Figure:
    rows: list[Row] = []
    of: Floats
    for name, of in ((TAU, found.taus), (OVERLAP, found.overlaps)):
        for at, ends in zip(numbers, quantiles(of).tolist(), strict=True):
            if not np.isnan(ends).any():
                rows.append((name, at, *ends))
    names = list(dict.fromkeys(row[0] for row in rows))
    drawn = "judges of a document" if what == JUDGES else "topics"
    middle = _middle(numbers)
    return Figure(
        f"by-{what}s",
        f"With {numbers[middle]} of {count(numbers[-1], what)} tau is "
        f"{number(quantiles(found.taus[middle])[2])} at the median",
        f"With some {drawn}: how the order of systems, and the top set, agree with those of all. "
        "Line: median of draws; darker: half of them; lighter: 95%. Look for where the lines "
        f"flatten. Below {LEAST} topics no test tells systems apart, and there is no overlap. "
        f"{_sizes(numbers, found)}",
        plots.panels(
            plots.bands(
                "drawn",
                plots.x("at", drawn, **plots.whole(numbers[0], numbers[-1])),
                "",
                (min(0.0, *(row[2] for row in rows)), 1),
            ),
            "of",
            names,
            columns=2 if len(names) > 1 else 1,
            height=170,
        ),
        {"drawn": [_row(*row) for row in rows]},
        (
            "of",
            f"{what}s",
            *(f"{end}_{percent(at, 1)}" for end, at in zip(ENDS, QUANTILES, strict=True)),
        ),
        rows,
    )


def _sizes(numbers: Sequence[int], found: Resampled) -> str:
    """How large top sets are, without which their overlap cannot be read."""
    sizes = quantiles(found.sizes)[:, 2]
    known = np.flatnonzero(~np.isnan(quantiles(found.overlaps)[:, 2])).tolist()
    if not known:
        return ""
    first, last = known[0], known[-1]
    return (
        "Overlap is the share of the top set of all that remains in it; a larger top set keeps "
        f"more. At the median it has {amount(sizes[first], 'system')} with {numbers[first]}, and "
        f"{number(sizes[last])} with {numbers[last]}."
    )


def _row(of: str, at: int, *ends: float) -> dict[str, Any]:
    name = f"{at}: {number(ends[2])}"
    return {"of": of, "at": at, **dict(zip(ENDS, ends, strict=True)), "name": name}
