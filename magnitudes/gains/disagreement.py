"""User disagreement: how likely another user is to find the best in what one user labelled lower.

With T for the top level of a scale, p(T|i) is the chance that another user says T of a document,
when one has said i. Where users disagree much, it is high for lower levels too; where they agree,
for the top level alone. `level_weights` makes weights of levels from it.

Source: Demeester, Aly, Hiemstra, Nguyen, Trieschnigg and Develder, Exploiting user disagreement for
web search evaluation: an experimental approach, WSDM 2014, section 3.2.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from magnitudes.agreement.opinions import NUMBERS, Ids, Names, Opinions
from magnitudes.gains import GainError
from magnitudes.scaling.groups import ratio, summed

Floats = NDArray[np.float64]


class Disagreement(NamedTuple):
    """p(T|i) of levels i = 0, 1, ..., T."""

    p: Floats  # (..., levels), NaN where a level was never seen
    observations: Ids  # (..., levels), how many labels i have a label of another judge beside them


class Sums(NamedTuple):
    """What p(T|i) is a quotient of, by item, or by group of items."""

    top: Floats  # (items, levels), shares of labels i, times the share of T beside them
    shares: Floats  # (items, levels), of labels i
    observations: Floats  # (items, levels), whole numbers


def disagreement(opinions: Opinions) -> Disagreement:
    """p(T|i), the chance of the top level from another judge, given level i from one.

        p(T|i) = sum over documents of  share_d(i) · others_d(T|i)  /  sum of  share_d(i)

    share_d(i) is the share of level i among the document's labels, others_d(T|i) the share of T
    among its other labels. Both directions of every pair of labels count, and a document weighs as
    much whether it has two labels or ten: this is what section 3.2 comes to on average, where one
    label of each document is drawn, and the others of it are counted. Of documents with two labels
    it is the share of pairs.

    Another label is one of another judge: where a judge labelled a document twice, the two are not
    compared. Documents of one judge alone do not count.

    Parameters:
        opinions: of any number of judges; T is the top of its levels, used or not.

    Returns:
        `p` and `observations`, both (levels,). A level that no document with two judges has is NaN
        (see `reasons`).

    Raises:
        GainError: labels of one judge only; no document with labels of two.

    >>> labels = Opinions([0, 0, 1, 1, 2, 2], [2, 2, 2, 1, 1, 0], [0, 1, 0, 1, 0, 1], 3, [0, 0, 0])
    >>> disagreement(labels)
    Disagreement(p=array([0.        , 0.5       , 0.66666667]), observations=array([1, 2, 3]))
    """
    return pooled(sums(opinions), np.ones(opinions.n_items))


def reasons(estimated: Disagreement, names: Names = NUMBERS) -> list[str]:
    """A remark on each level's p(T|i), (levels,), where it is odd; else empty.

    >>> reasons(Disagreement(np.array([0.2, np.nan, 0.1, 0.5]), np.array([9, 0, 9, 9])))
    ['', 'level 1: no document with two judges has it', 'level 2: below p of level 0', '']
    """
    remarks = [""] * estimated.p.shape[-1]
    for level, p in enumerate(estimated.p):
        lower_levels = [lower for lower in range(level) if estimated.p[lower] > p + 1e-12]
        if np.isnan(p):
            remarks[level] = f"{names.level(level)}: no document with two judges has it"
        elif lower_levels:
            remarks[level] = f"{names.level(level)}: below p of {names.level(lower_levels[-1])}"
    return remarks


def sums(opinions: Opinions) -> Sums:
    """What p(T|i) is computed from, item by item, so that items can be grouped and drawn.

    Raises:
        GainError: as `disagreement`.
    """
    known = opinions.given
    top = known.levels == known.n_levels - 1
    _, own = np.unique(np.column_stack([known.items, known.judges]), axis=0, return_inverse=True)
    own = own.reshape(-1)
    labels, tops = np.bincount(known.items, minlength=known.n_items), known.counts[:, -1]
    others = labels[known.items] - np.bincount(own)[own]
    has_other = others > 0
    if not has_other.any():
        raise GainError(_no_pair(known))
    other_tops = tops[known.items] - np.bincount(own, top)[own]
    share = has_other / labels[known.items]
    cells = known.items * known.n_levels + known.levels
    shape = known.n_items, known.n_levels
    agreeing = share * other_tops / np.maximum(others, 1)
    return Sums(
        *(
            summed(weights, cells, known.n_items * known.n_levels).reshape(shape)
            for weights in (agreeing, share, has_other.astype(np.float64))
        )
    )


def pooled(parts: Sums, weights: ArrayLike) -> Disagreement:
    """p(T|i) of a group of items, or of many groups at once.

    Parameters:
        parts: of items, as `sums` gives them.
        weights: shape (..., items), how often each item counts; 0 and 1, or True and False, for a
            group of them.

    Returns:
        `p` and `observations`, both (..., levels).
    """
    times = np.asarray(weights, dtype=np.float64)
    top, shares, observations = (times @ part for part in parts)
    return Disagreement(
        np.minimum(ratio(top, shares), 1), observations.astype(np.int64)
    )  # 1 but for rounding


def _no_pair(opinions: Opinions) -> str:
    judges = np.unique(opinions.judges)
    if len(judges) == 1:
        judge = opinions.names.judge(int(judges[0]))
        return f"disagreement needs two judges, and all labels are of judge {judge}"
    return f"no document has labels of two judges, among {len(opinions.items)} labels"
