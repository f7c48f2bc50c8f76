"""What wants attention now: each a sentence, a link, and what may be done about it."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from itertools import chain

from django.urls import reverse

from judging.models import Assignment, Study
from judging.monitoring.glance.light import Colour, Light
from judging.monitoring.lights import Lights
from judging.monitoring.watch import Watch
from judging.monitoring.words import duration
from judging.paying.sums import still_to_pay, sums
from trec.words import count

A_DAY = timedelta(days=1)
NAMED = 5  # workers by name; the others are counted
GRAVEST_FIRST = (Colour.RED, Colour.AMBER, Colour.GREY)


@dataclass(frozen=True)
class Matter:
    """One thing that wants attention. exclude: a worker; release: a unit in hand."""

    colour: Colour
    sentence: str
    link: str
    address: str
    exclude: str = ""
    release: str = ""

    @property
    def light(self) -> Light:
        """As the template of a lamp takes it."""
        return Light("", self.colour, self.sentence, "", "note")


def matters(watch: Watch, lights: Lights, machine: Iterable[Light], notes: int) -> list[Matter]:
    """What wants attention, the gravest first; notes: how many workers wrote on documents."""
    parts = (
        _lit(lights, machine),
        _placeholders(watch),
        _anchors(watch),
        _workers(watch),
        _in_hand(watch),
        _notes(notes),
        _owed(watch.study),
    )
    return sorted(chain(*parts), key=lambda matter: GRAVEST_FIRST.index(matter.colour))


def _lit(lights: Lights, machine: Iterable[Light]) -> Iterator[Matter]:
    """Lights that have nothing further below them than what they say."""
    for light in (lights.flow, lights.checks, *machine):
        if light.colour in (Colour.RED, Colour.AMBER):
            yield Matter(
                light.colour, f"{light.name}: {light.sentence}", "Look", f"#{light.anchor}"
            )


def _placeholders(watch: Watch) -> Iterator[Matter]:
    """Somebody could not begin, as the study is set up wrongly on its platform."""
    came = watch.study.placeholder_came_at
    if came and watch.now - came < A_DAY:
        says = (
            f"Somebody came on {came:%-d %B at %H:%M} UTC by a link with a place-holder where the "
            "platform puts an id, and could not begin: look at the study's address there."
        )
        yield Matter(
            Colour.RED, says, "The address", reverse("setup-recruiting", args=[watch.study.slug])
        )


def _anchors(watch: Watch) -> Iterator[Matter]:
    for one in watch.anchors.in_doubt:
        page = reverse("monitor-topic", args=[watch.study.slug, one.topic.topic.query_id])
        yield Matter(Colour.RED, one.sentence, "Read its anchors", f"{page}#anchors")
    for each in watch.anchors.contradicted:
        page = reverse("monitor-topic", args=[watch.study.slug, each.topic.topic.query_id])
        yield Matter(Colour.AMBER, each.sentence, "Read its anchors", f"{page}#anchors")


def _workers(watch: Watch) -> Iterator[Matter]:
    for one in watch.standouts[:NAMED]:
        page = reverse("monitor-worker", args=[watch.study.slug, one.worker.name])
        why = one.reasons[0]
        chance = f"; by chance: {why.one_in}" if why.one_in else ""
        says = f"Worker {one.worker.name} {why.words}{chance}."
        yield Matter(Colour.AMBER, says, "Read their work", page, exclude=one.worker.name)
    more = len(watch.standouts[NAMED:])
    if more:
        are = "is" if more == 1 else "are"
        says = f"{count(more, 'further worker')} {are} worth a look."
        yield Matter(Colour.AMBER, says, "See why", "#worth-a-look")


def _in_hand(watch: Watch) -> Iterator[Matter]:
    """Units about to expire: the one whose worker has been silent longest is named."""
    live = watch.at_work
    near = [row for row in live.rows if row.near]
    if not near:
        return
    last = near[0].assignment
    silent = duration((watch.now - last.active_at).total_seconds())
    says = (
        f"{count(live.near, 'unit')} in hand will expire soon; unit {_name(last)} has been"
        f" silent longest, for {silent}."
    )
    yield Matter(Colour.GREY, says, "Who has them", "#at-work", release=_name(last))


def _name(assignment: Assignment) -> str:
    return f"{assignment.study_topic.topic.query_id}-{assignment.unit.number}"


def _notes(number: int) -> Iterator[Matter]:
    if number:
        says = f"{count(number, 'note')} of workers on what is wrong with documents."
        yield Matter(Colour.GREY, says, "Read", "#notes")


def _owed(study: Study) -> Iterator[Matter]:
    if study.crowd == Study.Crowd.ARTIFICIAL:
        return
    for currency, amount in still_to_pay(sums(study)).items():
        says = f"{amount:,.2f} {currency} are still to be paid."
        yield Matter(Colour.GREY, says, "Pay", reverse("pay", args=[study.slug]))
