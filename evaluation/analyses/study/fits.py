"""Which studies an analysis is for."""

from judging.models import Study


def any_study(study: Study) -> bool:
    """Levels or magnitudes, given here or elsewhere."""
    return True


def judged_here(study: Study) -> bool:
    """There are units, positions and times."""
    return not study.is_imported


def imported(study: Study) -> bool:
    """Opinions were given elsewhere; they may be on several aspects of a document."""
    return study.is_imported


def graded(study: Study) -> bool:
    """There are levels."""
    return study.is_graded


def scores_of(study: Study) -> str:
    """What workers of a study give, in a sentence."""
    return "levels" if study.is_graded else "magnitudes"


def magnitude(study: Study) -> bool:
    """There are ratios."""
    return study.scale == Study.Scale.MAGNITUDE
