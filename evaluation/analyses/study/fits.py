"""Which studies an analysis is for."""

from judging.models import Study


def any_study(study: Study) -> bool:
    """Levels or magnitudes, given here or elsewhere."""
    return True


def judged_here(study: Study) -> bool:
    """There are units, positions and times."""
    return not study.is_imported


def levels_elsewhere(study: Study) -> bool:
    """Levels were given elsewhere; they may be on several aspects of a document."""
    return study.is_imported and study.is_graded


def in_units(study: Study) -> bool:
    """Units hold several documents; levels that were given elsewhere stand alone."""
    return not levels_elsewhere(study)


def in_levels(study: Study) -> bool:
    """Levels were given, or magnitudes that anchors cut into levels."""
    return study.is_graded or not study.is_imported


def graded(study: Study) -> bool:
    """There are levels."""
    return study.is_graded


def scores_of(study: Study) -> str:
    """What workers of a study give, in a sentence."""
    return "levels" if study.is_graded else "magnitudes"


def magnitude(study: Study) -> bool:
    """There are ratios."""
    return study.scale == Study.Scale.MAGNITUDE


def magnitude_here(study: Study) -> bool:
    """There are ratios, in units with anchors and positions."""
    return magnitude(study) and judged_here(study)
