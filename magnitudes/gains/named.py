"""Gains by name, as options and pages give them: `linear`, `udm:1/3`.

GAINS declares them all: options of commands, messages, the choices on pages and docs/measures.md
are read from there.

What a gain is `of` says what it is computed from: `scores`, one aggregated score for each item;
`levels`, one level for each item, or the median of those that several judges gave; `opinions`,
what several judges said of each item. Magnitudes have no levels: gains of levels, and `udm`, take
the four that magnitudes are cut into between the anchors of each topic (`cutting`), and gains of
ratings take ratings from 0 for N_k to 1 for H_k (`bounded`), so that Dmax is 1.
"""

from magnitudes.gains import GainError
from magnitudes.gains.catalogue import GAINS, NamedGain, Of


class GainNameError(GainError):
    """A name that no gain has; the message says which there are."""


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

    >>> from magnitudes.agreement.opinions import Opinions
    >>> opinions = Opinions([0, 0, 1, 1, 1], [2, 1, 1, 0, 0], [0, 1, 0, 1, 2], 3, [0, 0, 0])
    >>> parse("linear").gains(opinions), parse("exponential").gains([0, 1, 2])
    (array([1.5, 0. , nan]), array([0., 1., 3.]))
    >>> parse("udm:1/2").gains(opinions).round(3)
    array([0.8, 0.2, nan])
    >>> parse("udm:4/3")
    Traceback (most recent call last):
        ...
    magnitudes.gains.named.GainNameError: udm:4/3: at least M of N users needs 1 <= M <= N
    """
    word, colon, numbers = name.partition(":")
    definition = GAINS.get(word)
    if definition is None or bool(colon) != bool(definition.option):
        raise GainNameError(_unknown(name))
    if definition.option is None:
        return definition.make(word, ratings)
    try:
        option = definition.option.read(numbers)
    except GainError as fault:
        raise GainNameError(f"{name}: {fault}") from None
    if option is None:
        raise GainNameError(_unknown(name))
    spelling, values = option
    return definition.make(f"{word}:{spelling}", ratings, *values)


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
