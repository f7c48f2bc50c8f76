"""How properties of topics go together. A part of the analysis `topics`."""

from itertools import combinations

import numpy as np

from evaluation.presentation import dot_panels
from evaluation.presentation.frame import Frame
from evaluation.presentation.parts import Result, number, p_value
from magnitudes.comparison.holm import holm
from magnitudes.comparison.rank_correlation import MAX_EXACT, N_RESAMPLES, spearman
from magnitudes.comparison.top_set import LEVEL
from magnitudes.files.words import count

MIN_TOPICS = 5  # for a correlation to be reported
NOT_OF_SCORES = "failed", "median_seconds"  # the others are computed from the same scores


def analyse(topics: Frame, seed: int) -> Result:
    """topics: a column with a panel for each property."""
    pairs = correlations(topics, seed)
    sentences = [strongest(topics, pairs)] if len(dot_panels.shown(topics)) > 1 else []
    table = pairs.table(
        "together",
        "Correlations of aspects of topics",
        "Spearman's rank correlation over topics. p: by a permutation test, of all orders "
        f"up to {MAX_EXACT} topics and of {N_RESAMPLES:,} drawn ones beyond, for each pair "
        f"alone; p of all: corrected for {count(len(pairs), 'pair')} (Holm). Aspects that are "
        "computed from the same scores are correlated anyway: of those nothing is claimed. Pairs "
        "are left out where one has no value on enough topics, or the same on all.",
    )
    return Result(sentences, [table] if len(pairs) else [])


def correlations(topics: Frame, seed: int) -> Frame:
    """Correlations of properties that have values on enough topics, not all the same."""
    rows = []
    for first, second in combinations([n for n in topics.names if topics.columns[n].panel], 2):
        both = ~np.isnan(topics[first] + topics[second])
        x, y = topics[first][both], topics[second][both]
        if len(x) >= MIN_TOPICS and np.ptp(x) > 0 and np.ptp(y) > 0:
            tested = spearman(x, y, seed=seed)
            same = "no" if {first, second} & {*NOT_OF_SCORES} else "yes"
            heads = topics.columns[first].head, topics.columns[second].head
            rows.append((*heads, len(x), tested.rho, tested.p, np.nan, same))
    pairs = Frame.of_rows("one other topics spearman p p_of_all same_scores", rows)
    pairs = pairs.with_columns(p_of_all=holm(pairs["p"].astype(float))).with_heads(
        one="one aspect",
        other="the other",
        spearman="Spearman's correlation",
        p_of_all="p of all pairs",
        same_scores="of the same scores",
    )
    return pairs.sorted_by(np.abs(pairs["spearman"].astype(float)), descending=True)


def strongest(topics: Frame, pairs: Frame) -> str:
    if len(topics) < MIN_TOPICS:
        return f"Their correlations are computed from {MIN_TOPICS} topics on."
    if not len(pairs):
        return "None of these has values on enough topics to be correlated with another."
    looked = f"Spearman's correlation, corrected for {count(len(pairs), 'pair')}"
    is_same = pairs["same_scores"] == "yes"
    aside = "; pairs computed from the same scores are left out" if is_same.any() else ""
    claimed = list(pairs.where(~is_same & (pairs["p_of_all"] < LEVEL)))
    if not claimed:
        return f"No two of these are significantly correlated over topics ({looked}){aside}."
    row = claimed[0]
    return (
        f"Over {row.topics} topics, {row.one} and {row.other} are most strongly correlated: "
        f"{number(row.spearman)}, {p_value(row.p_of_all)} ({looked}){aside}."
    )
