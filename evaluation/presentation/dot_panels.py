"""Many quantities of many things: a panel for each, with a dot for each thing and their mean."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from evaluation.presentation import dot_strips, plots
from evaluation.presentation.frame import ROWS, Frame
from evaluation.presentation.parts import Figure, number, span

MAX_LINES = 40  # things that are drawn below each other; more are strips of dots
LINE = 15  # pixels


def shown(frame: Frame) -> list[str]:
    """The columns that have a panel, and something to draw in it."""
    return [
        name
        for name, column in frame.columns.items()
        if column.panel and not np.isnan(frame[name]).all()
    ]


def figures(frame: Frame, thing: str, first: str) -> Iterator[Figure]:
    """Things in the order of the frame, named by the column `thing`; first: what is on top."""
    columns = shown(frame)
    if not columns:
        return
    names = frame[thing].tolist()
    is_few = len(names) <= MAX_LINES
    marks = [mark for column in columns for mark in _marks(frame, column, thing, is_few)]
    panels = [frame.columns[column].panel for column in columns]
    mean = plots.rule_at(ROWS, x=plots.axis("mean", None))
    if is_few:
        across, down = plots.axis("value", None, ticks=2), plots.names(thing, names)
        height, in_row = LINE * len(names), 3
        dots = plots.points(ROWS, across, down, opacity=1)
    else:
        height, in_row = dot_strips.height(marks), 1
        dots = dot_strips.strip(ROWS, None, None, height)
    below = f"{thing.capitalize()}s with the {first} are on top" if is_few else f"A dot a {thing}"
    together = ", and for panels that rise or fall together" if is_few and len(columns) > 1 else ""
    ends = [_ends(frame, column) for column in [columns[0], *columns[1:][-1:]]]
    yield frame.of_columns(thing, *columns).figure(
        "side-by-side",
        f"By {thing}: {', '.join(ends)}",
        f"{below}; dashed: means over {thing}s.",
        plots.panels(
            plots.layer(dots, mean),
            "panel",
            panels,
            min(len(panels), in_row),
            height=height,
            apart=True,
        ),
        data={ROWS: marks},
        reading=f"Look for {thing}s far from the others{together}.",
    )


def _ends(frame: Frame, column: str) -> str:
    ends = np.nanmin(frame[column]), np.nanmax(frame[column])
    return f"{frame.columns[column].panel} {span(*ends, lambda end: number(end, 2))}"


def _marks(frame: Frame, column: str, thing: str, is_few: bool) -> Iterator[dict[str, Any]]:
    """The mean, and a dot for each thing; dots of many are stacked where they are close."""
    panel, values, names = frame.columns[column].panel, frame[column], frame[thing].tolist()
    mean = {"panel": panel, "mean": float(np.mean(values[~np.isnan(values)]))}
    labels = [f"{thing} {n}: {panel} {number(v)}" for n, v in zip(names, values, strict=True)]
    if is_few:
        yield mean
        for one, value, label in zip(names, values.tolist(), labels, strict=True):
            yield {"panel": panel, thing: one, "value": value, "name": label}
    else:
        yield from ({"panel": panel, **dot} for dot in dot_strips.rows(values, names, labels))
        yield {**mean, "up": 0}
