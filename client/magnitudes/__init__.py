"""Studies of relevance judgments, from files to data frames."""

from magnitudes.problems import ImportFailed, Refused, Unreachable
from magnitudes.results import Analysis, Figure
from magnitudes.running import Monitor
from magnitudes.site import Site
from magnitudes.study import Study

__all__ = [
    "Analysis",
    "Figure",
    "ImportFailed",
    "Monitor",
    "Refused",
    "Site",
    "Study",
    "Unreachable",
]
