"""pdflatex, where it is installed: what it says of a document."""

import re
import shutil
import subprocess
from pathlib import Path

WIDEST = 1.0  # points that a line may be wider than the page has room for
OVERFULL = re.compile(r"Overfull \\hbox \(([\d.]+)pt too wide\)")
PREAMBLE = r"""\documentclass{article}
\usepackage[utf8]{inputenc}\usepackage[T1]{fontenc}\usepackage{textcomp,booktabs}
\begin{document}
"""


def compile_tex(body: str, folder: Path) -> None:
    """Set some text and tables; any error fails, as does a character that fonts lack."""
    (folder / "all.tex").write_text(f"{PREAMBLE}{body}\n\\end{{document}}\n")
    _run(folder / "all.tex")


def compile_report(main: Path) -> None:
    """Set a whole document until its references stand; nothing undefined, nothing too wide."""
    _run(main)
    _run(main)  # numbers in the text, which may move what floats
    said = _run(main)
    assert "undefined" not in said
    assert "Rerun to get" not in said
    assert [width for width in map(float, OVERFULL.findall(said)) if width > WIDEST] == []


def _run(main: Path) -> str:
    if not (pdflatex := shutil.which("pdflatex")):
        return ""
    command = [pdflatex, "-interaction=nonstopmode", "-halt-on-error", main.name]
    subprocess.run(command, cwd=main.parent, capture_output=True, check=False)
    said = main.with_suffix(".log").read_text(errors="replace")
    assert "Output written on" in said, said[-2000:]
    assert "Missing character" not in said
    return said
