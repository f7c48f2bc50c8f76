"""How scores are distributed, before and after normalisation (paper, section 4.2, Figures 1, 2).

**Shows** the distribution function of the scores as given and after normalisation, overall and by
topic, each beside the log-normal distribution fitted to it; the share of scores at exactly 1, 2, 5
and 10; and for each topic n, mean, standard deviation, mean and standard deviation of the
logarithms, and the distance to the fit.

**Computed**: natural logarithms, n - 1 standard deviations. The fit has the mean and the deviation
of the logarithms; the distance is the largest gap between the two functions, as in Kolmogorov's
test, whose tables do not apply to a fitted distribution. Charts and their CSV leave out steps of
less than half a percent (2.5% in panels). The range of a chart is 0.01 to 100 if 95% of the scores
lie in it, otherwise the range of 99% of them. With more than 24 topics, those with the largest
distances are drawn.

**Source**: section 4.2, Figures 1 and 2. The means and deviations by topic that the paper prints
may exclude scores above 100; ours do not.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from evaluation.analyses.analysis import OnProgress, analysis
from evaluation.analyses.scores.distribution_curves import ALL, curves
from evaluation.presentation import published
from evaluation.presentation.frame import Column, Frame
from evaluation.presentation.parts import Figure, Result, Table, number, percent, span
from evaluation.study.applies_to import magnitude
from evaluation.study.data import Floats, StudyData
from magnitudes.files.words import count
from magnitudes.scaling.aggregation import aggregate
from magnitudes.scaling.groups import as_compared
from magnitudes.spread.distribution import ROUND, fit_log_normal, kolmogorov_distance, shares_at
from magnitudes.spread.spread import spread

PAPERS_RANGE = (0.001, 100.0)
LEAST_ROUND = 0.05  # of scores: of fewer a title does not say that they are round
MAX_TOPICS = 12  # that are drawn


class Scores(NamedTuple):
    """Scores as given, or normalised."""

    name: str  # raw or normalised
    called: str  # in sentences
    source: str
    every: Floats
    groups: list[Floats]  # topic by topic
    table: Frame  # of all together, and of each topic

    @property
    def at_round(self) -> dict[float, float]:
        """The shares of all scores that are a round number."""
        return {value: float(self.table[f"at_{value:g}"][0]) for value in ROUND}

    @property
    def share_of_round(self) -> str:
        return percent(sum(self.at_round.values()))

    @property
    def topics(self) -> Frame:
        return self.table.where(np.arange(1, len(self.table)))


@analysis("How are the scores distributed?", applies_to=magnitude)
def analyse(data: StudyData, on_progress: OnProgress) -> Result:
    """Distribution functions of raw and normalised scores, fits, and shares at round numbers."""
    if not len(judgments := data.judgments):
        return Result(["No unit is completed yet: there is no score."])
    raw = _scores(data, judgments.scores, "raw", "scores as given", "Figure 1")
    on_progress(0.3)
    normalised = _scores(data, judgments.normalised, "normalised", "normalised scores", "Figure 2")
    on_progress(0.6)
    both = raw, normalised
    by_topic = [_by_topic(scores) for scores in both if len(scores.topics) > 1]
    parts = [*map(_of_all, both), *by_topic, *map(_table, both)]
    return Result([*_sentences(raw, normalised)], parts, _numbers(raw))


def _scores(data: StudyData, values: Floats, name: str, called: str, source: str) -> Scores:
    ends = np.cumsum([topic.scores.size for topic in data.topics])[:-1]
    groups = [values, *np.split(values, ends)]
    sizes = [len(scores) for scores in groups]
    together, group = np.concatenate(groups), np.repeat(np.arange(len(groups)), sizes)
    fits = [fit_log_normal(scores) for scores in groups]
    at_round = np.stack([shares_at(as_compared(scores)) for scores in groups], axis=1)
    gaps = [kolmogorov_distance(scores, fit) for scores, fit in zip(groups, fits, strict=True)]
    table = Frame.of(
        topic=["all", *(topic.query_id for topic in data.topics)],
        n=Column(sizes, "scores"),
        mean=aggregate(together, group, len(groups), "arithmetic").values,
        sd=spread(together, group, len(groups)).sd,
        log_mean=Column([fit.mean for fit in fits], "mean of logs"),
        log_sd=Column([fit.sd for fit in fits], "sd of logs"),
        **{
            f"at_{value:g}": Column(shares, f"exactly {value:g}")
            for value, shares in zip(ROUND, at_round, strict=True)
        },
        distance=Column(gaps, "largest gap"),
    )
    return Scores(name, called, source, values, groups[1:], table)


def _numbers(raw: Scores) -> dict[str, float]:
    """Of the scores as given; where topics are several, of the lowest and the highest."""
    every, topics = raw.every, raw.topics
    inside = ((every >= PAPERS_RANGE[0]) & (every <= PAPERS_RANGE[1])).mean()
    ends = {"lowest": np.min, "highest": np.max} if len(topics) > 1 else {}
    of_topics = {
        f"{end}_{name}_of_topics": float(of(topics[name]))
        for name in ("mean", "sd")
        for end, of in ends.items()
    }
    return {"in_range": float(inside), **of_topics}


def _sentences(raw: Scores, normalised: Scores) -> Iterator[str]:
    yield (
        f"{raw.share_of_round} of the scores as given are exactly 1, 2, 5 or 10. After "
        "normalisation, which moves each unit by a factor of its own, "
        f"{normalised.share_of_round} are."
    )
    gaps = {"as given": raw.table["distance"][0], "normalised": normalised.table["distance"][0]}
    known = ", ".join(f"{points(gap)} {name}" for name, gap in gaps.items() if not np.isnan(gap))
    expected = f"Largest gap to a log-normal, which magnitudes are expected to follow: {known}."
    yield expected if known else "All scores are equal: no log-normal distribution fits them."
    every, means, sds = raw.every, raw.topics["mean"], raw.topics["sd"]
    inside = _numbers(raw)["in_range"]
    yield (
        f"The geometric mean of {count(len(every), 'score')} is "
        f"{number(np.exp(raw.table['log_mean'][0]))}; {percent(inside, 1)} lie from 0.001 to 100 "
        + published.quote("(the paper: about {in_range}). Means of topics are ")
        + f"{span(means.min(), means.max())} "
        + published.quote("(the paper: {topic_means.low} to {topic_means.high}), ")
        + f"standard deviations {span(sds.min(), sds.max())} "
        + published.quote("(the paper: {topic_sds.low} to {topic_sds.high}).")
    )


def points(share: float) -> str:
    return f"{100 * share:.1f} points"


def _of_all(scores: Scores) -> Figure:
    at = ", ".join(f"{value:g}: {percent(share)}" for value, share in scores.at_round.items())
    title = f"{scores.share_of_round} of the {scores.called} are round numbers ({at})"
    gap = scores.table["distance"][0]
    if sum(scores.at_round.values()) < LEAST_ROUND and not np.isnan(gap):
        title = f"The {scores.called} lie up to {points(gap)} from a log-normal"
    every, called = scores.every, scores.called
    return curves(scores.name, title, {ALL: every}, every, called, source=scores.source)


def _by_topic(scores: Scores) -> Figure:
    """The topics that are farthest from their fit, in the order of topics."""
    gaps, title = scores.topics["distance"], f"The {scores.called} of each topic are all equal"
    if not np.isnan(gaps).all():
        between = span(np.nanmin(gaps), np.nanmax(gaps), points)
        title = f"By topic, the largest gap of the {scores.called} to a log-normal is {between}"
    far = np.argsort(-np.nan_to_num(gaps), kind="stable")[:MAX_TOPICS]
    groups = {scores.topics["topic"][place]: scores.groups[place] for place in np.sort(far)}
    name, left_out = f"{scores.name}-topics", len(gaps) - len(groups)
    return curves(name, title, groups, scores.every, scores.called, left_out, source=scores.source)


def _table(scores: Scores) -> Table:
    return scores.table.table(
        f"{scores.name}-table",
        f"Distribution of the {scores.called}",
        "Logarithms are natural, standard deviations with n - 1. Exactly 1, 2, 5, 10: the "
        "share of scores that are this number. Largest gap: between the scores' "
        "distribution function and the fitted log-normal; none where all are equal.",
        "A few very large scores move mean and sd, and hardly the mean and sd of logarithms.",
        source="section 4.2",
    )
