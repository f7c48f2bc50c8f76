"""Some defences are taken away: their tests notice. `make mutants` takes away each."""

import os
import random
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

import pytest

from tests.security import mutating
from tests.security.mutating import (
    TOO_SLOW,
    WITHOUT,
    Mutant,
    applied,
    copied_tree,
    mutants,
    run,
    verdict,
)
from tests.security.test_threat_model import LINES, ROWS

# Those whose tests need no database: the copy would have to make one.
QUICK = [
    mutant
    for mutant in mutants()
    if mutant.test.startswith(
        (
            "tests/trec/",
            "tests/judging/test_cleaning.py",
            "tests/config/test_compose_file.py",
            "tests/config/test_embedded.py",
            "tests/operations/test_paths_in_logs.py",
        )
    )
]


def test_each_belongs_to_a_row_and_its_test() -> None:
    for mutant in mutants():
        assert f"`{mutant.test}`" in LINES[mutant.row], mutant.name


def test_each_row_has_one() -> None:
    """Or stands among those that no patch can take away, with the reason."""
    with_one = {mutant.row for mutant in mutants()}
    assert with_one & set(WITHOUT) == set()
    assert with_one | set(WITHOUT) == set(ROWS)


def test_each_patch_applies() -> None:
    with copied_tree() as tree:
        for mutant in mutants():
            with applied(tree, mutant):
                pass


def of_content(patches: Sequence[Mutant]) -> str:
    """A seed that changes with the patches, and with nothing else."""
    return sha256(b"".join(each.patch.read_bytes() for each in patches)).hexdigest()


def test_the_choice_depends_on_the_patches_alone() -> None:
    assert of_content(mutants()) == of_content(mutants())
    assert of_content(mutants()) != of_content(mutants()[:-1])


@pytest.mark.nightly
def test_a_few_are_noticed(capsys: pytest.CaptureFixture[str]) -> None:
    """Others for other patches, and the same of one commit; MUTANTS_SEED chooses others."""
    seed = os.environ.get("MUTANTS_SEED") or of_content(mutants())
    chosen = random.Random(seed).sample(QUICK, 2)
    assert run(chosen), f"MUTANTS_SEED={seed}\n{capsys.readouterr().out}"


@pytest.mark.nightly
def test_a_test_that_comes_to_no_end_is_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    test = "test_it.py::test_it"
    (tmp_path / "file").write_text("with\n")
    (tmp_path / "test_it.py").write_text("import time\n\ndef test_it():\n    time.sleep(600)\n")
    diff = "--- a/file\n+++ b/file\n@@ -1 +1 @@\n-with\n+without\n"
    (tmp_path / "a.patch").write_text(f"Row: X1\nTest: {test}\n\n{diff}")
    monkeypatch.delenv("DJANGO_SETTINGS_MODULE", raising=False)
    monkeypatch.setattr(mutating, "SECONDS", 3)
    assert verdict(tmp_path, Mutant(tmp_path / "a.patch", "X1", test)) == TOO_SLOW
    assert (tmp_path / "file").read_text() == "with\n"
