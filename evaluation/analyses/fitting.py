"""Which studies an analysis is for."""

from judging.models import Study


def any_study(study: Study) -> bool:
    """Levels or magnitudes, given here or elsewhere."""
    return True


def judged_here(study: Study) -> bool:
    """There are units, positions and times."""
    return study.crowd != Study.Crowd.IMPORTED


def magnitude(study: Study) -> bool:
    """There are ratios."""
    return study.scale == Study.Scale.MAGNITUDE
