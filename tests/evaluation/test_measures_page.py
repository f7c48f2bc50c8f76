"""docs/measures.md says what the measures are."""

from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from evaluation.management.commands.draw_measures import page
from magnitudes.measures.catalogue import MEASURES, OF_ALL


def test_the_page_is_drawn_from_the_measures() -> None:
    call_command("draw_measures", "--check")


def test_every_measure_and_option_is_on_it() -> None:
    parts = page().split("\n## `")
    assert [part.split("`")[0] for part in parts[1:]] == list(MEASURES)
    for part, definition in zip(parts[1:], MEASURES.values(), strict=True):
        assert all(f"| `{option}` |" in part for option in definition.options)
    assert all(f"| `{option}` |" in parts[0] for option in OF_ALL)


def test_a_stale_page_is_told(tmp_path: Path) -> None:
    path = tmp_path / "measures.md"
    with pytest.raises(CommandError, match=r"run manage\.py draw_measures"):
        call_command("draw_measures", "--check", "--out", str(path))
    call_command("draw_measures", "--out", str(path))
    call_command("draw_measures", "--check", "--out", str(path))
