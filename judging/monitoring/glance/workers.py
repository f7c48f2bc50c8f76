"""Does anybody's work stand out? The light for it."""

from collections.abc import Sequence

from judging.monitoring.glance.light import Colour, Light
from judging.monitoring.signals.looks import LOOKS
from judging.monitoring.signals.standouts import OTHERS, StandOut
from judging.monitoring.tries import Tally
from trec.words import count

NAME, PLACE = "Workers", "worth-a-look"


def light(listed: Sequence[StandOut], workers: Sequence[Tally], unit_size: int) -> Light:
    """Amber: somebody is worth a look. That is a question, never a verdict: so there is no red."""
    units = [worker.completed for worker in workers if worker.completed and not worker.excluded]
    looked = sum(done * unit_size >= LOOKS[0] for done in units)
    if listed:
        are = "is" if len(listed) == 1 else "are"
        began = f"{count(len(workers), 'worker')} who began a unit"
        says = f"{len(listed):,} of {began} {are} worth a look."
        return Light(NAME, Colour.AMBER, says, PLACE)
    if not looked:
        says = (
            f"Nobody has judged the {LOOKS[0]} documents yet by which workers are compared; by "
            "itself no unit stands out."
        )
        return Light(NAME, Colour.GREY, says, PLACE)
    if sum(units) < OTHERS:
        return Light(NAME, Colour.GREY, "Too little is done to compare workers.", PLACE)
    says = f"No worker stands out; {looked:,} of {count(len(units), 'worker')} looked at."
    return Light(NAME, Colour.GREEN, says, PLACE)
