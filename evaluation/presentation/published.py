"""What the five papers print: `published.toml` beside this, read and checked once.

A key is the name of a number, `alpha`, or of one of several, `pairs.graded`.
"""

import tomllib
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from string import Formatter
from typing import Any, NamedTuple

FILE = Path(__file__).with_name("published.toml")
FIELDS = {"value", "place", "quantity", "condition"}


class PublishedError(LookupError):
    """A key that `published.toml` does not have, or what is wrong with one that it has."""


class Printed(NamedTuple):
    """A number as a paper prints it, and as a number."""

    text: str
    number: float


def read(papers: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Printed]]:
    """The numbers of all papers by key and item; the item of a single one is empty.

    Raises:
        PublishedError: a field is missing, unknown or empty, a number is none, or a key stands
            twice.
    """
    numbers: dict[str, dict[str, Printed]] = {}
    entries = [pair for paper in papers.values() for pair in paper.get("number", {}).items()]
    for key, entry in entries:
        if wrong := FIELDS ^ {name for name, content in entry.items() if content not in ("", {})}:
            raise PublishedError(f"{key}: {', '.join(sorted(wrong))} missing, empty or unknown")
        if key in numbers:
            raise PublishedError(f"{key} stands twice")
        value = entry["value"]
        items = value if isinstance(value, dict) else {"": value}
        numbers[key] = {item: _printed(key, one) for item, one in items.items()}
    return numbers


def _printed(key: str, value: str | float) -> Printed:
    if not isinstance(value, str):
        return Printed(f"{value:,}", value)
    try:
        number = Fraction(value.removesuffix("%"))
    except ValueError:
        raise PublishedError(f"{key}: {value!r} is no number") from None
    return Printed(value, float(number / 100 if value.endswith("%") else number))


PAPERS: Mapping[str, Mapping[str, Any]] = tomllib.loads(FILE.read_text(encoding="utf-8"))
NUMBERS = read(PAPERS)


def values(key: str) -> dict[str, float]:
    """Several numbers by item.

    >>> values("topic_means")
    {'low': 7.9, 'high': 12.9}
    """
    if key not in NUMBERS:
        raise PublishedError(f"published.toml has no {key}")
    return {item: printed.number for item, printed in NUMBERS[key].items()}


def value(key: str) -> float:
    """One number.

    >>> value("alpha"), value("pairs.graded")
    (0.323, 0.8)
    """
    return _one(key).number


def quote(sentence: str) -> str:
    """A sentence with keys in braces, each as the paper prints it, or with a format.

    >>> quote("tau {tau_runs_nDCG.all}, {overlap_runs_nDCG.all:.0%} of {documents}")
    'tau .677, 82% of 4,269'
    """
    return _Quoting().format(sentence)


def _one(key: str) -> Printed:
    name, _, item = key.partition(".")
    try:
        return NUMBERS[name][item]
    except KeyError:
        raise PublishedError(f"published.toml has no {key}") from None


class _Quoting(Formatter):
    def get_field(self, field_name: str, args: Any, kwargs: Any) -> tuple[Printed, str]:
        return _one(field_name), field_name

    def format_field(self, value: Printed, format_spec: str) -> str:
        return format(value.number, format_spec) if format_spec else value.text
