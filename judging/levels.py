"""The levels of a graded scale: what a study may call them, and what a person may choose."""

from collections.abc import Sequence
from typing import Any

from judging.numbers import NotAScore, gettext_noop
from trec.labels.scales import out_of_order
from trec.words import count

FEWEST_LEVELS, MOST_LEVELS = 2, 10
LONGEST_NAME = 40
LONGEST_DESCRIPTION = 300  # characters
CHOOSE = gettext_noop("Choose one of the levels.")


class NotLevels(ValueError):
    """These cannot be the levels of a study; the message says what is wrong."""


def read_levels(levels: Any) -> list[str]:
    """The names of a study's levels, lowest first, without blanks around them.

    Raises:
        NotLevels: not 2 to 10 different texts of 1 to 40 characters; numbers that do not ascend.

    >>> read_levels(["no ", "yes"])
    ['no', 'yes']
    """
    if not isinstance(levels, list) or not all(isinstance(name, str) for name in levels):
        raise NotLevels("expected a list of texts, lowest first")
    names = [" ".join(name.split()) for name in levels]
    if not FEWEST_LEVELS <= len(names) <= MOST_LEVELS:
        raise NotLevels(f"{count(len(names), 'name')}; expected {FEWEST_LEVELS} to {MOST_LEVELS}")
    for place, name in enumerate(names):
        if not 1 <= len(name) <= LONGEST_NAME:
            raise NotLevels(
                f"“{name}” has {len(name)} characters; expected 1 to {LONGEST_NAME} in every name"
            )
        if name in names[:place]:
            raise NotLevels(f"“{name}” stands there twice; expected different names")
    if fault := out_of_order(names):
        raise NotLevels(fault)
    return names


def read_descriptions(sentences: Any) -> list[str]:
    """What a study says of each of its levels, lowest first, without blanks around.

    Raises:
        NotLevels: not texts of 1 to 300 characters.

    >>> read_descriptions([" It says nothing of  the topic.", "It answers it."])
    ['It says nothing of the topic.', 'It answers it.']
    """
    if not isinstance(sentences, list) or not all(isinstance(text, str) for text in sentences):
        raise NotLevels("expected a list of texts, one for each level, lowest first")
    texts = [" ".join(text.split()) for text in sentences]
    for place, text in enumerate(texts, 1):
        if not 1 <= len(text) <= LONGEST_DESCRIPTION:
            raise NotLevels(
                f"sentence {place} has {len(text)} characters; expected 1 to {LONGEST_DESCRIPTION}"
            )
    return texts


def chosen(text: str) -> int | None:
    """The number of a level, from 0, that a form holds; None: it holds none.

    >>> chosen("3"), chosen("10"), chosen("Key")
    (3, None, None)
    """
    return int(text) if len(text) == 1 and text in "0123456789" else None


def parse_level(text: str, levels: Sequence[str]) -> float:
    """The score of the level that a form names by its number.

    Raises:
        NotAScore: the scale has no such level; the message is for the person who chose.
    """
    level = chosen(text)
    if level is None or level >= len(levels):
        raise NotAScore(CHOOSE)
    return float(level)
