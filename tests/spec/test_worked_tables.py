"""Worked tables: each Markdown file beside this one is both a page to read and a test.

What is read of a page, everything else being prose:

    Uses `package.module.name`, ...        names that its expressions know
    Given `name`:                          the table that follows is the array `name`
    Then `expression`:                     the table that follows is what it comes to

A table's first row are its column heads. Where the head of the first column is empty, that column
holds the heads of rows. One row without a head is a list of numbers, everything else is a table of
them. Cells are whole numbers, decimal numbers, fractions like 3/4, or – for no value. A decimal
number must be met to the digits that are printed, all else exactly but for rounding.
"""

import importlib
import re
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

PAGES = sorted(Path(__file__).parent.glob("*.md"))
STEP = re.compile(r"(?P<word>Given|Then) `(?P<what>[^`]+)`:")


class Then(NamedTuple):
    """One expectation, with all that stands above it on its page."""

    expression: str
    known: dict
    expected: np.ndarray
    tolerance: np.ndarray


def read(page):
    """The expectations of a page, in order."""
    known = {"np": np}
    lines = page.read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines):
        if line.startswith("Uses "):
            for dotted in re.findall(r"`([\w.]+)`", line):
                module, name = dotted.rsplit(".", 1)
                known[name] = getattr(importlib.import_module(module), name)
        elif step := STEP.fullmatch(line.strip()):
            values, tolerance = table(lines[number + 1 :])
            if step["word"] == "Given":
                known[step["what"]] = values
            else:
                yield Then(step["what"], dict(known), values, tolerance)


def table(lines):
    """The first table of some lines: its numbers, and how far off each may be."""
    start = next(n for n, line in enumerate(lines) if line.strip())
    rows = []
    for line in lines[start:]:
        if not line.startswith("|"):
            break
        rows.append([cell.strip() for cell in line.strip().strip("|").split("|")])
    head, _, *body = rows
    if not head[0]:
        cells = [row[1:] for row in body]
    elif len(body) == 1:
        cells = body[0]
    else:
        cells = body
    texts = np.array(cells, dtype=object)
    values = np.vectorize(number, otypes=[np.float64])(texts)
    if all(re.fullmatch(r"-?\d+", text) for text in texts.flat):
        values = values.astype(np.int64)
    return values, np.vectorize(tolerance, otypes=[np.float64])(texts)


def number(text):
    return float("nan") if text == "–" else float(Fraction(text))


def tolerance(text):
    """Half a unit of the last printed digit; next to nothing where none is cut off."""
    decimals = len(text.partition(".")[2])
    return 0.5 * 10.0**-decimals + 1e-12 if decimals else 1e-12


def expectations():
    for page in PAGES:
        for n, then in enumerate(read(page), start=1):
            yield pytest.param(then, id=f"{page.stem}-{n}-{then.expression}")


@pytest.mark.parametrize("then", list(expectations()))
def test_worked_table(then):
    found = np.asarray(eval(then.expression, then.known), dtype=np.float64)
    assert found.shape == then.expected.shape
    missing = np.isnan(then.expected)
    assert (np.isnan(found) == missing).all(), found
    off = np.abs(found - then.expected) > then.tolerance
    assert not off[~missing].any(), f"found {found.tolist()}, expected {then.expected.tolist()}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_page_expects_something(page):
    assert page.read_text(encoding="utf-8").startswith("# ")
    assert list(read(page))
