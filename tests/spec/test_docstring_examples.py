"""The examples in docstrings of the product do what they say."""

import doctest
import importlib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ROOMS = "accounts config crowd evaluation judging magnitudes operations web workspace".split()


def modules():
    for room in ROOMS:
        for path in sorted((ROOT / room).rglob("*.py")):
            if ">>> " in path.read_text(encoding="utf-8"):
                place = path.relative_to(ROOT).with_suffix("")
                yield ".".join(part for part in place.parts if part != "__init__")


@pytest.mark.parametrize("name", list(modules()))
def test_examples(name):
    failed, tried = doctest.testmod(importlib.import_module(name), verbose=False)
    assert (failed, tried > 0) == (0, True)
