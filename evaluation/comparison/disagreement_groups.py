"""How much p(T|i) depends on topics, on lists and on ranks.

Weights that are estimated from all results of all systems may be wrong for the results of interest:
the chance that another user finds best what one found relevant is higher in lists where there is
something to find, and at their top.

Source: Demeester, Aly, Hiemstra, Nguyen, Trieschnigg and Develder, Exploiting user disagreement for
web search evaluation: an experimental approach, WSDM 2014, section 6.2, Table 3.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evaluation.comparison import ComparisonError
from evaluation.gains.disagreement import Disagreement, pooled, sums
from evaluation.gains.opinions import Opinions, checked_ids


def by_group(opinions: Opinions, groups: ArrayLike) -> Disagreement:
    """p(T|i) of each group of items.

    Parameters:
        opinions: see `disagreement`; an item that is listed twice is two items if each listing is
            to count, as with results of several systems.
        groups: shape (groups, items), True where an item belongs to a group. Groups may overlap:
            topics of a kind (`kind[topic_of_item] == 1`), high-quality lists, ranks up to five,
            and what several of these have in common.

    Returns:
        `p` and `observations`, both (groups, levels); NaN where a group never has a level.

    Raises:
        ComparisonError: groups of another shape or kind.
        GainError: as `disagreement`.

    >>> said = Opinions([0, 0, 1, 1, 2, 2], [2, 1, 1, 0, 0, 0], [0, 1] * 3, 3, [0, 0, 1])
    >>> by_group(said, [[True, True, True], [True, False, False]]).p
    array([[0. , 0.5, 0. ],
           [nan, 1. , 0. ]])
    """
    masks = np.asarray(groups)
    if masks.ndim != 2 or masks.shape[1] != opinions.n_items or masks.dtype != np.bool_:
        raise ComparisonError(
            f"groups must be True or False for (groups, {opinions.n_items} items), "
            f"not {masks.dtype} of shape {masks.shape}"
        )
    return pooled(sums(opinions), masks)


def high_quality(opinions: Opinions, lists: ArrayLike) -> NDArray[np.bool_]:
    """Which items are in a list that has the top level at least once.

    Parameters:
        opinions: of the judge by whom a list is good. If those of all judges decide, a low-quality
            list has no top level at all, and p(T|i) of these lists is 0 whatever judges say, which
            it is not in Table 3.
        lists: shape (items,), the list of each item, from 0: one query on one system.

    Returns:
        A mask of shape (items,), a group for `by_group`; the low-quality lists are its opposite.

    >>> said = Opinions([0, 1, 2], [2, 0, 1], [0, 0, 0], 3, [0, 0, 0])
    >>> high_quality(said, [0, 0, 1])
    array([ True,  True, False])
    """
    of = checked_ids(lists, "lists", opinions.n_items)
    return np.isin(of, of[opinions.counts[:, -1] > 0])
