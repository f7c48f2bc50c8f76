"""The examples in docstrings of the four wings of mathematics do what they say."""

import doctest
import importlib
import pkgutil

import pytest

WINGS = ("scaling", "agreement", "spread", "reading", "gains", "measures", "comparison")


def modules():
    for wing in WINGS:
        package = importlib.import_module(f"evaluation.{wing}")
        yield package.__name__
        for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
            yield module.name


@pytest.mark.parametrize("name", list(modules()))
def test_examples(name):
    failed, _ = doctest.testmod(importlib.import_module(name), verbose=False)
    assert failed == 0
