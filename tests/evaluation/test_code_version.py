"""The version of the code changes with the code that computes, and with nothing else."""

from pathlib import Path

import pytest

from evaluation import ROOT, VERSION, code_version
from evaluation.models import Evaluation


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Some files of each kind."""
    for name in (
        "magnitudes/comparison/tukey.py",
        "evaluation/pages/topics.py",
        "evaluation/presentation/published.toml",
        "magnitudes/files/runs.py",
    ):
        path = tmp_path / name
        path.parent.mkdir(parents=True)
        path.write_text(f"# {name}\n")
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "made"\nversion = "1.2.3"\n')
    return tmp_path


@pytest.mark.parametrize(
    "name",
    [
        "magnitudes/comparison/tukey.py",
        "magnitudes/files/runs.py",
        "evaluation/presentation/published.toml",
    ],
)
def test_a_change_in_what_computes_is_another_version(tree: Path, name: str) -> None:
    before = code_version(tree)
    (tree / name).write_text("# other numbers\n")
    assert code_version(tree) != before


def test_a_new_or_renamed_module_is_another_version(tree: Path) -> None:
    before = code_version(tree)
    moved = (tree / "magnitudes/files/runs.py").rename(tree / "magnitudes/files/lists.py")
    assert code_version(tree) != before
    moved.rename(tree / "magnitudes/files/runs.py")
    assert code_version(tree) == before


def test_a_page_is_no_other_version(tree: Path) -> None:
    before = code_version(tree)
    (tree / "evaluation/pages/topics.py").write_text("# another colour\n")
    assert code_version(tree) == before


def test_it_begins_with_the_products_version_and_fits_its_column(tree: Path) -> None:
    assert code_version(tree).startswith("1.2.3+")
    assert f'version = "{VERSION.partition("+")[0]}"' in (ROOT / "pyproject.toml").read_text()
    assert len(VERSION) <= Evaluation._meta.get_field("code_version").max_length
