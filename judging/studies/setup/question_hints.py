"""What gives the right answer of a topic's question away to somebody who has not read the topic."""

import re
from collections.abc import Sequence

FAR = 1.5  # times as long as another option: by far
SHORT = 4  # letters that a word of some weight has


def stands_out(options: Sequence[str], answer: str, title: str) -> list[str]:
    """Say what makes the right answer stand out among the options; empty if nothing does.

    Args:
        options: of the question, the right one among them.
        answer: the right one.
        title: of the topic.

    >>> stands_out(["a red one", "a blue one", "one", "a long green and yellow one"], "one", "")
    ['The right answer is by far the shortest option: 3 characters, the others at least 9.']
    """
    others = [option for option in options if option != answer]
    if not answer or not others:
        return []
    return [*_by_length(others, answer), *_by_title(others, answer, title)]


def _by_length(others: Sequence[str], answer: str) -> list[str]:
    lengths, length = [len(option) for option in others], len(answer)
    said = f"option: {length} characters, the others at"
    if length > FAR * max(lengths):
        return [f"The right answer is by far the longest {said} most {max(lengths)}."]
    if length * FAR < min(lengths):
        return [f"The right answer is by far the shortest {said} least {min(lengths)}."]
    return []


def _by_title(others: Sequence[str], answer: str, title: str) -> list[str]:
    """Words of the title that the right answer has and no other option."""
    elsewhere = set[str]().union(*map(_words, others))
    giving_away = sorted((_words(answer) & _words(title)) - elsewhere)
    if not giving_away:
        return []
    return [f"The right answer alone has words of the topic's title: {', '.join(giving_away)}."]


def _words(text: str) -> set[str]:
    return {word for word in re.findall(r"\w+", text.casefold()) if len(word) >= SHORT}
