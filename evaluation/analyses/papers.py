"""The figures and tables of the papers, in their order: what they show, and where ours are.

Values are those that the papers print; a figure that prints none is described.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from evaluation.analyses import quantities
from evaluation.analyses.quantities import filled
from judging.models import Study

TABLE_I = "table1"  # which is no analysis: the overview has it

RESEMBLANCE = (
    "These workers are made to resemble the paper's: that the numbers agree says nothing of people."
)


class Place(NamedTuple):
    """A figure or table of a paper.

    theirs: what the paper found there. analysis, parts: where ours is. ours: says it of the numbers
    of the analysis; where they are not known, or there is no such function, the titles of these
    parts do, or, where parts are `named` alone, what the analysis as a whole found.
    same: whether `ours` is the same quantity as the paper's, in the same form; titles are another
    one. values: of theirs, each after the number whose interval it is held against.
    """

    name: str
    shows: str
    theirs: str
    analysis: str = ""
    parts: tuple[str, ...] = ()
    named: bool = False
    ours: Callable[[Mapping[str, Any]], str] | None = None
    same: bool = False
    values: tuple[tuple[str, str], ...] = ()


class Paper(NamedTuple):
    """A paper that is replicated; `short` names it in lists."""

    short: str
    reference: str
    places: tuple[Place, ...]


MAGNITUDES = Paper(
    "Relevance magnitudes",
    "Maddalena, Mizzaro, Scholer and Turpin, On Crowdsourcing Relevance Magnitudes for Information "
    "Retrieval Evaluation, ACM TOIS 35(3), 2017",
    (
        Place(
            "Table I",
            "Topics, units, back steps and failed finishes",
            "18 topics, 4,269 documents, 7,059 units; 98% without a back step, 90% without a "
            "failed finish",
            TABLE_I,
            same=True,
        ),
        Place(
            "Figure 1",
            "Distributions of scores as given",
            "Close to a log-normal, but for round numbers: 1, 2, 5 and 10",
            "distributions",
            ("raw", "raw-topics"),
        ),
        Place(
            "Figure 2",
            "Distributions of normalised scores",
            "Round numbers disappear, and the fit is closer",
            "distributions",
            ("normalised", "normalised-topics"),
        ),
        Place(
            "Figure 3",
            "Scores by level of the labels",
            "3 of 3 pairs of adjacent levels differ, p < .002 (t test); scores rise with the level",
            "levels",
            ("all-topics",),
            ours=filled("{differ} of {tests} pairs of adjacent levels differ, p < .05 ({test})"),
            same=True,
        ),
        Place(
            "Figure 4",
            "The same by topic",
            "Medians of adjacent levels are out of order in 6 of 72 cases, on 6 of 18 topics",
            "levels",
            ("by-topic",),
            ours=filled(
                "Medians of adjacent levels are out of order in {out} of {cases} cases, on "
                "{topics_out} of {topics} topics"
            ),
            same=True,
        ),
        Place(
            "Figure 5",
            "Largest over smallest score, and geometric sd",
            "23 of 4,269 documents with a ratio of 10,000 or more; correlation with the geometric "
            "sd .999",
            "spread",
            ("ratios", "geometric-sd"),
            ours=filled(
                "{far} of {documents} documents with a ratio of 10,000 or more; correlation with "
                "the geometric sd {correlation:.3f} (of logarithms)"
            ),
            same=True,
        ),
        Place(
            "Figure 6",
            "Agreement of units with the labels",
            "About 50% of units agree on every pair, 70% on more than .8, 86% on more than .6 "
            "(with anchors)",
            "labels",
            ("units",),
            ours=filled(
                "{perfect_of_all:.0%} of units agree on every pair, {above_8:.0%} on more than "
                ".8, {above_6:.0%} on more than .6 ({units_of})"
            ),
            same=True,
        ),
        Place(
            "Figure 7",
            "Agreement with the labels by pairs of levels",
            "80% of pairs with graded labels, 86% with binary ones; the two kinds of labels 85%",
            "labels",
            ("levels",),
            ours=quantities.pairs_of_documents,
            same=True,
            values=(
                ("pairs_graded", "80%"),
                ("pairs_binary", "86%"),
            ),
        ),
        Place(
            "Figure 8",
            "Ways to normalise and to aggregate",
            "Geometric averaging agrees most, with the median or the geometric mean",
            "schemes",
            ("boxes",),
            ours=filled("{most_normalisation} agrees most, with the {most_aggregation}"),
            same=True,
        ),
        Place(
            "Figure 9",
            "Standard deviations of a document’s scores",
            "Around 2; 53 of 4,269 are above 6",
            "judges",
            ("sd",),
            ours=filled("{median_sd} at the median; {sd_above} of {documents} are above 6"),
            same=True,
        ),
        Place(
            "Table II",
            "Workers needed for a document",
            "7 for ± 2 with a deviation of 2 (at 99%, as the numbers are; the text has 95%)",
            "judges",
            ("needed",),
            named=True,
            ours=filled("{needed_99:,} for ± 2 with a deviation of {median_sd} (at 99%)"),
            same=True,
        ),
        Place(
            "Figure 10",
            "Systems by magnitudes and by binary labels",
            "tau .677 and 82% of the top set by nDCG@10, .222 and 20% by ERR@10 (three best units)",
            "rankings",
            ("ndcg-binary", "err-binary"),
            ours=filled(
                "tau {best_tau_nDCG_binary:.3f} and {best_overlap_nDCG_binary:.0%} of the top set "
                "by nDCG@{cutoff}, {best_tau_ERR_binary:.3f} and {best_overlap_ERR_binary:.0%} by "
                "ERR@{cutoff} (three best units)"
            ),
            same=True,
            values=(
                ("best_tau_nDCG_binary", ".677"),
                ("best_tau_ERR_binary", ".222"),
            ),
        ),
        Place(
            "Figure 11",
            "Simulated systems by magnitudes and by graded labels",
            "tau .147 and 32% of the top set by nDCG@10, .060 and 68% by ERR@10 (three best units)",
            "subruns",
            ("ndcg-graded", "err-graded"),
            ours=filled(
                "tau {best_tau_nDCG_graded:.3f} and {best_overlap_nDCG_graded:.0%} of the top set "
                "by nDCG@{cutoff}, {best_tau_ERR_graded:.3f} and {best_overlap_ERR_graded:.0%} by "
                "ERR@{cutoff} (three best units)"
            ),
            same=True,
        ),
        Place(
            "Figure 12",
            "Tau where one score stands for a document",
            "A wide range of tau; those of Figures 10 and 11 lie around its middle",
            "resampling",
            ("runs", "simulated-systems"),
        ),
        Place(
            "Table III",
            "Gains from other mappings of levels",
            "tau from 1 (100C) down to .720 by nDCG@10 (10^(1+C)), to .698 by ERR@10 (100C, "
            "10^(1+C))",
            "mappings",
            ("runs", "simulated"),
            named=True,
            ours=filled(
                "tau from {most_nDCG:.3f} ({most_nDCG_by}) down to {least_nDCG:.3f} by "
                "nDCG@{cutoff} ({least_nDCG_by}), to {least_ERR:.3f} by ERR@{cutoff} "
                "({least_ERR_by}; {systems})"
            ),
            same=True,
        ),
        Place(
            "Table IV",
            "Narrow and wide units",
            "tau with binary labels by nDCG@10: .679 narrow, .744 wide, .677 all; by ERR@10 .361, "
            ".247, .222",
            "widths",
            ("widths",),
            named=True,
            ours=filled(
                "tau with binary labels by nDCG@{cutoff}: {tau_narrow_nDCG:.3f} narrow, "
                "{tau_wide_nDCG:.3f} wide, {tau_all_nDCG:.3f} all; by ERR@{cutoff} "
                "{tau_narrow_ERR:.3f}, {tau_wide_ERR:.3f}, {tau_all_ERR:.3f}"
            ),
            same=True,
        ),
        Place(
            "Figure 13",
            "H_k over N_k, by units",
            "The median ratio is 5",
            "widths",
            ("ratios",),
            ours=filled("The median ratio is {median}"),
            same=True,
        ),
        Place(
            "Figure 14",
            "Magnitudes over N_k, by level",
            "The linear profile is close to the medians; the exponential is above them",
            "profiles",
            ("profiles",),
            ours=quantities.exponential_is_above,
            same=True,
        ),
        Place(
            "Figure 15",
            "Ratios of a higher level to a lower one",
            "Medians 1.00, 1.00 and 1.14; means 48, 22 and 24",
            "ratios",
            ("boxes",),
            ours=quantities.ratios_of_levels,
            same=True,
        ),
        Place(
            "Section 6.1.1",
            "Krippendorff’s alpha",
            ".323, p < .01",
            "internal",
            ("alpha",),
            ours=quantities.alphas,
            same=True,
            values=(("alpha", ".323"),),
        ),
        Place(
            "Section 6.2",
            "Where crowd and labels differ",
            "Of 34 documents the labels were wrong on 41%, the crowd on 26%, the topic unclear on "
            "32%",
            "differences",
            ("documents",),
            named=True,
            ours=filled(
                "Of {verdicts} documents the labels were wrong on {labels:.0%}, the crowd on "
                "{crowd:.0%}, the topic unclear on {topic:.0%}"
            ),
            same=True,
        ),
        Place(
            "Section 9.2",
            "Ratios of few figures",
            "51% of units keep to one significant figure, 68% to two",
            "numbers",
            ("rule",),
            named=True,
            ours=filled(
                "{one_figure:.0%} of units keep to one significant figure, {two_figures:.0%} to two"
            ),
            same=True,
        ),
    ),
)
DISAGREEMENT = Paper(
    "User disagreement",
    "Demeester, Aly, Hiemstra, Nguyen, Trieschnigg and Develder, Exploiting User Disagreement for "
    "Web Search Evaluation, WSDM 2014",
    (
        Place(
            "Figure 1",
            "Chance of the top label, from n labels of a document",
            "Two labels of a document tell it as well as more do",
            "prediction",
            ("by-labels",),
        ),
        Place(
            "Figure 2",
            "The top label again: by the same judge and by another",
            "Judges agree with themselves in 92%, with others in 52%",
            "consistency",
            ("self-and-cross",),
            ours=filled(
                "Judges agree with themselves in {own:.0%} ({own_apart:.0%} of two different "
                "labels), with others in {cross:.0%}"
            ),
            same=True,
        ),
        Place(
            "Figure 3",
            "Chance of the top label after a lower one",
            "The chances after Non, Rel and HRel can be told from each other",
            "consistency",
            ("by-level",),
        ),
        Place(
            "Figure 4",
            "A query’s labels by user",
            "A sketch: 8 documents, 4 users, and much disagreement",
            "every_judgment",
            ("judgments",),
        ),
        Place(
            "Figure 5",
            "At least one of N users: predicted and seen",
            "Predictions follow what is seen",
            "prediction",
            ("users",),
        ),
        Place(
            "Table 1",
            "At least M of N users: predicted and seen",
            "1/3: .49 seen, .51 predicted; 2/3: .10, .09; 2/4: .23, .21; 2/5: .35, .35",
            "prediction",
            ("predicted",),
            named=True,
            ours=filled(
                "1/3: {seen_1/3:.2f} seen, {predicted_1/3:.2f} predicted; 2/3: {seen_2/3:.2f}, "
                "{predicted_2/3:.2f}; 2/4: {seen_2/4:.2f}, {predicted_2/4:.2f}; 2/5: "
                "{seen_2/5:.2f}, {predicted_2/5:.2f}"
            ),
            same=True,
        ),
        Place(
            "Table 2",
            "One judge’s order measured by another’s labels",
            "AP .48, GAP(1/3) .69, nDCG(exp, log) .86, nDCG(1/3, log) .87",
            "robustness",
            ("measures",),
            ours=filled(
                "AP {AP of two judges:.2f}, GAP(1/3) {GAP(1/3) of two judges:.2f}, nDCG(exp, log) "
                "{nDCG(exp, log2) of two judges:.2f}, nDCG(1/3, log) "
                "{nDCG(1/3, log2) of two judges:.2f}"
            ),
            same=True,
        ),
        Place(
            "Table 3",
            "The chance by topics, lists and ranks",
            "Top 10 of good lists: .15 after Rel, .23 after HRel; ambiguous topics .18 and .22, "
            "faceted .13 and .26",
            "robustness",
            ("groups",),
        ),
        Place(
            "Table 4",
            "Weights of combined labels of snippet and page",
            "Weights fall from 1 (Sure, Key) over .41 (Sure, HRel) to .12 (No, Rel)",
            "aspects",
        ),
    ),
)
PREFERENCES = Paper(
    "Graded preferences",
    "De Beer and Moens, Rpref: a generalization of Bpref towards graded relevance judgments, "
    "SIGIR 2006",
    (
        Place(
            "Figure 1",
            "Scores by the number of partitions of worth",
            "Scores settle as partitions become more",
            "preferences",
            ("partitions",),
        ),
    ),
)
TIME = Paper(
    "Time-biased gain",
    "Smucker and Clarke, Time-Based Calibration of Effectiveness Measures, SIGIR 2012",
    (
        Place(
            "Figure 1",
            "Time on a document by its length",
            "T_D(l) = 0.018 l + 7.8 seconds; near duplicates 6.8 seconds",
            "reading",
            ("seconds-by-words",),
            ours=quantities.time_on_a_document,
            same=True,
        ),
        Place(
            "Table 1",
            "The reader’s numbers",
            "P(click): .64 if relevant, .39 if not; P(save): .77 and .27; 4.4 s a summary; "
            "0.018 l + 7.8 s a document",
            "reading",
            ("lines",),
            ours=quantities.reader,
            named=True,
        ),
        Place(
            "Figure 2",
            "Time to rank k, predicted and measured",
            "At 600 seconds the predicted rank is that of the participants, on average",
            "reading",
            ("time-to-rank",),
        ),
        Place(
            "Figure 3",
            "How far a reader has come",
            "Runs differ much in the rank that is reached at a time",
            "reader",
            ("rank-in-time",),
        ),
        Place(
            "Figure 4",
            "Gain as time passes",
            "Three of four good runs keep their order; one falls behind after 20 minutes",
            "reader",
            ("gain-in-time",),
        ),
        Place(
            "Figure 5",
            "How readers stop",
            "An exponential decay with a half-life of 224 seconds",
            "reading",
            ("staying",),
            ours=filled("An exponential decay with a half-life of {half_life} seconds"),
            same=True,
            values=(("half_life", "224"),),
        ),
        Place(
            "Figure 6",
            "Time-biased gain against another measure",
            "tau .794 with MAP",
            "reader",
            ("systems-paper",),
            ours=filled("tau {tau_with_ap:.3f} with MAP (the mean of {ap})"),
            same=True,
        ),
        Place(
            "Table 2",
            "Pairs of systems that a measure tells apart (paired t)",
            "MAP 66.0%, nDCG@10 49.5%, nDCG@20 54.5%, P@10 51.6%, time-biased gain 57.5%",
            "power",
            ("power",),
            ours=quantities.power,
            same=True,
        ),
    ),
)
UNANIMITY = Paper(
    "Unanimity-aware gain",
    "Sakai, Unanimity-Aware Gain for Highly Subjective Assessments, EVIA 2017",
    (
        Place(
            "Table 1",
            "Gains of documents, by what disagreement takes from them",
            "Ratings 2 2 2 2 2 gain 13, and 1 1 2 3 3 gain 11 (p = .2); both sums are 10",
            "unanimity",
            ("documents",),
            ours=quantities.divided,
            named=True,
        ),
        Place(
            "Table 2",
            "Order of systems, by gains with and without unanimity",
            "tau from .983 to 1: the orders are nearly the same",
            "unanimity",
            ("orders",),
            ours=quantities.unanimity_taus,
            named=True,
            same=True,
        ),
        Place(
            "Table 3",
            "Pairs that differ under one gain and not under the other",
            "Up to 3 of 120 pairs at a setting (randomised Tukey HSD, .05)",
            "unanimity",
            ("taus",),
            ours=quantities.unanimity_pairs,
            named=True,
            same=True,
        ),
    ),
)
PAPERS = (MAGNITUDES, DISAGREEMENT, PREFERENCES, TIME, UNANIMITY)


def is_comparable(study: Study) -> bool:
    """Whether its judges may be held against those of the papers: no artificial worker may."""
    return study.crowd not in (Study.Crowd.ARTIFICIAL, Study.Crowd.BOTH)


def why_not_comparable(study: Study) -> list[str]:
    """Why they may not, in a sentence; nothing where they may."""
    return [] if is_comparable(study) else [RESEMBLANCE]


def with_analysis(analysis: str) -> set[Paper]:
    """The papers that have what an analysis shows."""
    return {paper for paper, _ in places_of(analysis)}


def places_of(analysis: str) -> Iterator[tuple[Paper, Place]]:
    """Where the papers have what an analysis shows."""
    for paper in PAPERS:
        for place in paper.places:
            if place.analysis == analysis:
                yield paper, place
