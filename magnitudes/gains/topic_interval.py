"""Student's interval over topics of a share that is a quotient of sums, and of a difference of two.

The mean of few topics is not covered by percentiles of drawn ones: of 95% they hold 84% with five
topics and 92% with twelve. Student's interval holds what it says with any number of them.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from magnitudes.agreement.opinions import Opinions
from magnitudes.files.lazy import scipy
from magnitudes.gains.disagreement import Sums
from magnitudes.scaling.groups import ratio

Floats = NDArray[np.float64]
CONFIDENCE = 0.95


class Share(NamedTuple):
    """Quotients of sums over topics, and what each topic adds to their errors.

    value: (...), NaN where nothing was counted. errors: (topics, ...), (a - value · b) / Σ b, whose
    sum is 0. topics: (...), how many count.
    """

    value: Floats
    errors: Floats
    topics: NDArray[np.int64]


def share(part: ArrayLike, whole: ArrayLike) -> Share:
    """Σ part / Σ whole over topics, the first axis of both, linearised by topic.

    Cochran, Sampling techniques, Wiley 1977, section 6.3.

    >>> share([1.0, 0.0], [2.0, 2.0]).value
    array(0.25)
    """
    parts, wholes = np.asarray(part, dtype=np.float64), np.asarray(whole, dtype=np.float64)
    total = wholes.sum(axis=0)
    value = ratio(parts.sum(axis=0), total)
    return Share(value, ratio(parts - value * wholes, total), np.count_nonzero(wholes, axis=0))


def student_ends(value: ArrayLike, errors: Floats, topics: ArrayLike) -> tuple[Floats, Floats]:
    """The ends of value ± t(0.975; n - 1) · √(n / (n - 1) Σ errors²).

    Parameters:
        value: (...). errors: (topics, ...), what each topic adds to its error.
        topics: (...), n; NaN is returned below two.

    >>> found = share([1.0, 2.0, 3.0], [4.0, 4.0, 4.0])
    >>> [end.round(3) for end in student_ends(*found)]
    [np.float64(-0.121), np.float64(1.121)]
    """
    n = np.asarray(topics, dtype=np.float64)
    known = np.where(n > 1, n, np.nan)
    error = np.sqrt(known / (known - 1) * (errors**2).sum(axis=0))
    margin = scipy.special.stdtrit(known - 1, (1 + CONFIDENCE) / 2) * error
    return np.asarray(value - margin), np.asarray(value + margin)


def by_topic(parts: Sums, opinions: Opinions, weights: ArrayLike = 1.0) -> Sums:
    """Sums over the items of each topic, (topics, levels), each item counting `weights` times."""
    times = np.broadcast_to(np.asarray(weights, dtype=np.float64), opinions.n_items)
    shape = int(opinions.topic_of_item.max(initial=-1)) + 1, opinions.n_levels
    totals = []
    for part in parts:
        of_topics = np.zeros(shape)
        np.add.at(of_topics, opinions.topic_of_item, part * times[:, np.newaxis])
        totals.append(of_topics)
    return Sums(*totals)


def disagreement_over_topics(parts: Sums) -> tuple[Floats, Floats]:
    """The 95% interval of p(T|i), (levels,) each, from the sums of topics; cut at 0 and 1.

    NaN for a level that fewer than two topics have.
    """
    low, high = student_ends(*share(parts.top, parts.shares))
    return np.maximum(low, 0), np.minimum(high, 1)
