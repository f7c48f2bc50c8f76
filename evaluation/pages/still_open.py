"""How much of a study is still to be done, which makes all that is found early."""

from judging import monitoring
from judging.models import Study


def still_open(study: Study) -> int:
    """How many units are not done, of a study that people judge here and that is open."""
    if study.is_imported or study.stage == Study.Stage.CLOSED:
        return 0
    progress = monitoring.progress(study)
    return progress.units - progress.completed
