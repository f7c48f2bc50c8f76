"""What may be said of systems once all pairs are tested: who differs, and what hangs on one run.

The test is `tukey_hsd`. Its p are shares of draws, so that a pair whose p lies within two standard
errors of the level may fall on the other side with another seed: such pairs are counted, too.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from magnitudes.comparison.pairs import Floats
from magnitudes.comparison.top_set import LEAST_TOPICS, LEVEL
from magnitudes.comparison.tukey import N_RESAMPLES, Tukey, tukey_hsd
from magnitudes.files.words import count

ERRORS = 2  # standard errors of p, within which a pair may fall on either side
SURE = 0.01  # below which an adjusted p makes a finding sure
MAX_NAMED = 2  # systems in a headline that are worse than the best
ENOUGH_JUDGED = 0.9  # of the documents that a measure looks at
TEST = "randomised Tukey HSD over all pairs"


class Pairs(NamedTuple):
    """How many pairs of systems differ, at the least and at the most by another seed, of all."""

    differ: int
    fewest: int
    most: int
    all: int

    @property
    def by_seed(self) -> str:
        """How many may differ by another seed; empty where no p is near the level.

        >>> Pairs(22, 19, 23, 561).by_seed
        '19 to 23 by seed'
        """
        return "" if self.fewest == self.most else f"{self.fewest:,} to {self.most:,} by seed"

    @property
    def said(self) -> str:
        """
        >>> Pairs(22, 19, 23, 561).said, Pairs(0, 0, 0, 528).said
        ('22 (19 to 23 by seed)', 'none')
        """
        n = f"{self.differ:,}" if self.differ else "none"
        return f"{n} ({self.by_seed})" if self.by_seed else n


class SignificantPairs(NamedTuple):
    """What a test of all pairs found, as headlines need it; plain values that JSON can hold."""

    systems: int
    topics: int
    best: str  # the system with the highest mean
    worse: int  # how many differ from it
    pairs: Pairs
    busiest: str  # the system that is in most pairs that differ; empty where none do
    better_than_busiest: int
    worse_than_busiest: int
    others: Pairs  # without the busiest, when the others are tested alone
    p: float | None  # the largest of the pairs that the headline names; None: it names none
    judged: float | None  # share of the documents that the measure looks at, mean over systems
    seed: int  # of the test
    named: tuple[str, ...] = ()  # those that differ from the best, if they are few

    def to_json(self) -> dict[str, Any]:
        """As JSON has it."""
        return self._asdict() | {
            "pairs": self.pairs._asdict(),
            "others": self.others._asdict(),
        }

    @classmethod
    def read(cls, kept: Mapping[str, Any]) -> "SignificantPairs | None":
        """From `to_json`; None if it has other fields, as older code stored them."""
        try:
            pairs = {name: Pairs(**kept[name]) for name in ("pairs", "others")}
            return cls(**{**kept, **pairs, "named": tuple(kept.get("named", ()))})
        except (KeyError, TypeError):
            return None


class Verdict(NamedTuple):
    """A headline on systems, without a full stop, and what was tested, to stand beside it.

    is_sure: a test could be made, each pair that it names has p < .01, and no seed says otherwise.
    """

    says: str
    beside: str = ""
    is_sure: bool = False


def pairs_of(tested: Tukey, level: float = LEVEL) -> Pairs:
    """Count pairs with p < level, and those that would surely be, or might be, by another seed.

    p is a share of B trials, with a standard error of √(level (1 - level) / B) near the level.

    >>> tested = tukey_hsd([[0.9, 0.5, 0.4], [0.8, 0.3, 0.4], [0.9, 0.4, 0.5], [0.7, 0.5, 0.3]])
    >>> pairs_of(tested)
    Pairs(differ=1, fewest=1, most=2, all=3)
    """
    p = tested.p[np.triu_indices(len(tested.p), 1)]
    away = _by_seed(level, tested.n_resamples)
    differ, fewest, most = (int((p < edge).sum()) for edge in (level, level - away, level + away))
    return Pairs(differ, fewest, most, len(p))


def _by_seed(level: float, n_resamples: int) -> float:
    """How far p near a level may lie from that of another seed."""
    return float(ERRORS * np.sqrt(level * (1 - level) / n_resamples))


def significant_pairs(
    values: ArrayLike, systems: Sequence[str], tested: Tukey, judged: float | None = None
) -> SignificantPairs:
    """Who differs from whom, and how many pairs remain without the system in most of them.

    Parameters:
        values: (topics, systems), by which the systems were tested, best mean first.
        systems: their names.
        tested: what `tukey_hsd` gives of these values.
        judged: the share of judged documents, if it is known.

    Returns:
        See `ToldApart`. Where nothing could be tested no pair differs.

    Raises:
        ComparisonError: values that are no table, or infinite.
    """
    table = np.asarray(values, dtype=np.float64)
    differ = tested.p < LEVEL
    pairs = pairs_of(tested)
    place = int(differ.sum(axis=0).argmax()) if pairs.differ else 0
    others = _without(table, place, tested) if pairs.differ else pairs
    worse = np.flatnonzero(differ[0]).tolist() if systems else []
    above, below = (differ & side for side in (tested.difference > 0, tested.difference < 0))
    return SignificantPairs(
        systems=len(systems),
        topics=len(table),
        best=systems[0] if systems else "",
        worse=len(worse),
        pairs=pairs,
        busiest=systems[place] if pairs.differ else "",
        better_than_busiest=int(above[:, place].sum()) if pairs.differ else 0,
        worse_than_busiest=int(below[:, place].sum()) if pairs.differ else 0,
        others=others,
        p=_largest_p(tested, place if not others.differ else 0) if pairs.differ else None,
        judged=judged,
        seed=tested.seed,
        named=tuple(systems[each] for each in worse) if len(worse) <= MAX_NAMED else (),
    )


def _largest_p(tested: Tukey, place: int) -> float:
    """Of the pairs that differ from one system; if none does, the smallest p of all pairs."""
    named = tested.p[place][tested.p[place] < LEVEL]
    return float(named.max() if named.size else tested.p.min())


def _without(values: Floats, place: int, tested: Tukey) -> Pairs:
    """The pairs of all systems but one, tested for themselves."""
    rest = tukey_hsd(np.delete(values, place, axis=1), tested.n_resamples, tested.seed)
    return pairs_of(rest)


def verdict(told: SignificantPairs, still_open: int, by: str = "") -> Verdict:
    """The headline on a study's systems, which says no more than the test does.

    Parameters:
        told: what was found.
        still_open: units that are free or in progress while the study is not closed.
        by: measure and gains, as they stand beside the headline.

    >>> pairs, others = Pairs(22, 22, 22, 561), Pairs(0, 0, 0, 528)
    >>> told = SignificantPairs(34, 12, "bm25", 1, pairs, "random", 22, 0, others, 0.0, 1.0, 1)
    >>> verdict(told, 0).says
    'No difference between the other 33 systems can be shown; 22 of them are better than random'
    >>> verdict(told._replace(others=pairs, named=("random",)), 0).says
    'bm25 is better than random; the other 32 systems do not differ significantly from it'
    >>> verdict(told, 7).says
    'Too early to rank 34 systems: 7 units are not done'
    """
    if why := _too_early(told, still_open):
        return Verdict(why)
    if told.topics < LEAST_TOPICS:
        return Verdict(
            f"Too few topics to say which of {count(told.systems, 'system')} differ: {told.topics}",
            f"It takes {LEAST_TOPICS} topics.",
        )
    pairs = told.pairs
    if not pairs.differ:
        says = f"No difference between {_the(told.systems)} can be shown"
    elif not told.others.differ:
        says = _all_from_one(told)
    else:
        says = _from_best(told)
    return Verdict(says, _beside(told, by), _is_sure(told))


def _is_sure(told: SignificantPairs) -> bool:
    """Whether every pair that the headline names is far from the edge of the test."""
    edge = SURE - _by_seed(SURE, N_RESAMPLES)
    return told.p is not None and told.p < edge and told.pairs.fewest == told.pairs.most


def _too_early(told: SignificantPairs, still_open: int) -> str:
    """Why systems cannot be ranked yet; empty where they can."""
    if told.systems < 2:
        return "There is one system, and none to compare it with" if told.systems else "No system"
    systems = count(told.systems, "system")
    if still_open:
        are = "unit is" if still_open == 1 else "units are"
        return f"Too early to rank {systems}: {still_open:,} {are} not done"
    if told.judged is not None and told.judged < ENOUGH_JUDGED:
        share = int(100 * told.judged)  # never rounded up to what would be enough
        return f"Too little is judged to rank {systems}: {share}% of the documents at the top"
    return ""


def _the(systems: int) -> str:
    return "the two systems" if systems == 2 else f"the {systems:,} systems"


def _all_from_one(told: SignificantPairs) -> str:
    """No pair is left without the busiest system: what of the others, and where it stands."""
    if told.systems == 2:
        return f"{told.best} is better than the other system"
    parts = [
        f"{n:,} of them {'is' if n == 1 else 'are'} {kind} than {told.busiest}"
        for n, kind in ((told.better_than_busiest, "better"), (told.worse_than_busiest, "worse"))
        if n
    ]
    others = count(told.systems - 1, "system")
    return f"No difference between the other {others} can be shown; {' and '.join(parts)}"


def _from_best(told: SignificantPairs) -> str:
    others, rest = told.systems - 1, told.systems - 1 - told.worse
    if not told.worse:
        return (
            f"No system differs significantly from the highest, {told.best}, but some from each "
            "other"
        )
    if not rest:
        return f"{told.best} is better than all {others:,} other systems"
    if told.named:
        other = "other system does" if rest == 1 else f"other {rest:,} systems do"
        worse = " and ".join(told.named)
        return f"{told.best} is better than {worse}; the {other} not differ significantly from it"
    return (
        f"{told.best} is better than {told.worse:,} of the other {others:,} systems; "
        f"{rest:,} {'does' if rest == 1 else 'do'} not differ significantly from it"
    )


def _beside(told: SignificantPairs, by: str) -> str:
    """What was tested, and how many pairs differ with and without the busiest system."""
    pairs = told.pairs
    without = ""
    if told.busiest:
        without = f"; tested without {told.busiest}, {told.others.said} of {told.others.all:,}"
    return (
        f"{TEST[0].upper()}{TEST[1:]}{f', {by}' if by else ''}, p < {LEVEL:g}, "
        f"seed {told.seed}: {pairs.said} of "
        f"{count(pairs.all, 'pair')} {'differs' if pairs.differ == 1 else 'differ'}{without}."
    )
