"""Some defences are taken away: their tests notice. `make mutants` takes away each."""

import random

import pytest

from tests.security.mutating import applied, copied_tree, mutants, run
from tests.security.test_threat_model import LINES

# Those whose tests need no database: the copy would have to make one.
QUICK = [
    mutant
    for mutant in mutants()
    if mutant.test.startswith(("tests/trec/", "tests/judging/test_cleaning.py"))
]


def test_each_belongs_to_a_row_and_its_test() -> None:
    for mutant in mutants():
        assert f"`{mutant.test}`" in LINES[mutant.row], mutant.name


def test_each_patch_applies() -> None:
    with copied_tree() as tree:
        for mutant in mutants():
            with applied(tree, mutant):
                pass


def test_a_few_are_noticed(capsys: pytest.CaptureFixture[str]) -> None:
    chosen = random.Random(len(mutants())).sample(QUICK, 2)
    assert run(chosen), capsys.readouterr().out
