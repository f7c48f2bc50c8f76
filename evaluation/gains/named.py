"""Gains by name, as options and pages give them.

| name            | the gain of an item                                                | of       |
|-----------------|--------------------------------------------------------------------|----------|
| `magnitude`     | its aggregated score                                               | scores   |
| `linear`        | its level; of several labels, their median                         | levels   |
| `exponential`   | 2^level - 1, of the same level                                     | levels   |
| `udm:1/3`       | mean weight of its labels: at least 1 of 3 users find it best      | opinions |
| `raw`           | sum of its labels, RawG                                            | opinions |
| `weighted`      | (1 - D / Dmax) RawG                                                | opinions |
| `unanimity:0.2` | RawG + p N (Dmax - D), or 0 where RawG is 0; with p = 0.2          | opinions |

See `magnitude`, `levels`, `level_weights` and `unanimity`, each of which says where it is from.
Magnitudes have no levels: `linear`, `exponential` and `udm` take the four that they are cut into
between the anchors of each topic (`cutting`), and the last three take ratings from 0 for N_k to 1
for H_k (`bounded`), so that Dmax is 1.
"""

import re
from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evaluation.gains import GainError, levels
from evaluation.gains.disagreement import disagreement, reasons
from evaluation.gains.level_weights import MOST_USERS, gains_of, level_weights
from evaluation.gains.magnitude import magnitude
from evaluation.gains.opinions import Opinions
from evaluation.gains.scores import Ratings, Scores
from evaluation.gains.unanimity import P, Unanimity, unanimity, usual_number
from evaluation.scaling.aggregation import aggregate

Floats = NDArray[np.float64]
Said: TypeAlias = Opinions | Scores | ArrayLike
OF_LEVELS = "linear, exponential, udm:M/N, raw, weighted, unanimity:P"
FORMS = f"magnitude, {OF_LEVELS}"


class GainNameError(GainError):
    """A name that no gain has; the message says which there are."""


def _nothing(said: Said) -> str:
    return ""


class NamedGain(NamedTuple):
    """A gain: what it is called, what it is computed from, and how."""

    name: str  # in one spelling: unanimity:0.20 is unanimity:0.2
    of: str  # scores, levels or opinions
    gains: Callable[[Said], Floats]
    remark: Callable[[Said], str] = _nothing  # what there is to say of what it is computed from


def parse(name: str, ratings: int | None = None) -> NamedGain:
    """The gain of a name.

    Parameters:
        name: one of the table on top of this page, with numbers of one's own: `udm:M/N` with
            1 <= M <= N, `unanimity:P` with P from 0 to 1.
        ratings: N of the last three, how many labels of an item count: the redundancy of a study.
            If not given, the number that most items have (the larger of two that are as frequent).

    Returns:
        A gain, whose `gains` takes scores (items,), levels (items,), `Opinions`, or `Scores` of
        several judges, and gives (items,), NaN for an item of which nothing was said. Levels are
        taken from `Opinions` too: the median of an item's labels, and the mean of the middle two
        of an even number. The weights of `udm` are estimated from the opinions themselves, and a
        level that was given but has no weight is an error, and so is a top level that nobody gave.
        Of the last three, the first N labels of an item count, in the order of the opinions, and
        items with fewer are scaled up, as `unanimity` has it.

    Raises:
        GainNameError: no such name, or a number that it cannot have. `gains` raises a GainError
            where it is given something else than it takes, or cannot answer.

    >>> said = Opinions([0, 0, 1, 1, 1], [2, 1, 1, 0, 0], [0, 1, 0, 1, 2], 3, [0, 0, 0])
    >>> parse("linear").gains(said), parse("exponential").gains([0, 1, 2])
    (array([1.5, 0. , nan]), array([0., 1., 3.]))
    >>> parse("udm:1/2").gains(said).round(3)
    array([0.8, 0.2, nan])
    >>> parse("udm:4/3")
    Traceback (most recent call last):
        ...
    evaluation.gains.named.GainNameError: udm:4/3: at least M of N users needs 1 <= M <= N
    """
    if name in PLAIN:
        return PLAIN[name]
    if udm := re.fullmatch(r"udm:(\d+)/(\d+)", name, re.ASCII):
        return _udm(name, *(int(min(float(users), MOST_USERS + 1)) for users in udm.groups()))
    if name == "raw":
        return _of_ratings(name, ratings, lambda found: found.raw)
    if name == "weighted":
        return _of_ratings(name, ratings, lambda found: found.weighted)
    if name.startswith("unanimity:"):
        p = _p(name)
        return _of_ratings(f"unanimity:{p:.12g}", ratings, lambda found: found.aware, p)
    raise GainNameError(f"no gain is called {name!r}; there are {FORMS}")


def _udm(name: str, m: int, n: int) -> NamedGain:
    if max(m, n) > MOST_USERS:
        raise GainNameError(f"{name}: M and N are at most {MOST_USERS:,} users")
    if not 1 <= m <= n:
        raise GainNameError(f"{name}: at least M of N users needs 1 <= M <= N")

    def gains(said: Said) -> Floats:
        opinions = _opinions(said, name)
        found = disagreement(opinions)
        weights = level_weights(found.p, m, n)
        if unknown := np.flatnonzero(np.isnan(weights) & opinions.counts.any(axis=0)).tolist():
            why = reasons(found, opinions.names)[unknown[0]]
            raise GainError(f"{why}, so that it has no weight")
        if not opinions.counts[:, -1].any():
            top = opinions.names.level(opinions.n_levels - 1)
            raise GainError(f"no opinion has the {top}, so that the gain of every document is 0")
        return gains_of(opinions, weights)

    return NamedGain(f"udm:{m}/{n}", "opinions", gains)


def _p(name: str) -> float:
    number = re.fullmatch(r"unanimity:((\d+\.?\d*|\.\d+)([eE][+-]?\d+)?)", name, re.ASCII)
    if not number or not (p := float(number[1])) <= 1:
        raise GainNameError(f"{name}: expected p from 0 to 1")
    return p


def _of_ratings(
    name: str, n: int | None, which: Callable[[Unanimity], Floats], p: float = P
) -> NamedGain:
    return NamedGain(
        name,
        "opinions",
        lambda said: which(_unanimity(*_ratings(said, name, n), p)),
        lambda said: _short(*_ratings(said, name, n)),
    )


def _unanimity(of: Ratings, n: int, p: float = P) -> Unanimity:
    return unanimity(of.items, of.ratings, of.n_items, of.d_max, n, p)


def _short(of: Ratings, n: int) -> str:
    """What there is to say where documents have fewer ratings than they count with."""
    found = _unanimity(of, n)
    short, rated = int(found.short.sum()), int((~np.isnan(found.raw)).sum())
    if short:
        have = "has" if short == 1 else "have"
        return (
            f"{short:,} of {rated:,} documents {have} fewer than {n} ratings: RawG is scaled up to "
            f"{n}, and D may be too small"
        )
    return "documents count with 1 rating each, so that D is 0" if rated and n == 1 else ""


def _ratings(said: Said, name: str, n: int | None) -> tuple[Ratings, int]:
    """Ratings, and how many of an item count."""
    if isinstance(said, Scores):
        of = said.ratings
    else:
        given = _opinions(said, name).given
        of = Ratings(given.items, given.levels.astype(float), given.n_items, given.n_levels - 1)
    return of, n or usual_number(of.items, of.n_items)


def _opinions(said: Said, name: str) -> Opinions:
    if isinstance(said, Scores):
        return said.opinions
    if not isinstance(said, Opinions):
        raise GainError(f"{name} needs opinions of several judges, not one number for each item")
    return said


def _magnitude(said: Said) -> Floats:
    if isinstance(said, Opinions):
        raise GainError("magnitude needs aggregated scores, not opinions in levels")
    return magnitude(said.aggregated if isinstance(said, Scores) else said)


def _of_levels(gain: Callable[[ArrayLike], levels.Gains]) -> Callable[[Said], Floats]:
    def gains(said: Said) -> Floats:
        whole = said.opinions if isinstance(said, Scores) else said
        level = np.asarray(
            _median(whole) if isinstance(whole, Opinions) else whole, dtype=np.float64
        )
        known = ~np.isnan(level)
        found = np.full(level.shape, np.nan)
        found[known] = gain(level[known]).values
        return found

    return gains


def _median(said: Opinions) -> Floats:
    given = said.given
    return aggregate(given.levels, given.items, given.n_items).values


PLAIN = {
    gain.name: gain
    for gain in (
        NamedGain("magnitude", "scores", _magnitude),
        NamedGain("linear", "levels", _of_levels(levels.linear)),
        NamedGain("exponential", "levels", _of_levels(levels.exponential)),
    )
}
