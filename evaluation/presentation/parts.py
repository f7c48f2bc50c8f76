"""What an analysis says: sentences, figures and tables, as plain values that can be kept."""

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from magnitudes.files.words import count
from web.drawing.charts import Chart, as_wide, legend, pictures, svg
from web.drawing.thumbnails import thumbnail

Row = Sequence[Any]
LEAST_P = 0.001  # a smaller p is only said to be smaller
CUT_MARK = "†"
CUT = f"{CUT_MARK} cut at what is possible."
UNLABELLED = "unlabelled_as_zero"  # among the numbers of an analysis, where some count so
OF_PAPER = "of_paper"  # among the data of a figure: what the paper found, of the same quantity
DIAMONDS = "Large diamonds: the paper."
FIGURE_WIDTH = 480  # pixels, at the least
PANEL_WIDTH = 230  # pixels of a panel on a page, without its axis
MOST_DOTS = 1000  # of a picture; a page need not carry tens of thousands


@dataclass(frozen=True)
class Part(ABC):
    """A figure or a table: what it says, and its rows; `name`: in addresses, and of its files.

    source: where the paper has the like, "Table II", or "Table 1 of" another one. heads: of
    columns, where one is given.
    """

    name: str
    title: str
    columns: tuple[str, ...]
    rows: Sequence[Row]
    source: str = field(default="", kw_only=True)
    heads: Mapping[str, str] = field(default_factory=dict, kw_only=True)

    @abstractmethod
    def with_note(self, note: str) -> Self:
        """The same with one more sentence to be read with it."""

    def to_json(self, mark: str = "", *, beside_paper: bool = True) -> dict[str, Any]:
        """As it is kept.

        mark: of who judged, which a picture bears. beside_paper: whether what the paper found is
        drawn, where a figure has it.
        """
        return {
            "kind": type(self).__name__.lower(),
            "name": self.name,
            "says": self.title,
            "source": self.source,
            "columns": list(self.columns),
            "heads": dict(self.heads),
            "rows": [[plain(cell) for cell in row] for row in self.rows],
        }


@dataclass(frozen=True)
class Table(Part):
    """A table; `notes` tell how to read it, and why cells are empty.

    caption: one line that always stands below it, while notes are folded. page: the name of the
    page that each row's document (query_id, doc_id) has, if there is one. limits: by column,
    between which numbers an interval can end; for reading its ends are cut there and marked, files
    have them as they are.
    """

    notes: tuple[str, ...] = ()
    page: str = ""
    caption: str = ""
    limits: Mapping[str, tuple[float, float]] = field(default_factory=dict)

    def with_note(self, note: str) -> Self:
        return replace(self, notes=(*self.notes, note))

    @property
    def _cut(self) -> bool:
        """Whether an end of an interval is cut."""
        columns = self.columns
        return any(
            isinstance(cell, float) and (cell < least or cell > most)
            for name, (least, most) in self.limits.items()
            for cell in (row[columns.index(name)] for row in self.rows)
        )

    def to_json(self, mark: str = "", *, beside_paper: bool = True) -> dict[str, Any]:
        return super().to_json() | {
            "page": self.page,
            "caption": f"{self.caption} {CUT}".lstrip() if self._cut else self.caption,
            "notes": list(self.notes),
            "limits": {name: list(limits) for name, limits in self.limits.items()},
        }


@dataclass(frozen=True)
class Figure(Part):
    """A figure: `title` is the finding, `caption` one line on what is drawn; `rows` are its data.

    reading: how to read it, what to look for; folded on pages. Where there is none, it is what
    follows the first sentence of the caption. data: what the chart is drawn on, by name.
    """

    caption: str
    chart: Chart
    data: Mapping[str, list[dict[str, Any]]]
    reading: str = ""

    @property
    def caption_and_reading(self) -> tuple[str, str]:
        """One line on what is drawn, and how to read it."""
        first = first_sentence([self.caption])
        if self.reading or not first:
            return self.caption, self.reading
        return f"{first}.", self.caption[len(first) :].lstrip(". ")

    def with_note(self, note: str) -> Self:
        caption, reading = self.caption_and_reading
        return replace(self, caption=caption, reading=f"{reading} {note}".lstrip())

    def to_json(self, mark: str = "", *, beside_paper: bool = True) -> dict[str, Any]:
        """With the picture, and as a small one."""
        caption, reading = self.caption_and_reading
        data = self.data
        if not beside_paper:
            data = {name: rows for name, rows in data.items() if name != OF_PAPER}
        elif data.get(OF_PAPER):
            caption = f"{caption} {DIAMONDS}"
        chart = as_wide(self.chart, data, FIGURE_WIDTH)
        return super().to_json() | {
            "caption": caption,
            "reading": reading,
            "svg": svg(chart, self.title, data, mark=mark),
            "pictures": pictures(chart, self.title, data, PANEL_WIDTH),
            "legend": legend(chart),
            "mark": mark,
            "thumbnail": thumbnail(self.chart, self.title, data),
        }


@dataclass(frozen=True)
class Result:
    """The outcome of one analysis. sentences: paragraphs, the main finding first."""

    sentences: Sequence[str]
    parts: Sequence[Part] = ()
    numbers: Mapping[str, Any] = field(default_factory=dict)  # for scripts, through REST

    def followed_by(self, *others: "Result") -> "Result":
        """The sentences, parts and numbers of all."""
        every = (self, *others)
        return Result(
            [sentence for result in every for sentence in result.sentences],
            [part for result in every for part in result.parts],
            {name: n for result in every for name, n in result.numbers.items()},
        )

    def counting(self, unlabelled: int, has_anchors: bool) -> "Result":
        """The same, saying everywhere how many unlabelled documents count as 0 in it."""
        zeros = zeros_in_words(unlabelled, has_anchors)
        return Result(
            [*self.sentences, zeros],
            [part.with_note(zeros) for part in self.parts],
            {**self.numbers, UNLABELLED: unlabelled},
        )

    def to_json(self, mark: str = "", *, beside_paper: bool = True) -> dict[str, Any]:
        """mark: of who judged, which sentences and titles bear as well."""
        alone = str if beside_paper else without_paper
        parts = [replace(part, title=of_crowd(alone(part.title), mark)) for part in self.parts]
        return {
            "says": [of_crowd(alone(text), mark) for text in self.sentences],
            "parts": [part.to_json(mark, beside_paper=beside_paper) for part in parts],
            "numbers": plain_row(self.numbers),
        }


def zeros_in_words(unlabelled: int, has_anchors: bool = True) -> str:
    """How many unlabelled documents count as 0; nothing of none.

    >>> zeros_in_words(1)
    '1 unlabelled document (U) counts as 0, anchors not among them.'
    >>> zeros_in_words(2, has_anchors=False)
    '2 unlabelled documents (U) count as 0.'
    """
    if not unlabelled:
        return ""
    documents = count(unlabelled, "unlabelled document")
    counts = "counts" if unlabelled == 1 else "count"
    return f"{documents} (U) {counts} as 0{', anchors not among them' if has_anchors else ''}."


def dashes(reasons: Iterable[str]) -> list[str]:
    """Notes of a table on why cells are empty, each once.

    >>> dashes(["there is no topic", "", "there is no topic"])
    ['A dash: there is no topic.']
    """
    return [f"A dash: {reason}." for reason in sorted({*reasons} - {""})]


def thinned(
    n: int, keep: NDArray[np.int64] | None = None, seed: int = 0, most: int = MOST_DOTS
) -> list[int]:
    """Which dots are drawn, at most `most` out of `n`: those to keep, and others at random.

    Returns their places, ascending.

    >>> thinned(3), len(thinned(5000))
    ([0, 1, 2], 1000)
    """
    if n <= most:
        return list(range(n))
    always = np.empty(0, dtype=np.int64) if keep is None else np.unique(keep)
    others = np.setdiff1d(np.arange(n), always)
    rng = np.random.default_rng(seed)
    some = rng.choice(others, max(most - len(always), 0), replace=False)
    places: list[int] = np.sort(np.concatenate([always, some])).tolist()
    return places


def with_ends(name: str, value: float, low: float, high: float) -> dict[str, float]:
    """A number and the ends of its interval, as the numbers of an analysis have them."""
    return {name: value, f"{name}_low": low, f"{name}_high": high}


def plain(value: Any) -> Any:
    """A value as JSON has it: no NumPy numbers; NaN and infinities are null."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def plain_row(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: plain(value) for name, value in row.items()}


def of_crowd(text: str, mark: str) -> str:
    """A text that leaves the site without its banner, with what workers are by the study's mark.

    >>> of_crowd("Workers agree; half of 9 workers do", "simulated")
    'Artificial workers agree; half of 9 artificial workers do'
    >>> of_crowd("Of a worker", "simulated"), of_crowd("Workers' gains", "model, Interim")
    ('Of an artificial worker', "Model conversations' gains")
    """
    name = {"simulated": "artificial worker", "model": "model conversation"}.get(mark.split(",")[0])
    if not name:
        return text
    text = re.sub(r"\bWorker", name.capitalize(), re.sub(r"\bworker", name, text))
    return re.sub(r"\ba artificial", "an artificial", text)


def without_paper(text: str) -> str:
    """A text without what stands in parentheses of the paper, of a crowd that is made like its.

    >>> without_paper("44% keep to it (the paper: 51% and 68%), by the paper's rule (9.2).")
    "44% keep to it, by the paper's rule (9.2)."
    >>> without_paper("Of 86% (mean over 3 topics; the paper: 80% with graded labels).")
    'Of 86% (mean over 3 topics).'
    """
    return re.sub(r" \(the paper[^()']*\)|; the paper: [^()]*(?=\))", "", text)


def first_sentence(paragraphs: Sequence[str]) -> str:
    """The first sentence of a text, without its full stop; nothing of no text.

    >>> first_sentence(["Half are 3.3 or more (De Beer and others, p. 3). None is 1."])
    'Half are 3.3 or more (De Beer and others, p. 3)'
    >>> first_sentence(["Alpha is 0.323. 1 is perfect agreement."])
    'Alpha is 0.323'
    """
    end = r"(?<! p)\.(?= [A-Z0-9“]|\s*$)"
    return re.split(end, paragraphs[0], maxsplit=1)[0] if paragraphs else ""


def number(value: float, digits: int = 3) -> str:
    """A number in a sentence, to a few significant digits: zeros at its end stay.

    >>> number(0.5), number(0.0448), number(12.04), number(2.0), number(1234.5)
    ('0.500', '0.0448', '12.0', '2', '1,234')
    """
    if not math.isfinite(value):
        return "not defined"
    whole = math.isclose(value, round(value), rel_tol=1e-9) or abs(value) >= 10**digits - 0.5
    if whole and abs(value) < 1e6:  # no exponent that a reader does not need
        return f"{value:,.0f}"
    return f"{value:#,.{digits}g}".rstrip(".")


def correlation(value: float, digits: int = 2) -> str:
    """Tau, or another number from -1 to 1, in a sentence: with so many decimals.

    >>> correlation(0.5), correlation(-0.001), correlation(1.0), correlation(-0.001, 3)
    ('0.50', '0.00', '1', '-0.001')
    """
    if not math.isfinite(value):
        return "not defined"
    if abs(value) == 1:
        return f"{value:.0f}"
    text = f"{value:.{digits}f}"
    return text if float(text) else text.removeprefix("-")


def amount(value: float, one: str) -> str:
    """A measured number of things: '1 level', '0.5 levels'."""
    text = number(value)
    return f"{text} {one if text == '1' else one + 's'}"


def ends(low: float, high: float, digits: int = 3) -> tuple[str, str]:
    """Both ends of a range with as many decimals, those that the larger one has.

    Where the smaller one would be 0 then, each has its own.

    >>> ends(0.2, 0.695), ends(-0.0061, 0.7), ends(0.593, 1.12), ends(0.045, 12.3), ends(1, 5)
    (('0.200', '0.695'), ('-0.006', '0.700'), ('0.59', '1.12'), ('0.0450', '12.3'), ('1', '5'))
    """
    largest = max(abs(low), abs(high))
    whole = float(low).is_integer() and float(high).is_integer()
    if not math.isfinite(low + high) or whole or not 1e-4 <= largest < 1e6:
        return number(low, digits), number(high, digits)
    decimals = max(0, digits - 1 - math.floor(math.log10(largest)))
    both = f"{low:,.{decimals}f}", f"{high:,.{decimals}f}"
    lost = any(
        value and not float(text.replace(",", ""))
        for value, text in zip((low, high), both, strict=True)
    )
    return (number(low, digits), number(high, digits)) if lost else both


def interval(low: float, high: float, digits: int = 3) -> str:
    """An interval in a sentence: `0.200 to 0.695`."""
    return " to ".join(ends(low, high, digits))


def span(low: float, high: float, written: Callable[[float], str] | None = None) -> str:
    """From where to where something lies; a single number where both read the same."""
    first, last = (written(low), written(high)) if written else ends(low, high)
    return first if first == last else f"from {first} to {last}"


def p_value(p: float) -> str:
    """A p-value in a sentence, never 0: `p = 0.012`, or `p < 0.001`."""
    return "p < 0.001" if p < LEAST_P else f"p = {p:.3f}" if math.isfinite(p) else "p not defined"


def percent(share: float, digits: int = 0) -> str:
    return f"{100 * share:.{digits}f}%" if math.isfinite(share) else "not defined"


def listed(names: Iterable[str], most: int = 6) -> str:
    """Names in a sentence, no more than fit one."""
    every = list(names)
    more = f" and {len(every) - most} more" if len(every) > most else ""
    return ", ".join(every[:most]) + more
