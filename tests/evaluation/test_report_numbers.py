"""Numbers of figures and tables in a report."""

from typing import Any

from evaluation.report.numbering import numbered


def figure(name: str, source: str, reading: str = "") -> tuple[str, dict[str, Any]]:
    part = {"name": name, "kind": "figure", "source": source, "caption": "Gains."}
    return "spread", part | {"reading": reading}


def test_how_figures_are_read_is_said_once() -> None:
    first, second, other, without = numbered(
        [
            figure("ndcg", "Figure 10", "A dot is a run."),
            figure("err", "Figure 10", "A dot is a run."),
            figure("time", "", "A line is a topic."),
            figure("plain", ""),
        ]
    )
    assert [first.number, second.number] == ["10a", "10b"]
    assert [other.number, without.number] == ["X1a", "X1b"]
    assert first.reading == "Gains. A dot is a run."
    assert second.reading == "Gains. It is read as Figure 10a."
    assert other.reading == "Gains. A line is a topic."
    assert without.reading == "Gains."
