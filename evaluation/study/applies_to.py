"""Which studies an analysis is for, and why it is not for others."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from judging.models import Study


@dataclass(frozen=True)
class AppliesTo:
    """Whether a study is of a kind; `reason_if_not`: what one that is not of it lacks, in words."""

    test: Callable[[Study], bool]
    reason_if_not: str = ""
    do_not_call_in_templates: ClassVar = True

    def __call__(self, study: Study) -> bool:
        return self.test(study)


def _judged_here(study: Study) -> bool:
    return not study.is_imported


def _levels_elsewhere(study: Study) -> bool:
    return study.is_imported and study.is_graded


def _magnitude(study: Study) -> bool:
    return study.scale == Study.Scale.MAGNITUDE


# Levels or magnitudes, given here or elsewhere.
any_study = AppliesTo(lambda study: True)
# There are units, positions and times.
judged_here = AppliesTo(
    _judged_here, "its judgments were imported: there are no units, positions or times"
)
# Levels were given elsewhere; they may be on several aspects of a document.
levels_elsewhere = AppliesTo(
    _levels_elsewhere, "only imported labels can be on several aspects of a document"
)
# Units hold several documents; levels that were given elsewhere stand alone.
in_units = AppliesTo(
    lambda study: not _levels_elsewhere(study),
    "its labels were imported one by one: no worker’s documents stand together in a unit",
)
# Levels were given, or magnitudes that anchors cut into levels.
in_levels = AppliesTo(
    lambda study: study.is_graded or not study.is_imported,
    "its scores have no levels, and no anchors that would cut them into some",
)
# There are levels.
graded = AppliesTo(lambda study: study.is_graded, "its workers give numbers, not levels")
# There are ratios.
magnitude = AppliesTo(_magnitude, "its workers give levels, which have no ratios")
# There are ratios, in units with anchors and positions.
magnitude_here = AppliesTo(
    lambda study: _magnitude(study) and _judged_here(study),
    "it asks for numbers that were given here, in units with anchors",
)
# A model judged, about a study of people; pages of other studies do not mention it.
about_people = AppliesTo(lambda study: study.about_id is not None)


def scores_of(study: Study) -> str:
    """What workers of a study give, in a sentence."""
    return "levels" if study.is_graded else "magnitudes"
