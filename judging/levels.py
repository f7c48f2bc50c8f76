from collections.abc import Sequence
from typing import Any

from judging.numbers import InvalidScore, gettext_noop
from magnitudes.files.labels.scales import out_of_order
from magnitudes.files.words import count

MIN_LEVELS, MAX_LEVELS = 2, 10
MAX_NAME_LENGTH = 40
MAX_DESCRIPTION_LENGTH = 300  # characters
CHOOSE = gettext_noop("Choose one of the levels.")


class InvalidLevels(ValueError):
    """These cannot be the levels of a study; the message says what is wrong."""


def read_levels(levels: Any) -> list[str]:
    """Lowest first, without blanks around them.

    Raises InvalidLevels: not 2 to 10 different texts of 1 to 40 characters, or numbers that fall.

    >>> read_levels(["no ", "yes"])
    ['no', 'yes']
    """
    names = _texts(levels, "expected a list of texts, lowest first")
    if not MIN_LEVELS <= len(names) <= MAX_LEVELS:
        raise InvalidLevels(f"{count(len(names), 'name')}; expected {MIN_LEVELS} to {MAX_LEVELS}")
    for index, name in enumerate(names):
        if not 1 <= len(name) <= MAX_NAME_LENGTH:
            raise InvalidLevels(
                f"“{name}” has {len(name)} characters; "
                f"expected 1 to {MAX_NAME_LENGTH} in every name"
            )
        if name in names[:index]:
            raise InvalidLevels(f"“{name}” stands there twice; expected different names")
    if fault := out_of_order(names):
        raise InvalidLevels(fault)
    return names


def read_descriptions(sentences: Any) -> list[str]:
    """Lowest first, without blanks around; raises InvalidLevels: not of 1 to 300 characters.

    >>> read_descriptions([" It says nothing of  the topic.", "It answers it."])
    ['It says nothing of the topic.', 'It answers it.']
    """
    texts = _texts(sentences, "expected a list of texts, one for each level, lowest first")
    for n, text in enumerate(texts, 1):
        if not 1 <= len(text) <= MAX_DESCRIPTION_LENGTH:
            raise InvalidLevels(
                f"sentence {n} has {len(text)} characters; expected 1 to {MAX_DESCRIPTION_LENGTH}"
            )
    return texts


def _texts(values: Any, expected: str) -> list[str]:
    if not isinstance(values, list) or not all(isinstance(text, str) for text in values):
        raise InvalidLevels(expected)
    return [" ".join(text.split()) for text in values]


def level_number(text: str) -> int | None:
    """The number of a level, from 0, in a form; None: there is none.

    >>> level_number("3"), level_number("10"), level_number("Key")
    (3, None, None)
    """
    return int(text) if len(text) == 1 and text in "0123456789" else None


def parse_level(text: str, levels: Sequence[str]) -> float:
    """Raises InvalidScore, with a message for the person who chose, if there is no such level."""
    level = level_number(text)
    if level is None or level >= len(levels):
        raise InvalidScore(CHOOSE)
    return float(level)
