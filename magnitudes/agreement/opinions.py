"""Opinions: the levels that several judges gave to documents, as flat arrays.

An *item* is a pair of topic and document, an *opinion* one judge's level for it. Levels are whole
numbers from 0, the lowest, to the top level. A judge may have given an item several opinions; where
judges are compared, opinions of one judge are never compared with each other.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from magnitudes.agreement import AgreementError

Ids = NDArray[np.int64]
MISSING = -1


class Names(NamedTuple):
    """What messages call levels and judges: numbers where they have no names."""

    levels: Sequence[str] = ()
    judge: Callable[[int], str] = str

    def level(self, level: int) -> str:
        """One level.

        >>> Names().level(1), Names(["No", "Key"]).level(1)
        ('level 1', 'level Key')
        """
        return f"level {self.levels[level] if self.levels else level}"


NUMBERS = Names()


@dataclass(frozen=True, eq=False, init=False)
class Opinions:
    """Who gave which level to what.

    items: (n,), the item of each opinion, from 0; levels: (n,), from 0 to n_levels - 1, or -1
    where the judge gave none; judges: (n,), any whole numbers from 0.
    n_levels: how many levels the scale has, at least 2, used or not.
    topic_of_item: (items,), the topic of each item, from 0; items without an opinion count too.
    names: what messages call levels and judges.

    Whatever converts to such arrays is accepted, and stored as int64.

    Raises:
        AgreementError: arrays that do not fit or are no whole numbers, and codes out of range; the
            message says which, at which place.

    >>> opinions = Opinions([0, 0, 1], [2, 1, -1], [0, 1, 0], n_levels=3, topic_of_item=[0, 0])
    >>> opinions.counts
    array([[0, 1, 1],
           [0, 0, 0]])
    >>> Opinions([0, 0], [2, 3], [0, 1], n_levels=3, topic_of_item=[0])
    Traceback (most recent call last):
        ...
    magnitudes.agreement.AgreementError: levels: 3 at place 1 is not from -1 to 2
    """

    items: Ids
    levels: Ids
    judges: Ids
    n_levels: int
    topic_of_item: Ids
    names: Names

    def __init__(
        self,
        items: ArrayLike,
        levels: ArrayLike,
        judges: ArrayLike,
        n_levels: int,
        topic_of_item: ArrayLike,
        names: Names = NUMBERS,
    ) -> None:
        if n_levels < 2:
            raise AgreementError(f"n_levels: a scale has at least 2 levels, not {n_levels}")
        topics = validate_ids(topic_of_item, "topic_of_item")
        item_of = validate_ids(items, "items", highest=len(topics) - 1)
        values = {
            "items": item_of,
            "levels": validate_ids(levels, "levels", len(item_of), MISSING, n_levels - 1),
            "judges": validate_ids(judges, "judges", len(item_of)),
            "n_levels": int(n_levels),
            "topic_of_item": topics,
            "names": names,
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)

    @property
    def n_items(self) -> int:
        """How many items there are, those without an opinion included."""
        return len(self.topic_of_item)

    @cached_property
    def counts(self) -> Ids:
        """(items, levels), how many opinions of each level an item has; missing ones are none."""
        known = self.levels != MISSING
        cells = self.items[known] * self.n_levels + self.levels[known]
        counts = np.bincount(cells, minlength=self.n_items * self.n_levels)
        return counts.reshape(self.n_items, self.n_levels)

    def of_judge(self, judge: int) -> Ids:
        """(items,), the first level that a judge gave to each item; -1 where none."""
        places = np.flatnonzero((self.judges == judge) & (self.levels != MISSING))
        items, first = np.unique(self.items[places], return_index=True)
        levels = np.full(self.n_items, MISSING, dtype=np.int64)
        levels[items] = self.levels[places[first]]
        return levels

    def where(self, mask: NDArray[np.bool_] | Ids) -> "Opinions":
        """Those at places, or that a mask, (n,), marks; items that lose all still count."""
        return Opinions(
            self.items[mask],
            self.levels[mask],
            self.judges[mask],
            self.n_levels,
            self.topic_of_item,
            self.names,
        )

    @cached_property
    def given(self) -> "Opinions":
        """The opinions that are not missing."""
        return self.where(self.levels != MISSING)


def validate_ids(
    ids: ArrayLike, name: str, size: int | None = None, lowest: int = 0, highest: int | None = None
) -> Ids:
    """A list of whole numbers from `lowest` to `highest`, of the length `size` if that is given.

    >>> validate_ids([0.5], "items")
    Traceback (most recent call last):
        ...
    magnitudes.agreement.AgreementError: items must be whole numbers, not float64
    """
    array = np.asarray(ids)
    if array.ndim != 1 or (size is not None and len(array) != size):
        wanted = "one list" if size is None else f"one list of {size}"
        raise AgreementError(f"{name} must be {wanted}, not of shape {array.shape}")
    if array.size and array.dtype.kind not in "iu":
        raise AgreementError(f"{name} must be whole numbers, not {array.dtype}")
    outside = (array < lowest) | (False if highest is None else array > highest)
    if outside.any():
        place = int(np.flatnonzero(outside)[0])
        wanted = f"from {lowest}" if highest is None else f"from {lowest} to {highest}"
        raise AgreementError(f"{name}: {array[place]} at place {place} is not {wanted}")
    return array.astype(np.int64)
