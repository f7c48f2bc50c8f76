"""The notebooks of the papers give the numbers that are stored in them, by the library alone."""

import ast
import json
import sys
from pathlib import Path

import pytest

from tests.magnitudes.client.notebook import check_outputs

NOTEBOOKS = sorted((Path(__file__).parents[2] / "docs/papers").glob("*.ipynb"))
LOOK_UP = "evaluation.presentation.published"  # with the same numbers stated where it is not there
MAX_LINES = 60


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_gives_what_is_stored(path: Path) -> None:
    check_outputs(path)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_short_and_needs_the_library_alone(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    code = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    assert sum(bool(line.strip()) for line in code.splitlines()) <= MAX_LINES
    imports = [node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.ImportFrom)]
    apps = {node.module for node in imports if not (node.module or "").startswith("magnitudes.")}
    assert apps <= {LOOK_UP}
    monkeypatch.setitem(sys.modules, LOOK_UP, None)  # as where it cannot be imported
    check_outputs(path)
