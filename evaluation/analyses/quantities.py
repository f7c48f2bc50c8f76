"""Quantities that a paper and a study both have, in the form in which the paper prints them."""

import math
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from evaluation.presentation import published
from evaluation.presentation.parts import number
from magnitudes.agreement.workers import Z95

Numbers = Mapping[str, Any]
RELEVANT = re.compile(r"\(rel=[^)]*\)(?=@)")  # what is relevant: an option of a measure


class Value(NamedTuple):
    """A number, and how it is written; ends: of its 95% interval, where it has one."""

    number: float
    text: str
    low: float = math.nan
    high: float = math.nan

    @property
    def has_interval(self) -> bool:
        return not math.isnan(self.low + self.high)


class Compared(NamedTuple):
    """A paper's quantity beside the same of a study.

    difference: ours less theirs, with an interval where the errors of both are known. is_inside:
    whether the paper's value lies in the study's interval; None where it has none.
    """

    quantity: str
    theirs: Value
    ours: Value
    difference: Value
    interval: str = ""
    is_inside: bool | None = None


class Quantity(NamedTuple):
    """A row of `compare` in `published.toml`, which says what its fields are."""

    quantity: str
    ours: str
    theirs: str
    ours_of: str = ""
    theirs_of: str = ""
    theirs_error: str = ""
    theirs_sd: str = ""
    theirs_n: str = ""

    def compared(self, numbers: Numbers) -> Compared | None:
        """numbers: those of the analysis; nothing where the study has no such number."""
        value = _number(numbers, self.ours)
        if value is None:
            return None
        printed, theirs = published.quote(f"{{{self.theirs}}}"), published.value(self.theirs)
        style = _style(printed)
        if not self.ours_of:
            low, high = (_number(numbers, f"{self.ours}_{end}") for end in ("low", "high"))
            ends = () if low is None or high is None else (low, high)
            ours = Value(value, style.written(value), *ends)
            return self._beside(Value(theirs, style.of_paper(printed)), ours, style, numbers)
        of, their_total = _number(numbers, self.ours_of), published.value(self.theirs_of)
        if not of:
            return None
        style = Style(1 if max(theirs / their_total, value / of) < 0.1 else 0, is_share=True)
        counted = published.quote(f"{{{self.theirs}}} of {{{self.theirs_of}}}")
        share = theirs / their_total
        return self._beside(
            Value(share, f"{counted} ({style.written(share)})"),
            Value(value / of, f"{value:,.0f} of {of:,.0f} ({style.written(value / of)})"),
            style,
            numbers,
        )

    def _beside(self, theirs: Value, ours: Value, style: "Style", numbers: Numbers) -> Compared:
        apart = ours.number - theirs.number
        error = _number(numbers, f"{self.ours}_error")
        half = Z95 * math.hypot(self._their_error, math.nan if error is None else error)
        text = style.signed(apart)
        if not math.isnan(half):
            text += f" ({style.signed(apart - half)} to {style.signed(apart + half)})"
        interval, is_inside = "", None
        if ours.has_interval:
            interval = f"{style.written(ours.low)} to {style.written(ours.high)}"
            is_inside = ours.low <= theirs.number <= ours.high
        difference = Value(apart, text, apart - half, apart + half)
        return Compared(self.quantity, theirs, ours, difference, interval, is_inside)

    @property
    def _their_error(self) -> float:
        """The standard error that the paper gives; NaN where it gives none."""
        if self.theirs_error:
            return published.value(self.theirs_error)
        if self.theirs_sd:
            return published.value(self.theirs_sd) / math.sqrt(published.value(self.theirs_n))
        return math.nan


class Style(NamedTuple):
    """How numbers are written: to as many decimals as the paper's, or digits where it has none."""

    decimals: int | None
    is_share: bool = False

    def written(self, value: float) -> str:
        if self.is_share:
            return f"{100 * value:.{self.decimals}f}%"
        text = number(value) if self.decimals is None else f"{value:,.{self.decimals}f}"
        return text.replace("-", "−")

    def signed(self, value: float) -> str:
        """
        >>> Style(0, is_share=True).signed(-0.031), Style(3).signed(0.006), Style(2).signed(-0.001)
        ('−3 points', '+0.006', '0.00')
        """
        text = self.written(abs(value)).removesuffix("%")
        sign = "" if not float(text.replace(",", "")) else "−" if value < 0 else "+"
        return f"{sign}{text} points" if self.is_share else f"{sign}{text}"

    @staticmethod
    def of_paper(printed: str) -> str:
        """A share of two counts is shown as a share, too."""
        first, is_ratio, of = printed.partition("/")
        if not is_ratio:
            return printed
        return f"{int(first):,} of {int(of):,} ({int(first) / int(of):.0%})"


def _style(printed: str) -> Style:
    if "/" in printed:
        return Style(0, is_share=True)
    _, point, decimals = printed.rstrip("%").partition(".")
    is_share = printed.endswith("%")
    if is_share:
        return Style(min(len(decimals), 1), is_share)
    return Style(len(decimals) if point else None)


def _number(numbers: Numbers, name: str) -> float | None:
    """A number by its name, whatever is relevant for a measure.

    >>> _number({"means": [1, 2]}, "means.1"), _number({"P(rel=2)@10, paired t": 0.3}, "P@10")
    (2, None)
    >>> _number({"P(rel=2)@10, paired t": 0.3}, "P@10, paired t")
    0.3
    """
    value = numbers.get(name)
    if value is None:
        plain = (value for key, value in numbers.items() if RELEVANT.sub("", key) == name)
        value = next(plain, None)
    of, point, place = name.rpartition(".")
    if value is None and point and place.isdigit():
        several = numbers.get(of) or ()
        value = several[int(place)] if len(several) > int(place) else None
    return None if value is None or value != value else value


def all_compared(quantities: tuple[Quantity, ...], numbers: Numbers) -> Iterator[Compared]:
    """Those that the study has."""
    yield from filter(None, (each.compared(numbers) for each in quantities))


def known(numbers: Numbers, *names: str) -> bool:
    """Whether all of these numbers are there; one that is not defined is not."""
    values = [numbers.get(name) for name in names]
    return not any(value is None or value != value for value in values)


def reader(numbers: Numbers) -> str:
    if not known(numbers, "slope", "intercept"):
        return ""
    a, b = numbers["slope"], numbers["intercept"]
    line = f"{a:.3f} l {'+' if b >= 0 else '−'} {abs(b):.3g}"
    return f"T_D(l) = {line} s; a study of judges has no click or save"


def exponential_is_above(numbers: Numbers) -> str:
    """Where the exponential profile of gains lies; which profile is nearer takes a test."""
    if not known(numbers, "exponential_above", "levels"):
        return ""
    above, of = numbers["exponential_above"], numbers["levels"]
    where = "above all" if above == of else "above some" if above else "above none of the"
    return f"The exponential profile is {where} medians of levels"
