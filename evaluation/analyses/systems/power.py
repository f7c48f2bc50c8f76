"""How many pairs of systems a measure tells apart (the paper on time-biased gain, Table 2)."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from evaluation.analyses.analysis import Analysis, Numbers
from evaluation.analyses.question import USUAL, Question
from evaluation.analyses.study import comparing as systems
from evaluation.analyses.study.data import Floats, StudyData
from evaluation.analyses.telling import plots
from evaluation.analyses.telling.parts import Analysed, Figure, Row, Table, Tell, percent
from evaluation.comparison.bootstrap import bootstrap
from evaluation.comparison.discrimination import Power, discriminative_power, significance_curve
from evaluation.comparison.paired_t import paired_t
from evaluation.comparison.pairs import TURNS, PairTests
from evaluation.comparison.random_signs import random_signs
from evaluation.comparison.top_set import LEVEL
from evaluation.comparison.tukey import tukey_hsd
from evaluation.measures.names import Measure, MeasureNameError, parse
from trec.words import count

SOURCE = "of Smucker and Clarke, SIGIR 2012"
MORE = ("P@10", "AP@10", "RBP@10", "RR@10", "nERR@10", "P+@10")
PAPER = {
    "MAP": (0.660, 0.664, 0.672),
    "P@10": (0.516, 0.514, 0.527),
    "nDCG@10": (0.495, 0.496, 0.510),
    "nDCG@20": (0.545, 0.546, 0.556),
    "TBG": (0.575, 0.575, 0.588),
}
KINDS = {
    "paired t": ("circle", plots.MARK),
    "randomisation": ("diamond", plots.OTHER),
    "bootstrap": ("triangle-up", plots.INK),
}
TESTS: Mapping[str, Callable[[Floats, int], PairTests]] = {
    "paired t": lambda values, seed: paired_t(values),
    "randomisation": lambda values, seed: random_signs(values, seed=seed),
    "bootstrap": lambda values, seed: bootstrap(values, seed=seed),
}
CURVES, STEPS, HIGHEST = "bootstrap", 100, 0.2  # whose curves are drawn, at how many places, to p
RELEVANT = (
    "Relevant, for measures that ask for it: a gain from halfway, by ratio, between the anchors on."
)


class Found(NamedTuple):
    """One measure: the power of each test by name, Tukey's, and the curve that is drawn."""

    measure: Measure
    powers: dict[str, Power]
    tukey: Power
    curve: Floats
    reasons: frozenset[str]

    @property
    def mean(self) -> float:
        return float(np.mean([power.share for power in self.known.values()]))

    @property
    def known(self) -> dict[str, Power]:
        """By the tests that could test a pair."""
        return {name: power for name, power in self.powers.items() if power.tested}


def analyse(data: StudyData, tell: Tell, asked: Question = USUAL) -> Analysed:
    """Discriminative power of several measures by three tests of single pairs."""
    if not data.units or not data.runs:
        return Analysed(["There is no ranking yet, so no systems to tell apart."])
    found: list[Found] = []
    faults = []
    every = measures(data)
    if asked.measure and parse(asked.measure) not in every:
        every.append(parse(asked.measure))
    for done, by in enumerate(every):
        try:
            by, _, values = systems.measured(data, by, asked.gains)
            found.append(_found(by, values, data.seed))
        except MeasureNameError as fault:
            faults.append(str(fault))
        tell((done + 1) / len(every))
    if not any(one.known for one in found):
        reasons = sorted(found[0].reasons)
        return Analysed([f"No pair of systems can be tested: {'; '.join(reasons)}."])
    found = sorted((one for one in found if one.known), key=lambda one: -one.mean)
    return Analysed(
        [*_says(data, found, asked.of(data.study))],
        [
            _powers(found),
            *([_curves(drawn)] if (drawn := [one for one in found if one.curve.size]) else []),
            _table(data, found, faults),
        ],
        {str(one.measure): one.mean for one in found},
    )


def measures(data: StudyData) -> list[Measure]:
    """Those that systems are ranked by, and others; with the threshold of a study of magnitudes."""
    more = [parse(name) for name in MORE]
    return [*systems.MEASURES, *(more if data.study.is_graded else (by.in_study() for by in more))]


def _found(by: Measure, values: Floats, seed: int) -> Found:
    tests = {name: test(values, seed) for name, test in TESTS.items()}
    return Found(
        by,
        {name: discriminative_power(test.p) for name, test in tests.items()},
        discriminative_power(tukey_hsd(values, seed=seed).p),
        significance_curve(tests[CURVES].p),
        frozenset(test.reason for test in tests.values()) - {""},
    )


def _says(data: StudyData, found: Sequence[Found], gains: str) -> Iterator[str]:
    best, least, usual = found[0], found[-1], systems.MEASURES[0]
    pairs = next(iter(best.powers.values())).pairs
    where = (
        f"Of {count(pairs, 'pair')} of {count(len(data.runs), 'system')} on "
        f"{count(len(data.topics), 'topic')}, measured by {gains},"
    )
    place = next((n for n, one in enumerate(found, 1) if one.measure == usual), None)
    if not best.mean:
        yield f"{where} none is told apart by any measure."
    elif best.mean == least.mean:
        yield f"{where} all measures tell as many apart: {_shares(best)}."
    else:
        yield (
            f"{where} {best.measure} tells most apart: {_shares(best)}. {least.measure} tells "
            f"fewest: {_shares(least)}."
        )
    if place and best.mean > least.mean:
        yield f"{usual}, by which systems are ranked, is number {place} of {len(found)}."
    yield (
        f"Smucker and Clarke found {percent(PAPER['nDCG@10'][0], 1)} by nDCG@10 and "
        f"{percent(PAPER['P@10'][0], 1)} by P@10, with the paired t test."
    )
    yield (
        "These tests ask of each pair alone and are not corrected for how many there are: if no "
        f"systems differed, {percent(LEVEL)} of pairs would still seem to. They serve to compare "
        "measures; which systems differ is the question above. A measure with little power needs "
        "more topics; one with much need not be a good one."
    )


def _shares(one: Found) -> str:
    return ", ".join(f"{percent(of.share, 1)} ({name})" for name, of in one.known.items())


def _powers(found: Sequence[Found]) -> Figure:
    rows = [
        (str(one.measure), name, of.share, of.significant, of.tested)
        for one in found
        for name, of in one.known.items()
    ]
    apart = plots.alt.YOffset("test:N", sort=list(KINDS))
    down = plots.down("measure", [str(one.measure) for one in found])
    share = plots.x("share", "pairs told apart", format=".0%")
    return Figure(
        "power",
        f"{found[0].measure} tells {percent(found[0].mean)} of pairs apart, {found[-1].measure} "
        f"{percent(found[-1].mean)}"
        if found[0].mean
        else "No measure tells two systems apart",
        f"Dots: the share of pairs of systems with p < {LEVEL}, by three tests of single pairs. "
        "Look at the order of measures, and whether the tests agree on it.",
        plots.sized(
            plots.shaped("measures", share, down, "test", KINDS, columns=2).encode(yOffset=apart),
            34 * len(found),
            plots.WIDTH - 180,
        ),
        {
            "measures": [
                {
                    "measure": measure,
                    "test": test,
                    "share": share,
                    "name": f"{measure}, {test}: {percent(share, 1)}, {n:,} of {tested:,}",
                }
                for measure, test, share, n, tested in rows
            ]
        },
        ("measure", "test", "share", "significant", "tested"),
        rows,
        f"Table 2 {SOURCE}",
        left=36,  # names in a wider font
    )


def _curves(found: Sequence[Found]) -> Figure:
    shares = np.linspace(0, 1, STEPS + 1)
    curves = np.stack([np.quantile(one.curve, shares, method="lower") for one in found])
    low, high = curves.min(axis=0), curves.max(axis=0)
    rows = [
        (str(one.measure), *row)
        for one, curve in zip(found, curves, strict=True)
        for row in zip(shares.tolist(), curve.tolist(), low.tolist(), high.tolist(), strict=True)
    ]
    names = [str(one.measure) for one in found]
    end = max(0.1, float(shares[low <= HIGHEST].max(initial=0)))
    share = plots.x("share", "pairs", format=".0%", tickCount=3, domain=(0, end))
    low_y, p_y, level_y = (
        plots.y(field, "p", domain=(0, HIGHEST), titlePadding=12) for field in ("low", "p", "level")
    )
    line = plots.alt.layer(
        plots.band("curves", share, low_y, "high"),
        plots.line("curves", share, p_y, clip=True),
        plots.rule_at("curves", along=level_y).transform_filter("isValid(datum.level)"),
    )
    return Figure(
        "curves",
        f"p of all pairs of systems, smallest first, by {count(len(found), 'measure')}",
        f"Line: p by the {CURVES} test, from the pair that is surest to differ to the one that is "
        f"least; drawn to {HIGHEST}. It crosses the dashed line, p = {LEVEL}, at the share of "
        "pairs told apart. Shade: from the lowest to the highest line of all measures. Look for "
        "lines along its lower edge.",
        plots.panels(line, "measure", names, columns=2),
        {
            "curves": [
                *(
                    {
                        "measure": measure,
                        "share": share,
                        "p": p,
                        "low": min(low, HIGHEST),
                        "high": min(high, HIGHEST),
                    }
                    for measure, share, p, low, high in rows
                    if share <= end
                ),
                *({"measure": name, "level": LEVEL} for name in names),
            ]
        },
        ("measure", "share_of_pairs", "p", "lowest_of_all", "highest_of_all"),
        rows,
        "section 5 of Sakai, SIGIR 2006",
    )


def _table(data: StudyData, found: Sequence[Found], faults: Sequence[str]) -> Table:
    rows: list[Row] = [
        (str(one.measure), *(of.share for of in one.powers.values()), one.tukey.share)
        for one in found
    ]
    rows += [(f"the paper's {name}", *shares, None) for name, shares in PAPER.items()]
    pairs = {of for one in found for of in one.powers.values() if of.tested < of.pairs}
    reasons = sorted({reason for one in found for reason in one.reasons})
    return Table(
        "shares",
        "Pairs of systems that a measure tells apart",
        ("measure", *(name.replace(" ", "_") for name in TESTS), "tukey_hsd"),
        rows,
        (
            f"The share of pairs with p < {LEVEL}: paired t test, randomisation test and bootstrap "
            f"test ({TURNS:,} turns each, seed {data.seed}), two-sided, of each pair alone; and "
            "randomised Tukey HSD of all pairs at once. Lists are read to rank 10. The paper's are "
            "of all runs of TREC's Robust Track 2005.",
            *([] if data.study.is_graded else [RELEVANT]),
            *(f"Some pairs are not tested: {reason}." for reason in reasons if pairs),
            *(f"Left out: {fault}." for fault in faults),
        ),
        f"Table 2 {SOURCE}",
    )


def methods(data: StudyData, numbers: Numbers) -> str:
    return (
        f"Discriminative power is the share of pairs of systems with p < {LEVEL:g} by the paired t "
        f"test, and by the randomisation test and the bootstrap test, {TURNS:,} turns each."
    )


ANALYSIS = Analysis(
    "power",
    "Which measures tell most systems apart?",
    analyse,
    methods=methods,
    takes=("measure", "gains"),
)
