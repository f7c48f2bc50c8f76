"""Gains by name, as options and pages give them: `linear`, `udm:1/3`.

GAINS declares them all. A new gain is one function and one entry; options of commands, messages,
the choices on pages and docs/measures.md are read from there.

What a gain is `of` says what its function takes: `scores`, one aggregated score for each item;
`levels`, one level for each item, or the median of those that several judges gave; `opinions`,
what several judges said of each item. Magnitudes have no levels: gains of levels, and `udm`, take
the four that magnitudes are cut into between the anchors of each topic (`cutting`), and gains of
ratings take ratings from 0 for N_k to 1 for H_k (`bounded`), so that Dmax is 1.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evaluation.agreement.opinions import Opinions
from evaluation.gains import GainError, levels
from evaluation.gains.disagreement import disagreement, reasons
from evaluation.gains.level_weights import MOST_USERS, gains_of, level_weights
from evaluation.gains.magnitude import magnitude
from evaluation.gains.mappings import MAPPINGS, mapped
from evaluation.gains.scores import Ratings, Scores
from evaluation.gains.unanimity import P, Unanimity, unanimity, usual_number
from evaluation.scaling.aggregation import aggregate

Floats = NDArray[np.float64]
Judgments: TypeAlias = Opinions | Scores | ArrayLike
Of: TypeAlias = Literal["scores", "levels", "opinions"]


class GainNameError(GainError):
    """A name that no gain has; the message says which there are."""


def _nothing(judgments: Judgments) -> str:
    return ""


class NamedGain(NamedTuple):
    """A gain: what it is called, what it is computed from, and how."""

    name: str  # in one spelling: unanimity:0.20 is unanimity:0.2
    of: Of
    gains: Callable[[Judgments], Floats]
    remark: Callable[[Judgments], str] = _nothing  # what there is to say of the judgments
    wants: str = ""  # where its best documents are not relevant to everybody: what would be needed


class Option(NamedTuple):
    """The numbers behind the colon of a name.

    form: how they are written, in messages; usual: those that pages offer. read: takes the whole
    name and what stands behind the colon, and gives the one spelling of the numbers and themselves;
    GainNameError where there are no such numbers.
    """

    form: str
    usual: str
    read: Callable[[str, str], tuple[str, tuple[Any, ...]]]


@dataclass(frozen=True)
class Definition:
    """A gain as GAINS declares it.

    what: in a few words. make: takes the name in its one spelling, the numbers of its option, and
    how many labels of an item count (None: as many as most items have), and gives the gain.
    offered: whether pages offer it; any can be asked for by name.
    """

    what: str
    of: Of
    make: Callable[..., NamedGain]
    option: Option | None = None
    offered: bool = True


def parse(name: str, ratings: int | None = None) -> NamedGain:
    """The gain of a name.

    Parameters:
        name: one of GAINS, with numbers of one's own where it has an option: `udm:M/N` with
            1 <= M <= N, `unanimity:P` with P from 0 to 1.
        ratings: how many labels of an item count, for gains of ratings: the redundancy of a study.
            If not given, the number that most items have (the larger of two that are as frequent).

    Returns:
        A gain, whose `gains` takes scores (items,), levels (items,), `Opinions`, or `Scores` of
        several judges, and gives (items,), NaN for an item of which nothing was said. Levels are
        taken from `Opinions` too: the median of an item's labels, and the mean of the middle two
        of an even number. The weights of `udm` are estimated from the opinions themselves, and a
        level that was given but has no weight is an error, and so is a top level that nobody gave.
        Of ratings, the first of an item count, in the order of the opinions, and items with fewer
        are scaled up, as `unanimity` has it.

    Raises:
        GainNameError: no such name, or a number that it cannot have. `gains` raises a GainError
            where it is given something else than it takes, or cannot answer.

    >>> opinions = Opinions([0, 0, 1, 1, 1], [2, 1, 1, 0, 0], [0, 1, 0, 1, 2], 3, [0, 0, 0])
    >>> parse("linear").gains(opinions), parse("exponential").gains([0, 1, 2])
    (array([1.5, 0. , nan]), array([0., 1., 3.]))
    >>> parse("udm:1/2").gains(opinions).round(3)
    array([0.8, 0.2, nan])
    >>> parse("udm:4/3")
    Traceback (most recent call last):
        ...
    evaluation.gains.named.GainNameError: udm:4/3: at least M of N users needs 1 <= M <= N
    """
    word, colon, numbers = name.partition(":")
    definition = GAINS.get(word)
    if definition is None or bool(colon) != bool(definition.option):
        raise GainNameError(_unknown(name))
    if definition.option is None:
        return definition.make(word, ratings)
    spelled, values = definition.option.read(name, numbers)
    return definition.make(f"{word}:{spelled}", ratings, *values)


def forms(*of: Of) -> str:
    """All names, or those of gains that are computed of these, as messages list them.

    >>> forms("opinions")
    'udm:M/N, raw, weighted, unanimity:P'
    """
    return ", ".join(
        f"{word}:{definition.option.form}" if definition.option else word
        for word, definition in GAINS.items()
        if not of or definition.of in of
    )


def offered() -> dict[str, str]:
    """What can be chosen without knowing more: what each gain is, by name.

    >>> offered()["udm:1/3"]
    '1 of 3 users finds it best'
    """
    return {
        f"{word}:{definition.option.usual}" if definition.option else word: definition.what
        for word, definition in GAINS.items()
        if definition.offered
    }


def _unknown(name: str) -> str:
    return f"no gain is called {name!r}; there are {forms()}"


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
    given = opinions.given
    return aggregate(given.levels, given.items, given.n_items).values


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


def _users(name: str, numbers: str) -> tuple[str, tuple[int, int]]:
    """M and N of "at least M of N users"."""
    written = re.fullmatch(r"(\d+)/(\d+)", numbers, re.ASCII)
    if not written:
        raise GainNameError(_unknown(name))
    m, n = (int(min(float(users), MOST_USERS + 1)) for users in written.groups())
    if max(m, n) > MOST_USERS:
        raise GainNameError(f"{name}: M and N are at most {MOST_USERS:,} users")
    if not 1 <= m <= n:
        raise GainNameError(f"{name}: at least M of N users needs 1 <= M <= N")
    return f"{m}/{n}", (m, n)


def _share(name: str, number: str) -> tuple[str, tuple[float]]:
    """p, from 0 to 1."""
    written = re.fullmatch(r"(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", number, re.ASCII)
    if not written or not (p := float(number)) <= 1:
        raise GainNameError(f"{name}: expected p from 0 to 1")
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


def _unanimity(given: Ratings, n: int, p: float = P) -> Unanimity:
    return unanimity(given.items, given.ratings, given.n_items, given.d_max, n, p)


def _short(given: Ratings, n: int) -> str:
    """What there is to say where documents have fewer ratings than they count with."""
    found = _unanimity(given, n)
    short, rated = int(found.short.sum()), int((~np.isnan(found.raw)).sum())
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
    "raw": Definition("sum of ratings", "opinions", _of_ratings(lambda found: found.raw)),
    "weighted": Definition(
        "that sum, less where judges differ", "opinions", _of_ratings(lambda found: found.weighted)
    ),
    "unanimity": Definition(
        "that sum, and more where judges agree",
        "opinions",
        _of_ratings(lambda found: found.aware),
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
