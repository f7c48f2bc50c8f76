"""The figures and tables of the papers, in their order: what they show, and where ours are.

Values are those that the papers print; a figure that prints none is described.
"""

from collections.abc import Iterator
from typing import NamedTuple

TABLE_I = "table1"  # which is no analysis: the overview has it


class Place(NamedTuple):
    """A figure or table of a paper.

    theirs: what the paper found there. analysis, parts: where ours is; the titles of these parts
    say what we found, or, where they are `named`, what the analysis as a whole does.
    """

    name: str
    shows: str
    theirs: str
    analysis: str = ""
    parts: tuple[str, ...] = ()
    named: bool = False


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
            "Scores rise with the level; adjacent levels differ, p < .002 (t test)",
            "levels",
            ("all-topics",),
        ),
        Place(
            "Figure 4",
            "The same by topic",
            "Medians of adjacent levels are out of order in 6 of 72 cases, on 6 of 18 topics",
            "levels",
            ("by-topic",),
        ),
        Place(
            "Figure 5",
            "Largest over smallest score, and geometric sd",
            "23 documents with a ratio of 10,000 or more; correlation with the geometric sd .999",
            "spread",
            ("ratios", "geometric-sd"),
        ),
        Place(
            "Figure 6",
            "Agreement of units with the labels",
            "About 50% of units agree on every pair, 70% on more than .8, 86% on more than .6",
            "labels",
            ("units",),
        ),
        Place(
            "Figure 7",
            "Agreement with the labels by pairs of levels",
            "80% of pairs with graded labels, 86% with binary ones; the two kinds of labels 85%",
            "labels",
            ("levels",),
        ),
        Place(
            "Figure 8",
            "Ways to normalise and to aggregate",
            "Geometric averaging agrees most, with the median or the geometric mean",
            "schemes",
            ("boxes",),
        ),
        Place(
            "Figure 9",
            "Standard deviations of a document’s scores",
            "Around 2; 53 are above 6",
            "judges",
            ("sd",),
        ),
        Place(
            "Table II",
            "Workers needed for a document",
            "About 7 for ± 2 with a deviation of 2; the table’s numbers are those of 99%",
            "judges",
            ("needed",),
            named=True,
        ),
        Place(
            "Figure 10",
            "Systems by magnitudes and by binary labels",
            "tau .677 and 82% of the top set by nDCG@10, .222 and 20% by ERR@10",
            "rankings",
            ("ndcg-binary", "err-binary"),
        ),
        Place(
            "Figure 11",
            "Simulated systems by magnitudes and by graded labels",
            "tau .147 and 32% of the top set by nDCG@10, .060 and 68% by ERR@10",
            "subruns",
            ("ndcg-graded", "err-graded"),
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
            "tau from 1 (100C) down to .720 (10^(1+C)) by nDCG@10, to .698 by ERR@10",
            "mappings",
            ("runs", "simulated"),
            named=True,
        ),
        Place(
            "Table IV",
            "Narrow and wide units",
            "tau with binary labels by nDCG@10: .679 narrow, .744 wide, .677 all; by ERR@10 .361, "
            ".247, .222",
            "widths",
            ("widths",),
            named=True,
        ),
        Place(
            "Figure 13",
            "H_k over N_k, by units",
            "The median ratio is 5",
            "widths",
            ("ratios",),
        ),
        Place(
            "Figure 14",
            "Magnitudes over N_k, by level",
            "The linear profile is close to the medians; the exponential is above them",
            "profiles",
            ("profiles",),
        ),
        Place(
            "Figure 15",
            "Ratios of a higher level to a lower one",
            "Medians 1.00, 1.00 and 1.14; means 48, 22 and 24",
            "ratios",
            ("boxes",),
        ),
        Place(
            "Section 6.1.1",
            "Krippendorff’s alpha",
            ".323, p < .01",
            "internal",
            ("alpha",),
            named=True,
        ),
        Place(
            "Section 6.2",
            "Where crowd and labels differ",
            "Of 34 documents the labels were wrong on 41%, the crowd on 26%, the topic unclear on "
            "32%",
            "differences",
            ("documents",),
            named=True,
        ),
        Place(
            "Section 9.2",
            "Ratios of few figures",
            "51% of units keep to one significant figure, 68% to two",
            "numbers",
            ("rule",),
            named=True,
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
            "Judges agree with themselves more than with others",
            "consistency",
            ("self-and-cross",),
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
        ),
        Place(
            "Table 2",
            "One judge’s order measured by another’s labels",
            "AP .48, GAP(1/3) .69, nDCG(exp, log) .86, nDCG(1/3, log) .87",
            "robustness",
            ("measures",),
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
        ),
        Place(
            "Table 1",
            "The reader’s numbers",
            "P(click): .64 if relevant, .39 if not; P(save): .77 and .27; 4.4 s a summary; "
            "0.018 l + 7.8 s a document",
            "reading",
            ("lines",),
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
        ),
        Place(
            "Figure 6",
            "Time-biased gain against another measure",
            "tau .794 with MAP",
            "reader",
            ("systems-paper",),
        ),
        Place(
            "Table 2",
            "Pairs of systems that a measure tells apart (paired t)",
            "MAP 66.0%, nDCG@10 49.5%, nDCG@20 54.5%, P@10 51.6%, time-biased gain 57.5%",
            "power",
            ("power",),
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
            named=True,
        ),
        Place(
            "Table 2",
            "Order of systems, by gains with and without unanimity",
            "tau from .983 to 1: the orders are nearly the same",
            "unanimity",
            ("orders",),
        ),
        Place(
            "Table 3",
            "Pairs that differ under one gain and not under the other",
            "Up to 3 of 120 pairs at a setting (randomised Tukey HSD, .05)",
            "unanimity",
            ("discrepancies",),
            named=True,
        ),
    ),
)
PAPERS = (MAGNITUDES, DISAGREEMENT, PREFERENCES, TIME, UNANIMITY)


def places_of(analysis: str) -> Iterator[tuple[Paper, Place]]:
    """Where the papers have what an analysis shows."""
    for paper in PAPERS:
        for place in paper.places:
            if place.analysis == analysis:
                yield paper, place
