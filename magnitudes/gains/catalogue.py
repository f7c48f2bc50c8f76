"""The gains that there are: what each is computed from, and how.

A new gain is one function and one entry in GAINS. What a gain is `of` says what its function takes;
see `named`, which knows gains by their names.
"""

import re
from collections.abc import Callable
from functools import partial
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from magnitudes.agreement.opinions import Opinions
from magnitudes.gains import GainError, levels
from magnitudes.gains.disagreement import disagreement, reasons
from magnitudes.gains.level_weights import MOST_USERS, gains_of, level_weights
from magnitudes.gains.magnitude import magnitude
from magnitudes.gains.mappings import MAPPINGS, mapped
from magnitudes.gains.scores import Ratings, Scores
from magnitudes.gains.unanimity import P, Unanimity, unanimity, usual_number
from magnitudes.scaling.aggregation import aggregate

Floats = NDArray[np.float64]
Judgments: TypeAlias = Opinions | Scores | ArrayLike
Of: TypeAlias = Literal["scores", "levels", "opinions"]


def _nothing(judgments: Judgments) -> str:
    return ""


class NamedGain(NamedTuple):
    """A gain: what it is called, what it is computed from, and how."""

    name: str  # in one spelling: unanimity:0.20 is unanimity:0.2
    of: Of
    gains: Callable[[Judgments], Floats]
    remark: Callable[[Judgments], str] = _nothing  # on the judgments, for readers; or empty
    wants: str = ""  # where its best documents are not relevant to everybody: what would be needed


class Option(NamedTuple):
    """The numbers behind the colon of a name.

    form: how they are written, in messages; usual: those that pages offer. read: takes what stands
    behind the colon, and gives the one spelling of the numbers, and the numbers; None where it is
    not of the form, a GainError where the numbers are not possible.
    """

    form: str
    usual: str
    read: Callable[[str], tuple[str, tuple[Any, ...]] | None]


class Definition(NamedTuple):
    """A gain as GAINS declares it.

    what: in a few words. make: takes the name in its one spelling, how many labels of an item count
    (None: as many as most items have) and the numbers of its option, and gives the gain. offered:
    whether pages offer it; any can be asked for by name.
    """

    what: str
    of: Of
    make: Callable[..., NamedGain]
    option: Option | None = None
    offered: bool = True


# --- scores and levels ------------------------------------------------------------------------


def _magnitude(name: str, ratings: int | None) -> NamedGain:
    def gains(judgments: Judgments) -> Floats:
        if isinstance(judgments, Opinions):
            raise GainError("magnitude needs aggregated scores, not opinions in levels")
        return magnitude(judgments.aggregated if isinstance(judgments, Scores) else judgments)

    return NamedGain(name, "scores", gains)


def _of_levels(
    function: Callable[[ArrayLike], levels.Gains],
) -> Callable[[str, int | None], NamedGain]:
    """A gain that is a function of the level of each item."""

    def gains(judgments: Judgments) -> Floats:
        opinions = judgments.opinions if isinstance(judgments, Scores) else judgments
        level = np.asarray(
            _median(opinions) if isinstance(opinions, Opinions) else opinions, dtype=np.float64
        )
        known = ~np.isnan(level)
        result = np.full(level.shape, np.nan)
        result[known] = function(level[known]).values
        return result

    return lambda name, ratings: NamedGain(name, "levels", gains)


def _median(opinions: Opinions) -> Floats:
    known = opinions.given
    return aggregate(known.levels, known.items, known.n_items).values


# --- opinions ---------------------------------------------------------------------------------


def _opinions(judgments: Judgments, name: str) -> Opinions:
    if isinstance(judgments, Scores):
        return judgments.opinions
    if not isinstance(judgments, Opinions):
        raise GainError(f"{name} needs opinions of several judges, not one number for each item")
    return judgments


def _udm(name: str, ratings: int | None, m: int, n: int) -> NamedGain:
    def gains(judgments: Judgments) -> Floats:
        opinions = _opinions(judgments, name)
        estimated = disagreement(opinions)
        weights = level_weights(estimated.p, m, n)
        if unknown := np.flatnonzero(np.isnan(weights) & opinions.counts.any(axis=0)).tolist():
            why = reasons(estimated, opinions.names)[unknown[0]]
            raise GainError(f"{why}, so that it has no weight")
        if not opinions.counts[:, -1].any():
            top = opinions.names.level(opinions.n_levels - 1)
            raise GainError(f"no opinion has the {top}, so that the gain of every document is 0")
        return gains_of(opinions, weights)

    return NamedGain(name, "opinions", gains, wants="" if m == 1 else "M = 1 in udm:M/N")


def _users(numbers: str) -> tuple[str, tuple[int, int]] | None:
    """M and N of "at least M of N users"."""
    written = re.fullmatch(r"(\d+)/(\d+)", numbers, re.ASCII)
    if not written:
        return None
    m, n = (int(min(float(users), MOST_USERS + 1)) for users in written.groups())
    if max(m, n) > MOST_USERS:
        raise GainError(f"M and N are at most {MOST_USERS:,} users")
    if not 1 <= m <= n:
        raise GainError("at least M of N users needs 1 <= M <= N")
    return f"{m}/{n}", (m, n)


def _share(number: str) -> tuple[str, tuple[float]]:
    """p, from 0 to 1."""
    written = re.fullmatch(r"(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", number, re.ASCII)
    if not written or not (p := float(number)) <= 1:
        raise GainError("expected p from 0 to 1")
    return f"{p:.12g}", (p,)


# --- ratings ----------------------------------------------------------------------------------


def _of_ratings(which: Callable[[Unanimity], Floats]) -> Callable[..., NamedGain]:
    """A gain of the first n ratings of each item."""

    def make(name: str, n: int | None, p: float = P) -> NamedGain:
        return NamedGain(
            name,
            "opinions",
            lambda judgments: which(_unanimity(*_ratings(judgments, name, n), p)),
            lambda judgments: _short(*_ratings(judgments, name, n)),
        )

    return make


def _unanimity(ratings: Ratings, n: int, p: float = P) -> Unanimity:
    return unanimity(ratings.items, ratings.ratings, ratings.n_items, ratings.d_max, n, p)


def _short(ratings: Ratings, n: int) -> str:
    """A remark where documents have fewer ratings than they count with."""
    gains = _unanimity(ratings, n)
    short, rated = int(gains.short.sum()), int((~np.isnan(gains.raw)).sum())
    if short:
        have = "has" if short == 1 else "have"
        return (
            f"{short:,} of {rated:,} documents {have} fewer than {n} ratings: RawG is scaled up to "
            f"{n}, and D may be too small"
        )
    return "documents count with 1 rating each, so that D is 0" if rated and n == 1 else ""


def _ratings(judgments: Judgments, name: str, n: int | None) -> tuple[Ratings, int]:
    """Ratings, and how many of an item count."""
    if isinstance(judgments, Scores):
        ratings = judgments.ratings
    else:
        opinions = _opinions(judgments, name).given
        ratings = Ratings(
            opinions.items,
            opinions.levels.astype(float),
            opinions.n_items,
            opinions.n_levels - 1,
        )
    return ratings, n or usual_number(ratings.items, ratings.n_items)


GAINS: dict[str, Definition] = {
    "magnitude": Definition("normalised scores", "scores", _magnitude),
    "linear": Definition("levels", "levels", _of_levels(levels.linear)),
    "exponential": Definition("2^level - 1", "levels", _of_levels(levels.exponential)),
    "udm": Definition("1 of 3 users finds it best", "opinions", _udm, Option("M/N", "1/3", _users)),
    "raw": Definition("sum of ratings", "opinions", _of_ratings(lambda gains: gains.raw)),
    "weighted": Definition(
        "that sum, less where judges differ", "opinions", _of_ratings(lambda gains: gains.weighted)
    ),
    "unanimity": Definition(
        "that sum, and more where judges agree",
        "opinions",
        _of_ratings(lambda gains: gains.aware),
        Option("P", f"{P:g}", _share),
    ),
    "binary": Definition(
        "1 for every level above 0", "levels", _of_levels(levels.binary), offered=False
    ),
    **{
        name: Definition(
            f"{name} of level C", "levels", _of_levels(partial(mapped, mapping=name)), offered=False
        )
        for name in MAPPINGS
    },
}
