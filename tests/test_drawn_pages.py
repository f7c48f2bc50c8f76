"""Pages of docs/ that are drawn from the code say what it is."""

from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from evaluation.analyses import ANALYSES
from evaluation.management.commands import draw_measures
from evaluation.templatetags.explanation import in_paragraphs
from magnitudes.measures.catalogue import MEASURES, OF_ALL


@pytest.mark.parametrize("command", ["draw_analyses", "draw_measures", "draw_states"])
def test_the_page_is_drawn_from_the_code(command: str) -> None:
    call_command(command, "--check")


@pytest.mark.parametrize("command", ["draw_analyses", "draw_measures", "draw_states"])
def test_a_stale_page_is_found(command: str, tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    with pytest.raises(CommandError, match=rf"run manage\.py {command}"):
        call_command(command, "--check", "--out", str(path))
    call_command(command, "--out", str(path))
    call_command(command, "--check", "--out", str(path))


def test_every_measure_and_option_is_on_it() -> None:
    parts = draw_measures.Command().page().split("\n## `")
    assert [part.split("`")[0] for part in parts[1:]] == list(MEASURES)
    for part, definition in zip(parts[1:], MEASURES.values(), strict=True):
        assert all(f"| `{option}` |" in part for option in definition.options)
    assert all(f"| `{option}` |" in parts[0] for option in OF_ALL)


@pytest.mark.parametrize("name", ANALYSES)
def test_every_analysis_says_how_it_is_computed(name: str) -> None:
    title, text = ANALYSES[name].explanation
    assert title.endswith((".", "?"))
    assert text
    assert "*" not in in_paragraphs(text)
    assert "`" not in in_paragraphs(text)
