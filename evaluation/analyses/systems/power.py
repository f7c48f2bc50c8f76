"""How many pairs of systems differ by each measure (the paper on time-biased gain, Table 2).

**Shows** how many pairs of systems differ significantly by each of eight measures, in three tests
of single pairs and in Tukey's test of all at once; and the curves of p over all pairs, smallest
first: the nearer to 0, the more power.

**Computed** at p < .05, two-sided: the paired t test; the randomisation test, which flips the signs
of a pair's differences at random; the bootstrap test, shifted and studentised. Each has 1,000
draws, from which p is (b + 1) / (B + 1); if at most 1,000 sign patterns exist, p is their share.
Lists are read to the rank to which the study's systems are measured. For measures that need
relevant documents, a document is relevant if its gain is, for magnitudes, at least halfway, by
ratio, between those of H_k and N_k and, for levels, above 0. Pairs with the same difference on all
topics cannot be tested by the bootstrap, and are left out.

The page says that a measure has more power than another only if it has in draws of topics (1,999,
with replacement, by the paired t test; p < .05, corrected for all pairs of measures).

**Beware**: nothing is corrected for the number of pairs, of which 5% would appear to differ if none
did. A measure with little power needs more topics; one with much power need not measure what
matters.

**Source**: Smucker and Clarke, Time-Based Calibration of Effectiveness Measures, SIGIR 2012, Table
2, whose numbers are shown below ours; the curves are from Sakai, SIGIR 2006.
"""

from collections.abc import Iterator

from evaluation.analyses.analysis import Numbers, OnProgress, analysis
from evaluation.analyses.question import USUAL, Question
from evaluation.analyses.systems import power_figures
from evaluation.analyses.systems.tested_measures import Results, Tested, compute
from evaluation.presentation import published
from evaluation.presentation.frame import Column, Frame
from evaluation.presentation.parts import Result, Table, percent
from evaluation.study import scoring
from evaluation.study.data import StudyData
from magnitudes.comparison.discrimination import N_RESAMPLES
from magnitudes.comparison.pairs import TURNS
from magnitudes.comparison.top_set import LEAST_TOPICS, LEVEL
from magnitudes.files.words import count

BY_T = ", paired t"  # ends the name of a share of pairs, after the measure's
PAPER = [published.values(f"power_{test}") for test in ("t", "randomisation", "bootstrap")]
RELEVANT = (
    "Relevant, for measures that ask for it: a gain from halfway, by ratio, between the anchors on."
)


def methods(data: StudyData, numbers: Numbers) -> str:
    return (
        f"Discriminative power is the share of pairs of systems with p < {LEVEL:g} by the paired t "
        f"test, and by the randomisation test and the bootstrap test, {TURNS:,} turns each."
    )


@analysis(
    "Which measures have most discriminative power?",
    methods=methods,
    takes=("measure", "gains"),
    titled=True,
    of_systems=True,
)
def analyse(data: StudyData, on_progress: OnProgress, asked: Question = USUAL) -> Result:
    """Discriminative power of several measures by three tests of single pairs."""
    if not len(data.units) or not data.runs:
        return Result(["There is no ranking yet, so there are no systems to compare."])
    results = compute(data, on_progress, asked)
    if not results.tests:
        why = "; ".join(results.reasons or results.faults)
        return Result([f"No pair of systems can be tested: {why}."])
    title = _title(results, len(data.topics))
    numbers = {str(tested.measure): tested.mean for tested in results.tests}
    by_t = {f"{one.measure}{BY_T}": one.by_t.share for one in results.tests if one.by_t.tested}
    return Result(
        [*_sentences(data, results, title, asked.of(data.study))],
        [*power_figures.figures(results.tests, title), _table(data, results)],
        numbers | by_t,
    )


def _sentences(data: StudyData, results: Results, title: str, gains: str) -> Iterator[str]:
    best, least, usual = results.tests[0], results.tests[-1], scoring.first(data.study)
    if len(data.topics) < LEAST_TOPICS:
        yield (
            f"{title}. With fewer the randomisation test cannot reach {LEVEL}, whatever "
            "systems do, and what the others find hangs on a few values."
        )
    where = (
        f"Of {count(best.tukey.pairs, 'pair')} of {count(len(data.runs), 'system')} on "
        f"{count(len(data.topics), 'topic')}, measured by {gains},"
    )
    if not best.mean:
        yield f"{where} no difference can be shown by any measure."
    elif best.mean == least.mean:
        yield f"{where} all measures have the same power: {_shares(best)}."
    else:
        yield (
            f"{where} {best.measure.short} has most power here: {_shares(best)}; "
            f"{least.measure.short} least: {_shares(least)}. {_whether_more(results)}"
        )
    order = [tested.measure for tested in results.tests]
    if usual in order and best.mean > least.mean:
        place = order.index(usual) + 1
        yield f"{usual.short}, by which systems are ranked, is number {place} of {len(order)}."
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


def _whether_more(results: Results) -> str:
    tried = f"{N_RESAMPLES:,} draws of topics, paired t, p < {LEVEL} for all pairs of measures"
    if results.more is None:
        return f"That may be chance: none can be shown to have more power than another ({tried})."
    more, fewer = results.more
    which = f"{more.measure.short} has more power than {fewer.measure.short}"
    return f"That {which} is not chance ({tried})."


def _title(results: Results, topics: int) -> str:
    best, least = results.tests[0], results.tests[-1]
    if topics < LEAST_TOPICS:
        return f"Too few topics to compare measures: {topics}, and it takes {LEAST_TOPICS}"
    if not best.mean:
        return "By no measure can a difference between two systems be shown"
    if best.mean == least.mean:
        return f"By every measure {percent(best.mean)} of pairs of systems differ significantly"
    if results.more is None:
        return (
            "No measure can be shown to have more discriminative power than another on "
            f"{count(topics, 'topic')}"
        )
    more, fewer = results.more
    return (
        f"{more.measure.short} has more discriminative power than {fewer.measure.short} "
        f"({percent(more.by_t.share)} and {percent(fewer.by_t.share)}, paired t)"
    )


def _table(data: StudyData, results: Results) -> Table:
    rows = [
        (str(one.measure), *(power.share for power in (*one.powers.values(), one.tukey)))
        for one in results.tests
    ]
    rows += [(f"the paper's {name}", *(of[name] for of in PAPER), None) for name in PAPER[0]]
    shares = Frame.of_rows("measure paired_t randomisation bootstrap tukey_hsd", rows)
    shares = shares.with_columns(tukey_hsd=Column(shares["tukey_hsd"], head="Tukey HSD"))
    untested = any(of.tested < of.pairs for one in results.tests for of in one.powers.values())
    return shares.table(
        "shares",
        "Pairs of systems that differ significantly, by measure",
        f"The share of pairs with p < {LEVEL}: paired t test, randomisation test and bootstrap "
        f"test ({TURNS:,} turns each, seed {data.seed}), two-sided, of each pair alone; and "
        f"randomised Tukey HSD of all pairs at once. Lists are read to rank "
        f"{scoring.cutoff(data.study)}. The paper's are of all runs of TREC's Robust Track 2005.",
        RELEVANT if data.has_anchors and not data.study.is_graded else "",
        *(f"Some pairs are not tested: {why}." for why in results.reasons if untested),
        *(f"Left out: {fault}." for fault in results.faults),
        source=f"Table 2 {power_figures.SOURCE}",
    )
