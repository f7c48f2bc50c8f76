"""How many pairs of systems a measure tells apart (the paper on time-biased gain, Table 2)."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from evaluation.analyses.analysis import Analysis, Numbers
from evaluation.analyses.quantities import BY_T
from evaluation.analyses.question import USUAL, Question
from evaluation.analyses.systems import curves
from evaluation.presentation import plots, published
from evaluation.presentation.parts import Analysed, Figure, Table, Tell, drawn, percent
from evaluation.study import comparing
from evaluation.study.data import Floats, StudyData
from magnitudes.comparison.bootstrap import bootstrap
from magnitudes.comparison.discrimination import Power, discriminative_power, significance_curve
from magnitudes.comparison.paired_t import paired_t
from magnitudes.comparison.pairs import TURNS, PairTests
from magnitudes.comparison.power_difference import N_RESAMPLES, p_of_more_power
from magnitudes.comparison.random_signs import random_signs
from magnitudes.comparison.top_set import LEAST_TOPICS, LEVEL
from magnitudes.comparison.tukey import tukey_hsd
from magnitudes.files.words import count
from magnitudes.measures.names import Measure, MeasureNameError, parse

SOURCE = "of Smucker and Clarke, SIGIR 2012"
MORE = ("P", "AP", "RBP", "RR", "nERR", "P+")
PAPER = [published.values(f"power_{test}") for test in ("t", "randomisation", "bootstrap")]
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
RELEVANT = (
    "Relevant, for measures that ask for it: a gain from halfway, by ratio, between the anchors on."
)


class Share(NamedTuple):
    """The share of pairs that a measure tells apart by one test."""

    measure: str
    test: str
    share: float
    significant: int
    tested: int


class Shares(NamedTuple):
    """The share of pairs that a measure tells apart, by each test."""

    measure: str
    paired_t: float
    randomisation: float
    bootstrap: float
    tukey_hsd: float | None = None


class Tested(NamedTuple):
    """One measure: the power of each test by name, Tukey's, and the curve that is drawn."""

    measure: Measure
    powers: dict[str, Power]
    tukey: Power
    curve: Floats
    values: Floats  # (topics, systems)
    reasons: frozenset[str]  # why a pair was not tested

    @property
    def known(self) -> dict[str, Power]:
        """By the tests that could test a pair."""
        return {name: power for name, power in self.powers.items() if power.tested}

    @property
    def mean(self) -> float:
        return float(np.mean([power.share for power in self.known.values()]))


@dataclass(frozen=True)
class Found:
    """Measures that could test a pair, the most powerful first.

    reasons: why pairs, faults: why measures were not tested; gains: what they are called.
    """

    usual: Measure  # that systems are ranked by
    tests: list[Tested]
    reasons: list[str]
    faults: list[str]
    runs: int
    topics: int
    gains: str
    by_anchors: bool  # which tell what is relevant
    more: tuple[Tested, Tested] | None  # the pair of which it is surest that one tells more apart
    seed: int


def analyse(data: StudyData, tell: Tell, asked: Question = USUAL) -> Analysed:
    """Discriminative power of several measures by three tests of single pairs."""
    if not len(data.units) or not data.runs:
        return Analysed(["There is no ranking yet, so no systems to tell apart."])
    found = compute(data, tell, asked)
    if not found.tests:
        reasons = found.reasons or found.faults
        return Analysed([f"No pair of systems can be tested: {'; '.join(reasons)}."])
    return Analysed(
        [*says(found)],
        [*figures(found), table(found)],
        {str(tested.measure): tested.mean for tested in found.tests} | by_t(found),
    )


def by_t(found: Found) -> dict[str, float]:
    """The share of pairs that a measure tells apart by the paired t test, as the paper has it."""
    return {
        f"{tested.measure}{BY_T}": power.share
        for tested in found.tests
        if (power := tested.powers["paired t"]).tested
    }


def measures(data: StudyData) -> list[Measure]:
    """Those that systems are ranked by, and others; with the threshold of a study of magnitudes."""
    more = [comparing.to_cutoff(name, data.study) for name in MORE]
    return [
        *comparing.measures(data.study),
        *(more if data.study.is_graded else (by.in_study() for by in more)),
    ]


def compute(data: StudyData, tell: Tell, asked: Question) -> Found:
    every = measures(data)
    if asked.measure and parse(asked.measure) not in every:
        every.append(parse(asked.measure))
    tests, faults = [], []
    for done, measure in enumerate(every, 1):
        try:
            tests.append(_tested(comparing.measured(data, measure, asked.gains), data.seed))
        except MeasureNameError as fault:
            faults.append(str(fault))
        tell(done / len(every))
    known = sorted((tested for tested in tests if tested.known), key=lambda one: -one.mean)
    return Found(
        every[0],
        known,
        sorted({reason for tested in known or tests for reason in tested.reasons}),
        faults,
        len(data.runs),
        len(data.topics),
        asked.of(data.study),
        data.has_anchors and not data.study.is_graded,
        _more(known, data.seed),
        data.seed,
    )


def _more(tests: list[Tested], seed: int) -> tuple[Tested, Tested] | None:
    """Two measures of which one tells more pairs apart, if that is sure of any, for so many."""
    if len(tests) < 2 or len({one.values.shape for one in tests}) > 1:
        return None
    p = p_of_more_power([one.values for one in tests], seed)
    pairs = len(tests) * (len(tests) - 1) // 2
    one, other = np.unravel_index(p.argmin(), p.shape)
    return (tests[one], tests[other]) if p[one, other] * pairs < LEVEL else None


def _tested(measured: comparing.Measured, seed: int) -> Tested:
    values = measured.values
    tests = {name: test(values, seed) for name, test in TESTS.items()}
    return Tested(
        measured.measure,
        {name: discriminative_power(test.p) for name, test in tests.items()},
        discriminative_power(tukey_hsd(values, seed=seed).p),
        significance_curve(tests[curves.TEST].p),
        values,
        frozenset(test.reason for test in tests.values()) - {""},
    )


def says(found: Found) -> Iterator[str]:
    best, least, usual = found.tests[0], found.tests[-1], found.usual
    if found.topics < LEAST_TOPICS:
        yield (
            f"{_title(found)}. With fewer the randomisation test cannot reach {LEVEL}, whatever "
            "systems do, and what the others find hangs on a few values."
        )
    where = (
        f"Of {count(best.tukey.pairs, 'pair')} of {count(found.runs, 'system')} on "
        f"{count(found.topics, 'topic')}, measured by {found.gains},"
    )
    if not best.mean:
        yield f"{where} no difference can be shown by any measure."
    elif best.mean == least.mean:
        yield f"{where} all measures tell as many apart: {_shares(best)}."
    else:
        yield (
            f"{where} {best.measure} tells most apart here: {_shares(best)}; {least.measure} "
            f"fewest: {_shares(least)}. {_whether_more(found)}"
        )
    order = [tested.measure for tested in found.tests]
    if usual in order and best.mean > least.mean:
        place = order.index(usual) + 1
        yield f"{usual}, by which systems are ranked, is number {place} of {len(order)}."
    yield published.quote(
        "Smucker and Clarke found {power_t.nDCG@10} by nDCG and {power_t.P@10} by P, both to rank "
        "10, with the paired t test."
    )
    yield (
        "These tests ask of each pair alone and are not corrected for how many there are: if no "
        f"systems differed, {percent(LEVEL)} of pairs would still seem to. They serve to compare "
        "measures; which systems differ is another question. A measure with little power needs "
        "more topics; one with much need not be a good one."
    )


def _shares(tested: Tested) -> str:
    return ", ".join(f"{percent(power.share, 1)} ({name})" for name, power in tested.known.items())


def figures(found: Found) -> Iterator[Figure]:
    yield _powers(found)
    p = {str(tested.measure): tested.curve for tested in found.tests if tested.curve.size}
    if p:
        yield curves.figure(
            curves.compute(p), comparing.briefly(tested.measure for tested in found.tests)
        )


def _title(found: Found) -> str:
    best, least = found.tests[0], found.tests[-1]
    if found.topics < LEAST_TOPICS:
        return f"Too few topics to compare measures: {found.topics}, and it takes {LEAST_TOPICS}"
    if not best.mean:
        return "By no measure can a difference between two systems be shown"
    if best.mean == least.mean:
        return f"All measures tell {percent(best.mean)} of pairs of systems apart"
    if found.more is None:
        return (
            "No measure can be shown to tell more pairs of systems apart than another on "
            f"{count(found.topics, 'topic')}"
        )
    more, fewer = found.more
    return (
        f"{more.measure.brief} tells more pairs of systems apart than {fewer.measure.brief} "
        f"({_by_t(more)} and {_by_t(fewer)}, paired t)"
    )


def _by_t(tested: Tested) -> str:
    return percent(tested.powers["paired t"].share)


def _whether_more(found: Found) -> str:
    tried = f"{N_RESAMPLES:,} draws of topics, paired t, p < {LEVEL} for all pairs of measures"
    if found.more is None:
        return f"That may be chance: none can be shown to tell more apart than another ({tried})."
    more, fewer = found.more
    return f"That {more.measure} tells more apart than {fewer.measure} is no chance ({tried})."


def _powers(found: Found) -> Figure:
    tests = found.tests
    rows = [
        Share(str(tested.measure), name, power.share, power.significant, power.tested)
        for tested in tests
        for name, power in tested.known.items()
    ]
    called = comparing.briefly(tested.measure for tested in tests)
    down = plots.names("measure", list(called.values()))
    share = plots.axis("share", "pairs told apart", percent=True)
    dots = plots.shaped("measures", share, down, "test", KINDS, apart=True)
    return Figure(
        "power",
        _title(found),
        f"Dots: the share of pairs of systems with p < {LEVEL}, by three tests of single pairs. "
        "Look at the order of measures, and whether the tests agree on it.",
        plots.sized(
            dots,
            34 * len(tests),
            plots.WIDTH - 180,
        ),
        {
            "measures": [
                mark | {"measure": called[mark["measure"]]}
                for mark in drawn(rows, "measure test share", _tooltip)
            ]
        },
        Share,
        rows,
        f"Table 2 {SOURCE}",
    )


def _tooltip(row: Share) -> str:
    return (
        f"{row.measure}, {row.test}: {percent(row.share, 1)}, {row.significant:,} of {row.tested:,}"
    )


def table(found: Found) -> Table:
    rows = [
        Shares(
            str(tested.measure),
            *(power.share for power in (*tested.powers.values(), tested.tukey)),
        )
        for tested in found.tests
    ]
    rows += [
        Shares(f"the paper's {name}", *(shares[name] for shares in PAPER)) for name in PAPER[0]
    ]
    some_not_tested = any(
        power.tested < power.pairs for tested in found.tests for power in tested.powers.values()
    )
    return Table(
        "shares",
        "Pairs of systems that a measure tells apart",
        Shares,
        rows,
        (
            f"The share of pairs with p < {LEVEL}: paired t test, randomisation test and bootstrap "
            f"test ({TURNS:,} turns each, seed {found.seed}), two-sided, of each pair alone; and "
            f"randomised Tukey HSD of all pairs at once. Lists are read to rank "
            f"{found.usual.cutoff}. The paper's are of all runs of TREC's Robust Track 2005.",
            *([RELEVANT] if found.by_anchors else []),
            *(f"Some pairs are not tested: {why}." for why in found.reasons if some_not_tested),
            *(f"Left out: {fault}." for fault in found.faults),
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
    titled=True,
    of_systems=True,
)
