"""Studies of relevance judgments, from files to data frames."""

from magnitudes.problems import ImportFailed, Refused
from magnitudes.results import Analysis, Figure
from magnitudes.site import Site
from magnitudes.study import Study

__all__ = ["Analysis", "Figure", "ImportFailed", "Refused", "Site", "Study"]
