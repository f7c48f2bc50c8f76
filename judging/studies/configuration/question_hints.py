import re
from collections.abc import Sequence

LENGTH_RATIO = 1.5  # to another option: by far longer
MIN_CHARACTERS = 4  # of a word that counts


def find_giveaways(options: Sequence[str], answer: str, title: str) -> list[str]:
    """What makes the right answer stand out among the options; empty if nothing does.

    The title itself may be the answer, as in the questions that are proposed.

    >>> find_giveaways(["a red one", "a blue one", "one", "a long green and yellow one"], "one", "")
    ['The right answer is by far the shortest option: 3 characters, the others at least 9.']
    """
    others = [option for option in options if option != answer]
    if not answer or not others:
        return []
    by_title = [] if answer == title else _by_title(others, answer, title)
    return [*_by_length(others, answer), *by_title]


def _by_length(others: Sequence[str], answer: str) -> list[str]:
    lengths, length = [len(option) for option in others], len(answer)
    text = f"option: {length} characters, the others at"
    if length > LENGTH_RATIO * max(lengths):
        return [f"The right answer is by far the longest {text} most {max(lengths)}."]
    if length * LENGTH_RATIO < min(lengths):
        return [f"The right answer is by far the shortest {text} least {min(lengths)}."]
    return []


def _by_title(others: Sequence[str], answer: str, title: str) -> list[str]:
    elsewhere = set[str]().union(*map(_words, others))
    words = ", ".join(sorted((_words(answer) & _words(title)) - elsewhere))
    return [f"The right answer alone has words of the topic's title: {words}."] if words else []


def _words(text: str) -> set[str]:
    return {word for word in re.findall(r"\w+", text.casefold()) if len(word) >= MIN_CHARACTERS}
