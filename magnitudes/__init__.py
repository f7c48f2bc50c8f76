"""Relevance judgments as real numbers: scaled, aggregated, measured and compared.

`scale`, `aggregate`, `evaluate`, `compare` and `agree` take files, dicts, NumPy columns and frames
and give frames; see `functions`. What they stand on takes arrays: `scaling`, `gains`, `measures`,
`comparison`, `agreement`, `spread` and `reading_time`. `files` reads the formats of information
retrieval; `client` uses the REST API of a site.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from magnitudes.frames import Frame
    from magnitudes.functions.runs import evaluate
    from magnitudes.functions.scores import aggregate, agree, scale
    from magnitudes.functions.values import Comparison, compare
    from magnitudes.inputs import TableError
    from magnitudes.measures.names import Measure

# Names are imported when they are first used: some that import `files` do without NumPy.
_HOMES = {
    "evaluate": "functions.runs",
    **dict.fromkeys(("aggregate", "agree", "scale"), "functions.scores"),
    **dict.fromkeys(("Comparison", "compare"), "functions.values"),
    "Frame": "frames",
    "Measure": "measures.names",
    "TableError": "inputs",
}
__all__ = [
    "Comparison",
    "Frame",
    "Measure",
    "TableError",
    "aggregate",
    "agree",
    "compare",
    "evaluate",
    "scale",
]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
