"""Studies of relevance judgments as data frames."""

from magnitudes.site import Refused, Site
from magnitudes.study import Study

__all__ = ["Refused", "Site", "Study"]
