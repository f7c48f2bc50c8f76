"""Which systems differ, all pairs at once (section 5 of the paper on unanimity).

**Shows** by nDCG and by ERR which pairs of systems differ: one row per system with its mean and a
bar to both sides; two systems differ if their bars do not overlap. It also shows from which rank
systems differ from the best; for each system, how many are better and worse; and every pair that
differs, with difference, p and effect size.

**Computed** by the randomised Tukey HSD test, paired by topic: the values of each topic are put in
a random order 5,000 times, and p = (b + 1) / (B + 1), where in b of these B orders the range of the
means of all systems is at least the pair's difference; the observed values count as one more order.
All pairs are compared with the same distribution, so that p depends only on the difference, and the
probability of calling even one pair different if none is stays below .05. The critical difference
is the smallest one with p < .05; bars are half of it to both sides. The effect size is the
difference divided by the standard deviation of the residuals after removing the means of topics and
of systems. Because p is from 5,000 draws, pairs whose p lies within two standard errors of .05 may
change sides with another seed, and are reported as a range (*22 (19 to 23 by seed)*). The system
that is in most of the pairs is left out once and the others are tested on their own, to see whether
all differences depend on one system.

**Headline** of the results: the same test by the study's first measure and gains. If all pairs
depend on one system, it says that no difference between the others can be shown; otherwise how many
differ from the highest mean. It is *Too early to rank* while units are free or in progress and the
study is not closed, or less than 90% of the documents that the measure considers are judged; below
six topics it is *too few topics to say*. Until the [planned end](studies.md#opening-it) it begins
with *Interim*. If batches were ordered after a ranking was visible, the systems over only the units
of the plan are shown beside those over all.

**Beware**: two systems between which no difference can be shown need not be equal; on few topics
hardly any difference can be shown. The top set (rankings) comes from a test of each system alone
against the best, and is usually smaller.

**Source**: Sakai, Unanimity-Aware Gain for Highly Subjective Assessments, EVIA 2017 (here: the
paper on unanimity), section 5, and what it cites: Carterette, ACM TOIS 30(1), 2012.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from evaluation.analyses.analysis import Numbers, OnProgress, analysis, tracked
from evaluation.analyses.question import USUAL, Question
from evaluation.analyses.systems import all_pairs, system_bars
from evaluation.analyses.systems.all_pairs import SOURCE, Tested
from evaluation.presentation.frame import Frame
from evaluation.presentation.parts import Result, Table, dashes, number, percent
from evaluation.publishing import planned_end
from evaluation.publishing.planned_end import PlannedEnd
from evaluation.study import scoring
from evaluation.study.data import StudyData
from magnitudes.comparison.top_set import LEVEL
from magnitudes.comparison.tukey import N_RESAMPLES
from magnitudes.files.words import count
from magnitudes.measures.names import parse, short


def methods(data: StudyData, numbers: Numbers) -> str:
    return (
        "Which systems differ was tested for all pairs at once by the randomised Tukey HSD test, "
        f"{N_RESAMPLES:,} trials, at p < {LEVEL:g}."
    )


@analysis(
    "Which systems differ?",
    methods=methods,
    takes=("measure", "gains"),
    titled=True,
    of_systems=True,
)
def analyse(data: StudyData, on_progress: OnProgress, asked: Question = USUAL) -> Result:
    """Randomised Tukey HSD of all pairs of systems, by each measure or the one asked for."""
    if not len(data.units) or not data.runs:
        return Result(["There is no ranking yet, so there are no systems to compare."])
    measures = (parse(asked.measure),) if asked.measure else scoring.measures(data.study)
    every = [all_pairs.tested(data, by, asked.gains) for by in tracked(measures, on_progress)]
    known = [tested for tested in every if not np.isnan(tested.critical)]
    told = {"told_apart": every[0].told.to_json()}
    end = data.planned_end if not (asked.measure or asked.gains) else None
    beyond = {"planned_end": end.sentence} if end else {}
    if not known:
        reason = f"Which systems differ cannot be tested: {every[0].reason}."
        return Result([reason, *beyond.values()], numbers=told | beyond)
    differ = known[0].is_enough and any(len(tested.pairs) for tested in known)
    tables = [*map(all_pairs.table, known), *([_all_pairs(known)] if differ else [])]
    tables += [at_planned_end(end)] if end else []
    numbers = {f"critical_{tested.measure.name}": tested.critical for tested in known}
    numbers |= {f"pairs_{tested.measure.name}": len(tested.pairs) for tested in known}
    return Result(
        [*_sentences(known, asked.of(data.study)), *beyond.values()],
        [*map(system_bars.figure, known), *tables],
        numbers | told | beyond,
    )


def _sentences(every: Sequence[Tested], gains: str) -> Iterator[str]:
    told = every[0].told
    differ = (f"{tested.told.pairs.said} by {tested.measure.short}" for tested in every)
    if not every[0].is_enough:
        yield f"{every[0].too_few}. They are measured by {gains}."
        return
    yield (
        f"Of {count(told.pairs.all, 'pair')} of {told.systems} systems, measured by "
        f"{gains} on {count(told.topics, 'topic')}, {' and '.join(differ)} differ "
        f"(randomised Tukey HSD, {N_RESAMPLES:,} trials, p < {LEVEL}: if no systems differed, the "
        f"chance to call even one pair different would be {percent(LEVEL)})."
    )
    for tested in every:
        yield f"By {tested.measure.short}: {_from_best(tested)} {_effects(tested)}".strip()
    reasons = sorted({tested.reason for tested in every} - {""})
    yield from (f"No effect sizes: {reason}." for reason in reasons)


def _from_best(tested: Tested) -> str:
    best, like_best, critical = tested.told.best, tested.like_best, number(tested.critical)
    if like_best == tested.told.systems:
        return (
            f"no system differs significantly from the best, {best}; the critical difference is "
            f"{critical}."
        )
    return (
        f"systems from place {like_best + 1} on differ significantly from the best, {best}; "
        f"{count(like_best - 1, 'other does', 'others do')} not. The "
        f"critical difference is {critical}."
    )


def _effects(tested: Tested) -> str:
    effects = tested.pairs["effect_size"]
    if not len(effects) or np.isnan(effects).any():
        return ""
    if len(effects) == 1:
        return f"The effect size of the pair that differs is {number(effects[0])}."
    low, middle, high = map(number, np.quantile(effects, (0, 0.5, 1)).tolist())
    return (
        f"Effect sizes of the pairs that differ: {low} to {high} residual standard deviations, "
        f"median {middle}."
    )


def _all_pairs(every: Sequence[Tested]) -> Table:
    first, *others = (tested.pairs for tested in every)
    return first.followed_by(*others).table(
        "pairs",
        "Pairs of systems that differ, farthest apart first",
        f"p: the share of {N_RESAMPLES:,} trials in which the means of all systems, with the "
        "values of each topic put in a random order, lie as far apart; 0 in a file is less than "
        f"{1 / N_RESAMPLES:g}. Effect size: the difference in residual standard deviations, those "
        "of a value once its topic's and its system's mean are taken away. Seed "
        f"{every[0].told.seed}.",
        *dashes(tested.reason for tested in every),
        source=f"Table 3 {SOURCE}",
    )


def at_planned_end(end: PlannedEnd) -> Table:
    """All systems over the units of the plan alone, best first, and over all units."""
    systems = Frame.of(
        system=end.runs,
        place_at_end=end.alone.ranks,
        mean_at_end=end.alone.means,
        place_over_all=end.over_all.ranks,
        mean_over_all=end.over_all.means,
    )
    return systems.where(planned_end.order(end.alone)).table(
        "planned-end",
        f"All systems by {short(end.measure)} at the planned end, and over all units",
        f"At the planned end: {count(end.units, 'unit')} of the plan alone; over all: "
        f"{count(end.all_units, 'unit')}, those of batches among them.",
    )
