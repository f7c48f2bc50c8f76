"""README.md of the library: its examples run, and print what stands below them."""

import contextlib
import io
import re
from pathlib import Path
from typing import Any

import magnitudes

README = (Path(magnitudes.__file__).parent / "README.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```python\n(.*?)```\n\n```\n(.*?)```", README, re.DOTALL)


def test_examples_print_what_stands_below_them() -> None:
    assert len(EXAMPLES) == README.count("```python") > 5
    names: dict[str, Any] = {}
    for code, expected in EXAMPLES:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(code, names)
        assert printed.getvalue() == expected
