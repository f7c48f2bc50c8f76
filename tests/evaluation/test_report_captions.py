"""Captions of figures in a report."""

import re
from pathlib import Path
from typing import Any

from evaluation.analyses import ANALYSES
from evaluation.report.captions import FIGURES, caption
from evaluation.report.numbering import numbered

SENTENCES = Path("tests/golden/sentences.txt").read_text()
COUNTS = {"systems": "8 systems", "topics": "4 topics", "units": "9 units"}
SVG = """<svg xmlns="http://www.w3.org/2000/svg" width="429"><text text-anchor="middle">x</text>
<text transform="rotate(-90)">{up}</text></svg>"""


def figure(name: str, up: str, reading: str, source: str = "Figure 10") -> dict[str, Any]:
    part = {"kind": "figure", "name": name, "source": source, "caption": "One dot a system."}
    return part | {"says": "They agree", "svg": SVG.format(up=up), "reading": reading}


def test_every_figure_is_described() -> None:
    analysis, drawn = "", set()
    for line in SENTENCES.splitlines():
        if found := re.match(r"(?:--- | {2}figure )(\w[\w-]*)", line):
            if line.startswith("---"):
                analysis = found[1]
            elif analysis in ANALYSES:
                drawn.add(f"{analysis}-{found[1]}")
    assert len(drawn) > 60
    assert drawn <= set(FIGURES)


def test_what_holds_for_all_that_stand_together_is_said_once() -> None:
    how = "Higher is better. Look for dots far from it. As in the paper."
    parts = [figure("ndcg-binary", "y", how), figure("err-binary", "z", f"{how} Cut.")]
    parts.append(figure("ndcg-graded", "y", how))
    made = numbered(("rankings", part) for part in parts)
    assert caption(made, COUNTS) == (
        "Means of systems by labels and by magnitudes (8 systems, 4 topics). One dot a system. "
        "Higher is better. As in [@maddalena2017]. (a), (c) Y against x. (b) Z against x. Cut. "
        "As Figure 10 of [@maddalena2017]."
    )


def test_how_a_figure_is_read_is_said_where_it_comes_first() -> None:
    how = "Higher is better."
    one, other = numbered(
        [("widths", figure("ratios", "y", how)), ("power", figure("power", "y", how, ""))]
    )
    assert "Higher is better." in caption([one], COUNTS)
    assert "It is read as Figure 10." in caption([other], COUNTS)
