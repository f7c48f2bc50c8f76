"""A notebook without Jupyter: its code cells run one after the other, and what they put out."""

import ast
import io
from contextlib import redirect_stdout
from typing import Any

KINDS = {"_repr_html_": "text/html", "_repr_svg_": "image/svg+xml"}


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
