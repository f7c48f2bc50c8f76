"""Each row of the threat model is complete and names tests that there are."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
TEXT = (ROOT / "docs/threat-model.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| ([A-Z]\d+) .*\|$", TEXT, re.M)
LINES = dict(re.findall(r"^(?=\| ([A-Z]\d+) )(.*)$", TEXT, re.M))


def test_each_row_has_its_four_parts():
    assert len(ROWS) == len(set(ROWS)) >= 50
    for row, line in LINES.items():
        way_in, defence, _, tests = [part.strip() for part in line.strip("|").split("|")]
        assert all((way_in, defence, tests)), row


@pytest.mark.parametrize("row", ROWS)
def test_its_tests_are_there(row):
    named = re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", LINES[row])
    assert named, "no test"
    for file, test in named:
        tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
        there = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
        assert not test or test in there, f"{file} has no {test}"
