"""A notebook without Jupyter: its code cells run one after the other, and what they put out.

STORE_OUTPUTS=1 stores what they put out now.
"""

import ast
import io
import json
import os
import re
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import pytest

NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?")
KINDS = {"_repr_html_": "text/html", "_repr_svg_": "image/svg+xml"}


def check_outputs(path: Path) -> None:
    """That running a notebook gives what is stored in it, numbers to four digits."""
    stored = json.loads(path.read_text(encoding="utf-8"))
    again = with_outputs(stored)
    if "STORE_OUTPUTS" in os.environ:
        text = json.dumps(again, indent=1, ensure_ascii=False)
        path.write_text(f"{text}\n", encoding="utf-8")
        return
    for cell, cell_again in zip(stored["cells"], again["cells"], strict=True):
        text, numbers = told(cell)
        text_again, numbers_again = told(cell_again)
        assert text_again == text
        assert numbers_again == pytest.approx(numbers, rel=1e-4, abs=2e-3), text


def told(cell: dict[str, Any]) -> tuple[str, list[float]]:
    """What a cell puts out as text, without its numbers, and these."""
    outputs = cell.get("outputs", [])
    texts = [output.get("text") or output["data"]["text/plain"] for output in outputs]
    text = "".join(line for lines in texts for line in lines)
    return NUMBER.sub("#", text), [float(number) for number in NUMBER.findall(text)]


def with_outputs(notebook: dict[str, Any]) -> dict[str, Any]:
    """The notebook as running it anew leaves it."""
    names: dict[str, Any] = {"__name__": "__main__"}
    cells, count = [], 0
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            count += 1
            outputs = _outputs("".join(cell["source"]), names, count)
            cell = cell | {"outputs": outputs, "execution_count": count}
        cells.append(cell)
    return notebook | {"cells": cells}


def _outputs(source: str, names: dict[str, Any], count: int) -> list[dict[str, Any]]:
    """What is printed, and the value of a last line that is an expression."""
    tree = ast.parse(source)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    with redirect_stdout(io.StringIO()) as printed:
        exec(compile(tree, f"cell {count}", "exec"), names)
        value = last and eval(compile(ast.Expression(last.value), f"cell {count}", "eval"), names)
    outputs = []
    if text := printed.getvalue():
        outputs.append({"output_type": "stream", "name": "stdout", "text": _lines(text)})
    if value is not None:
        result = {"output_type": "execute_result", "execution_count": count, "metadata": {}}
        outputs.append(result | {"data": _shown(value)})
    return outputs


def _shown(value: Any) -> dict[str, list[str]]:
    rich = {kind: getattr(value, name)() for name, kind in KINDS.items() if hasattr(value, name)}
    return {kind: _lines(text) for kind, text in ({"text/plain": repr(value)} | rich).items()}


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)
