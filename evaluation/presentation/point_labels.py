"""Names beside the dots that matter, where they cover no other dots and no other name."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evaluation.presentation import plots
from web.drawing.texts import FONT_SIZE

LONGEST = 22  # letters; there is room for no more
LETTER, LINE = 6.4, 14  # pixels of a name
AWAY = 8  # pixels from a dot to its name
DOT = 5  # pixels from its middle to its edge

Box = tuple[float, float, float, float]  # left, right, lower and upper end


class Dot(NamedTuple):
    """Where a dot lies, and its name."""

    name: str
    x: float
    y: float


def beside(
    dots: Sequence[Dot], wanted: Sequence[int], size: tuple[int, int]
) -> list[dict[str, str]]:
    """Of each dot the name that stands to its left or right, if it has one.

    wanted: the places of dots that matter, the most important first; size: of a panel in pixels.
    A name that would cover a dot or another name on both sides is left out.

    >>> dots = Dot("best", 9, 9), Dot("next", 8.9, 8.9), Dot("worst", 0, 0)
    >>> beside(dots, [0, 1, 2], (200, 200))
    [{'left': 'best'}, {}, {'right': 'worst'}]
    >>> beside([Dot("name", 3, 0), Dot("", 4, 0), Dot("", 0, 9), Dot("", 9, 9)], [0], (200, 200))
    [{'left': 'name'}, {}, {}, {}]
    """
    texts: list[dict[str, str]] = [{} for _ in dots]
    at = _pixels(dots, size)
    taken: list[Box] = []
    for place in dict.fromkeys(wanted):
        name = dots[place].name
        name = name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…"
        x, y = at[place].tolist()
        boxes = [
            (side, (left, left + LETTER * len(name), y - LINE / 2, y + LINE / 2))
            for side, left in _sides(x, AWAY + LETTER * len(name), size[0])
        ]
        for side, box in boxes:
            if not _covers(box, at) and not any(_meet(box, one) for one in taken):
                texts[place] = {side: name}
                taken.append(box)
                break
    return texts


def _pixels(dots: Sequence[Dot], size: tuple[int, int]) -> NDArray[np.float64]:
    """Where dots lie in a panel, (n, 2)."""
    places = np.array([dot[1:] for dot in dots], dtype=np.float64).reshape(-1, 2)
    if not len(places):
        return places
    spans = np.ptp(places, axis=0)
    inside: NDArray[np.float64] = (places - places.min(axis=0)) / np.where(spans > 0, spans, 1)
    return inside * size


def _sides(x: float, length: float, width: int) -> list[tuple[str, float]]:
    """The sides where there is room for a name, the roomier first, and where it would begin."""
    sides = [("right", x + AWAY)] if x + length <= width else []
    left = [("left", x - length)] if x >= length else []
    return left + sides if x > width / 2 else sides + left


def _covers(box: Box, at: NDArray[np.float64]) -> bool:
    left, right, lower, upper = box
    x, y = at.T
    return bool(((x > left - DOT) & (x < right + DOT) & (y > lower) & (y < upper)).any())


def _meet(one: Box, other: Box) -> bool:
    return one[0] < other[1] and other[0] < one[1] and one[2] < other[3] and other[2] < one[3]


def layers(data: str, across: Any, up: Any) -> list[Any]:
    """The names of rows with a text `left` or `right`, beside their dots."""
    style: dict[str, Any] = {"colour": plots.INK, "size": FONT_SIZE - 1, "x": across, "y": up}
    return [
        plots.mark("text", data, text="left", anchor="end", dx=-AWAY, **style),
        plots.mark("text", data, text="right", anchor="start", dx=AWAY, **style),
    ]
