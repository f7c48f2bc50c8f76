"""Every tag of every template is one that Django reads: it stands on one line and is closed."""

import re
from pathlib import Path

import pytest
from django.template.base import tag_re

ROOT = Path(__file__).parents[2]
TEMPLATES = sorted(
    path
    for path in [*ROOT.glob("templates/**/*"), *ROOT.glob("*/templates/**/*")]
    if path.is_file()
)
DELIMITERS = re.compile(r"\{\{|\{%|\{#|%\}|#\}")


def broken_tags(source: str) -> list[str]:
    """The lines that hold a delimiter outside the tags that Django finds."""
    rest = tag_re.sub("", source)
    return [line for line in rest.splitlines() if DELIMITERS.search(line)]


def test_a_tag_over_two_lines_is_found():
    assert broken_tags('{{ a|join:"\n" }}') == ['{{ a|join:"']
    assert broken_tags("{% if a\n%}{% endif %}") == ["{% if a", "%}"]
    assert broken_tags("{# a\nnote #}") == ["{# a", "note #}"]
    assert broken_tags('{% if a %}{{ a|join:", " }}{% endif %}{# note #}') == []


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_tag_is_broken_over_lines(path):
    assert broken_tags(path.read_text(encoding="utf-8")) == []


BUTTON = re.compile(r"<button[^>]*>(?=(?:{% translate \")?(?:Yes, )?[Dd]elete)")


def test_what_deletes_looks_alike_everywhere():
    buttons = [tag for path in TEMPLATES for tag in BUTTON.findall(path.read_text("utf-8"))]
    assert len(buttons) >= 6
    assert [tag for tag in buttons if 'class="danger"' not in tag] == []
