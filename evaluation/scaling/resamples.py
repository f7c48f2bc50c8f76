"""Items drawn again and again, with replacement: how often each draw has each item."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

AT_ONCE = 2**20  # doubles; bounds the memory


class Resamples(NamedTuple):
    """Draws of as many items as there are; the same ones each time they are asked for.

    They do not depend on how many are made at a time.
    """

    n_items: int
    number: int  # of draws
    seed: int | None  # None: nothing is drawn, each item counts once

    def chunks(self, width: int) -> Iterator[tuple[slice, NDArray[np.float64]]]:
        """Counts (draws, n_items), some draws at a time, and which draws they are.

        Parameters:
            width: how many doubles whoever takes them needs for each draw.
        """
        random = None if self.seed is None else np.random.default_rng(self.seed)
        step = max(AT_ONCE // max(width, self.n_items, 1), 1)
        for at in range(0, self.number, step):
            part = slice(at, min(at + step, self.number))
            rows = part.stop - part.start
            if random is None:
                yield part, np.ones((rows, self.n_items))
                continue
            drawn = random.integers(self.n_items, size=(rows, self.n_items))
            drawn += self.n_items * np.arange(rows)[:, np.newaxis]
            counts = np.bincount(drawn.ravel(), minlength=rows * self.n_items)
            yield part, counts.reshape(rows, self.n_items).astype(np.float64)


def once(n_items: int) -> Resamples:
    """The items themselves.

    >>> next(once(3).chunks(1))
    (slice(0, 1, None), array([[1., 1., 1.]]))
    """
    return Resamples(n_items, 1, None)
