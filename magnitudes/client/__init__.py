"""Studies of relevance judgments, from files to data frames."""

from magnitudes.client.problems import ImportFailed, Refused, Unreachable
from magnitudes.client.results import Analysis, Figure
from magnitudes.client.running import Monitor
from magnitudes.client.site import Site
from magnitudes.client.study import Study

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
