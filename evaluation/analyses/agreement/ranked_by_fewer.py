"""Whether fewer judges of a document, or fewer topics, would rank systems alike.

A part of the analysis `judges`.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from evaluation.analyses.agreement.by_person import by_person
from evaluation.analyses.analysis import OnProgress
from evaluation.presentation import plots
from evaluation.presentation.frame import ROWS, Frame
from evaluation.presentation.parts import (
    Figure,
    Result,
    amount,
    correlation,
    interval,
    number,
    percent,
)
from evaluation.study import scoring
from evaluation.study.data import Floats, StudyData
from evaluation.study.scoring import drawable
from evaluation.study.topics import TopicData
from magnitudes.comparison import resampling
from magnitudes.comparison.drawing import Topic
from magnitudes.comparison.resampling import QUANTILES, by_topics, quantiles
from magnitudes.comparison.top_set import LEAST_TOPICS, top_set
from magnitudes.files.words import count

DRAWS = 400
MOST_NUMBERS = 20  # of topics that are tried
TAU, OVERLAP = "tau with all", "overlap of top sets"
ENDS = "lowest", "lower", "median", "upper", "highest"  # QUANTILES of the draws
MEDIAN = ENDS.index("median")


class Fewer(NamedTuple):
    """Draws of some of the judges of a document, or of the topics, and at the end of all of them.

    Arrays are (numbers, 5), as ENDS: tau with all, the overlap of top sets, their sizes.
    """

    what: str
    called: str  # in the figure
    at: list[int]  # how many
    systems: int
    taus: Floats
    overlaps: Floats  # NaN where every system is in the top set
    sizes: Floats

    @property
    def is_most(self) -> bool:
        """Whether the top set of all has more than half of the systems: any overlaps with it."""
        return bool(2 * self.sizes[-1, MEDIAN] > self.systems)

    @property
    def middle(self) -> int:
        """The place of that of which sentences speak."""
        return (len(self.at) - 1) // 2

    @property
    def part(self) -> str:
        return f"With {self.at[self.middle]} of {count(self.at[-1], self.what)}"


def analyse(data: StudyData, most: int, on_progress: OnProgress) -> Result:
    """Draws of 1 to `most` judges, and of fewer topics if there are enough."""
    systems, n, measure = len(data.runs), len(data.topics), scoring.first(data.study)
    if systems < 2:
        return Result(["There are fewer than two runs: no order of systems depends on judges."])
    topics = [_by_people(topic) for topic in data.topics]
    usual = resampling.all_judges(topics, measure)
    is_tested, draws = n >= LEAST_TOPICS, []
    for judges in range(1, most + 1):
        by = topics, measure, usual, DRAWS, data.seed, judges
        draws.append(resampling.resample(*by, with_overlaps=is_tested))
        on_progress(judges / (most + 1))
    by_judges = resampling.stacked(draws, DRAWS, data.seed)
    if by_judges.reason or np.isnan(by_judges.taus).all():
        why = by_judges.reason or "the lists hold no judged document"
        return Result([f"The order of systems by {measure.short} cannot be compared: {why}."])
    of_judges = map(quantiles, by_judges[:3])
    fewer = [Fewer("judge", "judges of a document", [*range(1, most + 1)], systems, *of_judges)]
    fewer += [_by_topics(usual, data.seed, systems)] if n > 2 else []
    top = (
        f"The top set of all judges and topics has {count(top_set(usual).members.sum(), 'system')}."
        if is_tested
        else f"With fewer than {LEAST_TOPICS} topics no two systems can differ significantly: "
        "every system is in the top set, and overlaps mean nothing."
    )
    ranked = f"{count(systems, 'system')} by {measure.short}, {DRAWS} draws each"
    sentences = [*map(_sentence, fewer), f"{ranked}, compared with all judges and topics.", top]
    return Result(sentences, [_figure(each) for each in fewer])


def _by_people(topic: TopicData) -> Topic:
    """The topic with one score of each judge of a document."""
    judges = np.repeat(topic.workers, topic.places.shape[1])
    scores, documents = by_person(topic.normalised.ravel(), topic.places.ravel(), judges)
    return replace(drawable(topic, topic.lists), scores=scores, documents=documents)


def _by_topics(usual: Floats, seed: int, systems: int) -> Fewer:
    """Numbers of topics from 1 to all."""
    numbers = np.unique(np.linspace(1, len(usual), MOST_NUMBERS).round()).astype(int)
    draws = by_topics(usual, numbers.tolist(), DRAWS, seed)
    draws.overlaps[numbers < LEAST_TOPICS] = np.nan
    return Fewer("topic", "topics", numbers.tolist(), systems, *map(quantiles, draws[:3]))


def _sentence(fewer: Fewer) -> str:
    lowest, _, tau, _, highest = fewer.taus[fewer.middle]
    overlap, size = fewer.overlaps[fewer.middle, MEDIAN], fewer.sizes[fewer.middle, MEDIAN]
    remain = f", and of the top set of all, {percent(overlap)} remain in it, which then has "
    remain += f"{amount(size, 'system')} at the median"
    if np.isnan(overlap) or fewer.is_most:
        remain = ""
    return (
        f"{fewer.part}, tau is {correlation(tau, 3)} at the median of draws "
        f"({interval(lowest, highest)} in 95% of them){remain}."
    )


def _figure(fewer: Fewer) -> Figure:
    bands = zip((TAU, OVERLAP), (fewer.taus, fewer.overlaps), strict=True)
    known = [(of, n) for of, values in bands for n in zip(fewer.at, values.tolist(), strict=True)]
    rows = [(of, at, *ends) for of, (at, ends) in known if not np.isnan(ends[MEDIAN])]
    every = Frame.of_rows(("of", "at", *ENDS), rows)
    drawn = every.where(every["of"] == TAU) if fewer.is_most else every
    across = plots.axis("at", fewer.called, **plots.whole(fewer.at[0], fewer.at[-1]))
    plot = plots.bands(ROWS, across, "", (min(0.0, drawn["lowest"].min()), 1))
    ends = [f"{end}_{percent(at, 1)}" for end, at in zip(ENDS, QUANTILES, strict=True)]
    frame = Frame.of_rows(("of", f"{fewer.what}s", *ends), rows)
    return frame.with_heads(of="agreement").figure(
        f"by-{fewer.what}s",
        f"{fewer.part} tau is {correlation(fewer.taus[fewer.middle, MEDIAN])} at the median",
        "Line: median of draws; inner band: half of them; outer band: 95%.",
        plots.panels(plot, "of", list(dict.fromkeys(drawn["of"])), height=170),
        data={ROWS: drawn.marks("{at}: {median}")},
        reading=f"How the order of systems by some {fewer.called}, and the top set, agree with "
        f"those of all. Look for where the lines flatten. {_top_sets(fewer)}",
    )


def _top_sets(fewer: Fewer) -> str:
    """How large they are, without which their overlap cannot be read."""
    if fewer.is_most:
        return (
            "The top set of all has more than half of the systems: its overlap is not informative."
        )
    known = np.flatnonzero(~np.isnan(fewer.overlaps[:, MEDIAN]))
    if not known.size:
        return (
            f"Below {LEAST_TOPICS} topics no two systems can differ significantly, and there is no "
            "overlap."
        )
    (first, most), (last, least) = ((fewer.at[n], fewer.sizes[n, MEDIAN]) for n in known[[0, -1]])
    return (
        "Overlap is the share of the top set of all that remains in it; a larger top set keeps "
        f"more. At the median it has {amount(most, 'system')} with {first}, and {number(least)} "
        f"with {last}."
    )
