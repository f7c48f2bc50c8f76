"""How scores are distributed, before and after normalisation (paper, section 4.2, Figures 1, 2)."""

from typing import Any

import numpy as np

from evaluation.analyses import plots
from evaluation.analyses.data import Floats, StudyData
from evaluation.analyses.parts import Analysed, Figure, Row, Table, Tell, number, percent, span
from evaluation.scaling.aggregation import aggregate
from evaluation.scaling.distribution import (
    ROUND,
    LogNormal,
    empirical_cdf,
    fit_log_normal,
    kolmogorov_distance,
    shares_at,
)
from evaluation.scaling.flat import as_compared
from evaluation.scaling.spread import spread
from trec.words import count

RANGE = (0.01, 100.0)  # drawn where nearly all scores lie in it
NEARLY_ALL = 0.95
TAILS = (0.005, 0.995)
PAPERS_RANGE = (0.001, 100.0)
STEPS, STEPS_OF_A_TOPIC = 200, 40
MOST_TOPICS = 24
COLUMNS = ("topic", "n", "mean", "sd", "log_mean", "log_sd")
ALL = "all"


def analyse(data: StudyData, tell: Tell) -> Analysed:
    """Distribution functions of raw and normalised scores, fits, and shares at round numbers."""
    if not data.raw.size:
        return Analysed(["No unit is completed yet: there is no score."])
    raw = _groups(data, data.raw)
    normalised = _groups(data, data.values)
    tell(0.3)
    of_raw, of_normalised = _table("raw", raw), _table("normalised", normalised)
    tell(0.6)
    return Analysed(
        _sentences(data, of_raw, of_normalised),
        [
            *_figures("raw", raw, of_raw, "Figure 1"),
            *_figures("normalised", normalised, of_normalised, "Figure 2"),
            of_raw,
            of_normalised,
        ],
    )


def _groups(data: StudyData, values: Floats) -> dict[str, Floats]:
    """All scores, and those of each topic."""
    ends = np.cumsum([topic.scores.size for topic in data.topics])[:-1]
    names = [topic.query_id for topic in data.topics]
    return {ALL: values, **dict(zip(names, np.split(values, ends), strict=True))}


def _sentences(data: StudyData, raw: Table, normalised: Table) -> list[str]:
    rounds = [sum(table.rows[0][6:10]) for table in (raw, normalised)]
    inside = ((data.raw >= PAPERS_RANGE[0]) & (data.raw <= PAPERS_RANGE[1])).mean()
    topics = np.array([row[1:4] for row in raw.rows[1:]], dtype=float)
    (low_mean, low_sd), (high_mean, high_sd) = topics[:, 1:].min(axis=0), topics[:, 1:].max(axis=0)
    return [
        f"The {data.raw.size:,} scores have the geometric mean "
        f"{number(np.exp(raw.rows[0][4]))}. As given, {_fit(raw)}; normalised, {_fit(normalised)}. "
        "Magnitudes are expected to be about log-normal.",
        f"{percent(rounds[0])} of the scores as given are exactly 1, 2, 5 or 10, and "
        f"{percent(rounds[1])} after normalisation, which moves each unit by a factor of its own.",
        f"{percent(inside, 1)} of the scores as given lie from 0.001 to 100 (the paper: about "
        f"99.5%). Means of topics are {span(low_mean, high_mean)} (7.9 to 12.9), standard "
        f"deviations {span(low_sd, high_sd)} (17.5 to 23.2).",
    ]


def _fit(table: Table) -> str:
    distance = float(table.rows[0][-1])
    if np.isnan(distance):
        return "all are equal, so that no log-normal distribution fits them"
    return f"they stray from a log-normal distribution by {percent(distance, 1)} of all at most"


def _table(name: str, groups: dict[str, Floats]) -> Table:
    values = np.concatenate(list(groups.values()))
    codes = np.repeat(np.arange(len(groups)), [len(group) for group in groups.values()])
    means = aggregate(values, codes, len(groups), "arithmetic").values
    sds = spread(values, codes, len(groups)).sd
    rows = []
    for place, (group, scores) in enumerate(groups.items()):
        fit = fit_log_normal(scores)
        at_round = shares_at(as_compared(scores))
        distance = kolmogorov_distance(scores, fit)
        rows.append(
            (group, len(scores), means[place], sds[place], fit.mean, fit.sd, *at_round, distance)
        )
    return Table(
        f"{name}-table",
        f"Distribution of the {_said(name)}",
        (*COLUMNS, *(f"at_{value:g}" for value in ROUND), "distance"),
        rows,
        (
            "n: scores. Logarithms are natural, standard deviations with n - 1. at 1, 2, 5, 10: "
            "share of scores that are exactly this number. distance: the largest gap between the "
            "scores' distribution function and the fitted log-normal; none where all scores of a "
            "topic are equal.",
            "A few very large scores move mean and sd, and hardly the mean and sd of logarithms.",
        ),
        "section 4.2",
    )


def _said(name: str) -> str:
    return "scores as given" if name == "raw" else "normalised scores"


def _figures(name: str, groups: dict[str, Floats], table: Table, source: str) -> list[Figure]:
    drawn = drawn_range(groups[ALL])
    whole = _figure(name, groups, [ALL], drawn, _says(name, table), source)
    if len(groups) == 2:
        return [whole]
    far = sorted(table.rows[1:], key=lambda row: -np.nan_to_num(row[-1]))[:MOST_TOPICS]
    shown = [group for group in groups if group in {row[0] for row in far}]
    says = _says_by_topic(name, [row[-1] for row in far if not np.isnan(row[-1])])
    return [whole, _figure(f"{name}-topics", groups, shown, drawn, says, source)]


def _says_by_topic(name: str, distances: list[float]) -> str:
    if not distances:
        return f"The {_said(name)} of each topic are all equal"
    return (
        f"By topic, {_said(name)} stray by {percent(min(distances), 1)} to "
        f"{percent(max(distances), 1)} of all from the fit"
    )


def _says(name: str, table: Table) -> str:
    shares = table.rows[0][6:10]
    at = ", ".join(
        f"{value:g}: {percent(share)}" for value, share in zip(ROUND, shares, strict=True)
    )
    return f"{percent(sum(shares))} of the {_said(name)} are round numbers ({at})"


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


def _figure(
    name: str,
    groups: dict[str, Floats],
    shown: list[str],
    drawn: tuple[float, float],
    says: str,
    source: str,
) -> Figure:
    several = len(shown) > 1
    steps = STEPS_OF_A_TOPIC if several else STEPS
    data: list[dict[str, Any]] = []
    rows: list[Row] = []
    for group in shown:
        fit = fit_log_normal(groups[group])
        cdf = empirical_cdf(groups[group], steps)
        rows += zip([group] * len(cdf.values), *cdf, fit.cdf(cdf.values), strict=True)
        data += [{"topic": group} | row for row in _drawn(groups[group], fit, steps, drawn)]
    chart = _curves(drawn, "score" if several else _said(name))
    left_out = len(groups) - 1 - len(shown) if several else 0
    return Figure(
        name,
        says,
        "Steps: the share of scores at or below a score. Smooth curve: the log-normal distribution "
        "with their mean and deviation of logarithms. Dashed: 1, 2, 5 and 10. Look for steps where "
        f"a number is liked. Steps of less than {percent(1 / steps, 1)} are drawn together"
        + (f"; left out: {count(left_out, 'topic')} closer to the fit." if left_out else "."),
        plots.panels(chart, "topic", shown) if several else plots.sized(chart),
        {"curves": data},
        ("topic", "score", "share_at_or_below", "log_normal"),
        rows,
        source,
    )


def _curves(drawn: tuple[float, float], title: str) -> Any:
    """Steps, fit and dashed lines, each from rows of its own kind in one data set."""
    across = plots.x("score", title, log=True, domain=drawn, tickCount=3, format="~g")
    up = plots.y("share", "share at or below", domain=(0, 1), values=[0, 0.5, 1])
    data = plots.alt.NamedData("curves")  # one and the same, so that panels may divide it

    def of(kind: str, chart: Any) -> Any:
        chart.data = data
        return chart.transform_filter(f"datum.kind == '{kind}'")

    return plots.alt.layer(
        of("round", plots.rule_at("curves", along=across)),
        of("fit", plots.line("curves", across, up, color=plots.OTHER, strokeWidth=1.5)),
        of("steps", plots.line("curves", across, up, strokeWidth=1.5, interpolate="step-after")),
    )


def _drawn(
    scores: Floats, fit: LogNormal, steps: int, drawn: tuple[float, float]
) -> list[dict[str, Any]]:
    """The rows of one panel, none outside of what is drawn."""
    low, high = drawn
    cdf = empirical_cdf(scores, steps)
    inside = (cdf.values > low) & (cdf.values < high)
    ends = [(scores <= end).mean() for end in drawn]
    stepped = zip(
        [low, *cdf.values[inside], high], [ends[0], *cdf.shares[inside], ends[1]], strict=True
    )
    smooth = np.geomspace(low, high, max(steps // 2, 30))
    fitted = [] if np.isnan(fit.sd) or fit.sd == 0 else zip(smooth, fit.cdf(smooth), strict=True)
    return [
        *({"kind": "steps", "score": value, "share": share} for value, share in stepped),
        *({"kind": "fit", "score": value, "share": share} for value, share in fitted),
        *({"kind": "round", "score": value} for value in ROUND if low < value < high),
    ]
