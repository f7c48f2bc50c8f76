"""How scores are distributed, before and after normalisation (paper, section 4.2, Figures 1, 2)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from evaluation.analyses.analysis import Analysis
from evaluation.presentation import plots, published
from evaluation.presentation.parts import Analysed, Figure, Table, Tell, number, percent, span
from evaluation.study.data import Floats, StudyData
from evaluation.study.fits import magnitude
from magnitudes.files.words import count
from magnitudes.scaling.aggregation import aggregate
from magnitudes.scaling.groups import as_compared
from magnitudes.spread.distribution import (
    ROUND,
    LogNormal,
    empirical_cdf,
    fit_log_normal,
    kolmogorov_distance,
    shares_at,
)
from magnitudes.spread.spread import spread

RANGE = (0.01, 100.0)  # drawn where nearly all scores lie in it
NEARLY_ALL = 0.95
TAILS = (0.005, 0.995)
PAPERS_RANGE = (0.001, 100.0)
STEPS, STEPS_OF_A_TOPIC = 200, 40
MOST_TOPICS = 8  # that are drawn, so that panels are large enough
COLUMNS = (
    *("topic", "n", "mean", "sd", "log_mean", "log_sd"),
    *(f"at_{value:g}" for value in ROUND),
    "distance",
)


class Distribution(NamedTuple):
    """The scores of a topic, or of all: at_round are shares at ROUND; distance is from the fit."""

    topic: str
    scores: Floats
    mean: float
    sd: float
    fit: LogNormal
    at_round: tuple[float, ...]
    distance: float

    @property
    def row(self) -> tuple[Any, ...]:
        """As the table has it."""
        return (
            *(self.topic, len(self.scores), self.mean, self.sd),
            *(*self.fit, *self.at_round, self.distance),
        )


class Point(NamedTuple):
    """A point of the distribution functions that are drawn."""

    topic: str
    score: float
    share: float
    log_normal: float


@dataclass(frozen=True)
class Scores:
    """Scores as given, or normalised: all together, and topic by topic."""

    name: str  # raw or normalised
    called: str  # in sentences
    all: Distribution
    topics: list[Distribution]
    source: str

    @property
    def range(self) -> tuple[float, float]:
        """What is drawn."""
        return drawn_range(self.all.scores)


@dataclass(frozen=True)
class Found:
    """The scores before and after normalisation."""

    raw: Scores
    normalised: Scores


def analyse(data: StudyData, tell: Tell) -> Analysed:
    """Distribution functions of raw and normalised scores, fits, and shares at round numbers."""
    if not len(data.judgments):
        return Analysed(["No unit is completed yet: there is no score."])
    raw = _scores(data, data.judgments.scores, "raw", "scores as given", "Figure 1")
    tell(0.3)
    normalised = _scores(
        data, data.judgments.normalised, "normalised", "normalised scores", "Figure 2"
    )
    tell(0.6)
    found = Found(raw, normalised)
    return Analysed(says(found), [*figures(found), *tables(found)])


def _scores(data: StudyData, values: Floats, name: str, called: str, source: str) -> Scores:
    ends = np.cumsum([topic.scores.size for topic in data.topics])[:-1]
    groups = [values, *np.split(values, ends)]
    names = ["all", *(topic.query_id for topic in data.topics)]
    together = np.concatenate(groups)
    group = np.repeat(np.arange(len(groups)), [len(scores) for scores in groups])
    means = aggregate(together, group, len(groups), "arithmetic").values
    sds = spread(together, group, len(groups)).sd
    every, *topics = map(_distribution, names, groups, means.tolist(), sds.tolist())
    return Scores(name, called, every, topics, source)


def _distribution(topic: str, scores: Floats, mean: float, sd: float) -> Distribution:
    fit = fit_log_normal(scores)
    at_round = tuple(shares_at(as_compared(scores)))
    return Distribution(topic, scores, mean, sd, fit, at_round, kolmogorov_distance(scores, fit))


def drawn_range(values: Floats) -> tuple[float, float]:
    """0.01 to 100 if nearly all values lie there, else from where to where 99% do.

    >>> drawn_range(np.array([0.5, 1, 50])), drawn_range(np.full(8, 1e9))
    ((0.01, 100.0), (100000000.0, 10000000000.0))
    """
    if ((values >= RANGE[0]) & (values <= RANGE[1])).mean() >= NEARLY_ALL:
        return RANGE
    low, high = np.quantile(np.log10(values), TAILS)
    if high - low < 1:
        low, high = low - 1, high + 1
    return float(10**low), float(10**high)


def says(found: Found) -> list[str]:
    raw, normalised = found.raw.all, found.normalised.all
    low, high = PAPERS_RANGE
    inside = ((raw.scores >= low) & (raw.scores <= high)).mean()
    means = np.array([topic.mean for topic in found.raw.topics])
    sds = np.array([topic.sd for topic in found.raw.topics], dtype=float)
    return [
        f"{percent(sum(raw.at_round))} of the scores as given are exactly 1, 2, 5 or 10. After "
        "normalisation, which moves each unit by a factor of its own, "
        f"{percent(sum(normalised.at_round))} are.",
        _says_fit(raw, normalised),
        f"The geometric mean of {count(len(raw.scores), 'score')} is "
        f"{number(np.exp(raw.fit.mean))}; {percent(inside, 1)} lie from 0.001 to 100 "
        + published.quote("(the paper: about {in_range}). Means of topics are ")
        + f"{span(means.min(), means.max())} "
        + published.quote("(the paper: {topic_means.low} to {topic_means.high}), ")
        + f"standard deviations {span(sds.min(), sds.max())} "
        + published.quote("({topic_sds.low} to {topic_sds.high})."),
    ]


def _says_fit(raw: Distribution, normalised: Distribution) -> str:
    gaps = [
        f"{points(scores.distance)} {called}"
        for scores, called in ((raw, "as given"), (normalised, "normalised"))
        if not np.isnan(scores.distance)
    ]
    if not gaps:
        return "All scores are equal: no log-normal distribution fits them."
    return (
        f"Largest gap to a log-normal, which magnitudes are expected to follow: {', '.join(gaps)}."
    )


def points(share: float) -> str:
    """A difference of two shares."""
    return f"{100 * share:.1f} points"


def figures(found: Found) -> Iterator[Figure]:
    """All scores before and after normalisation, then those of topics: pairs on a wide page."""
    both = found.raw, found.normalised
    for scores in both:
        yield _figure(scores, scores.name, [scores.all], _says_round(scores))
    yield from (_by_topic(scores) for scores in both if len(scores.topics) > 1)


def _says_round(scores: Scores) -> str:
    shares = scores.all.at_round
    at = ", ".join(
        f"{value:g}: {percent(share)}" for value, share in zip(ROUND, shares, strict=True)
    )
    return f"{percent(sum(shares))} of the {scores.called} are round numbers ({at})"


def _by_topic(scores: Scores) -> Figure:
    """The topics that are farthest from their fit, in the order of topics."""
    far = sorted(scores.topics, key=lambda topic: -np.nan_to_num(topic.distance))[:MOST_TOPICS]
    names = {topic.topic for topic in far}
    shown = [topic for topic in scores.topics if topic.topic in names]
    distances = [topic.distance for topic in scores.topics if not np.isnan(topic.distance)]
    says = f"The {scores.called} of each topic are all equal"
    if distances:
        says = (
            f"By topic, the largest gap of the {scores.called} to a log-normal is "
            f"{span(min(distances), max(distances), points)}"
        )
    return _figure(scores, f"{scores.name}-topics", shown, says)


def _figure(scores: Scores, name: str, shown: Sequence[Distribution], says: str) -> Figure:
    several = len(shown) > 1
    steps = STEPS_OF_A_TOPIC if several else STEPS
    chart = _curves(scores.range, "score" if several else scores.called)
    left_out = len(scores.topics) - len(shown) if several else 0
    return Figure(
        name,
        says,
        "Steps: scores; smooth: the fitted log-normal; dashed: 1, 2, 5 and 10"
        + (f". Left out: {count(left_out, 'topic')} closer to the fit." if left_out else "."),
        plots.panels(chart, "topic", [topic.topic for topic in shown])
        if several
        else plots.sized(chart),
        _marks(shown, steps, scores.range),
        ("topic", "score", "share_at_or_below", "log_normal"),
        [point for topic in shown for point in _points(topic, steps)],
        scores.source,
        reading="The share of scores at or below a score. The log-normal has the mean and the "
        "deviation of their logarithms. Look for steps where a number is liked; steps of less than "
        f"{percent(1 / steps, 1)} are drawn together.",
    )


def _points(topic: Distribution, steps: int) -> Iterator[Point]:
    cdf = empirical_cdf(topic.scores, steps)
    for point in zip(*cdf, topic.fit.cdf(cdf.values), strict=True):
        yield Point(topic.topic, *point)


def _curves(ends: tuple[float, float], title: str) -> Any:
    """Steps, fit and dashed lines, each from rows of its own kind in one data set."""
    across = plots.axis("score", title, log=True, domain=ends)
    up = plots.axis("share", "share at or below", domain=(0, 1), values=[0, 0.5, 1])
    return plots.layer(
        plots.rule_at("round", x=across),
        plots.line("fit", across, up, colour=plots.OTHER, width=1.5),
        plots.line("steps", across, up, width=1.5, step="after"),
    )


def _marks(
    shown: Sequence[Distribution], steps: int, ends: tuple[float, float]
) -> dict[str, list[dict[str, Any]]]:
    """What is drawn, nothing outside of the ends."""
    low, high = ends
    smooth = np.geomspace(low, high, max(steps // 2, 30))
    marks: dict[str, list[dict[str, Any]]] = {
        "round": [{"score": value} for value in ROUND if low < value < high],
        "fit": [],
        "steps": [],
    }
    for topic in shown:
        cdf, fit = empirical_cdf(topic.scores, steps), topic.fit
        inside = (cdf.values > low) & (cdf.values < high)
        at_ends = [(topic.scores <= end).mean() for end in ends]
        curves = {
            "steps": zip(
                [low, *cdf.values[inside], high],
                [at_ends[0], *cdf.shares[inside], at_ends[1]],
                strict=True,
            )
        }
        if fit.sd > 0:
            curves["fit"] = zip(smooth, fit.cdf(smooth), strict=True)
        for name, points in curves.items():
            marks[name] += [{"topic": topic.topic, "score": x, "share": y} for x, y in points]
    return marks


def tables(found: Found) -> list[Table]:
    return [
        Table(
            f"{scores.name}-table",
            f"Distribution of the {scores.called}",
            COLUMNS,
            [topic.row for topic in (scores.all, *scores.topics)],
            (
                "Logarithms are natural, standard deviations with n - 1. Exactly 1, 2, 5, 10: the "
                "share of scores that are this number. Largest gap: between the scores' "
                "distribution function and the fitted log-normal; none where all are equal.",
                "A few very large scores move mean and sd, and hardly the mean and sd of "
                "logarithms.",
            ),
            "section 4.2",
        )
        for scores in (found.raw, found.normalised)
    ]


ANALYSIS = Analysis("distributions", "How are the scores distributed?", analyse, fits=magnitude)
