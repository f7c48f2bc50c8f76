"""Does anybody's work stand out? The light for it."""

from collections.abc import Sequence

from judging.monitoring.signals.interim import INTERIM
from judging.monitoring.signals.standouts import MIN_OTHERS, StandOut
from judging.monitoring.status.light import Colour, StatusLight
from judging.monitoring.tries import Tally
from trec.words import count

NAME, ANCHOR = "Workers", "worth-a-look"


def light(listed: Sequence[StandOut], workers: Sequence[Tally], unit_size: int) -> StatusLight:
    """Amber: somebody is worth a look. That is a question, never a verdict: so there is no red."""
    units = [worker.completed for worker in workers if worker.completed and not worker.excluded]
    compared = sum(done * unit_size >= INTERIM[0] for done in units)
    if listed:
        are = "is" if len(listed) == 1 else "are"
        began = f"{count(len(workers), 'worker')} who began a unit"
        text = f"{len(listed):,} of {began} {are} worth a look."
        return StatusLight(NAME, Colour.AMBER, text, ANCHOR)
    if not compared:
        text = (
            f"Nobody has judged the {INTERIM[0]} documents yet by which workers are compared; by "
            "itself no unit stands out."
        )
        return StatusLight(NAME, Colour.GREY, text, ANCHOR)
    if sum(units) < MIN_OTHERS:
        return StatusLight(NAME, Colour.GREY, "Too little is done to compare workers.", ANCHOR)
    text = f"No worker stands out; {compared:,} of {count(len(units), 'worker')} looked at."
    return StatusLight(NAME, Colour.GREEN, text, ANCHOR)
