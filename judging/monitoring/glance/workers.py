"""Does anybody's work stand out? The light for it."""

from collections.abc import Sequence

from judging.monitoring.glance.light import Colour, Light
from judging.monitoring.signals.standouts import OTHERS, StandOut
from judging.monitoring.tries import Tally
from trec.words import count

NAME, PLACE = "Workers", "worth-a-look"


def light(listed: Sequence[StandOut], workers: Sequence[Tally]) -> Light:
    """Amber: somebody is worth a look. That is a question, never a verdict: so there is no red."""
    compared = sum(worker.completed > 0 for worker in workers if not worker.excluded)
    if listed:
        are = "is" if len(listed) == 1 else "are"
        says = f"{len(listed):,} of {count(len(workers), 'worker')} {are} worth a look."
        return Light(NAME, Colour.AMBER, says, PLACE)
    if compared < 2 or sum(worker.completed for worker in workers) < OTHERS:
        return Light(NAME, Colour.GREY, "Too little is done to compare workers.", PLACE)
    says = f"No worker stands out; {count(compared, 'worker')} compared."
    return Light(NAME, Colour.GREEN, says, PLACE)
