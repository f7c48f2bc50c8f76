from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from itertools import chain

from django.urls import reverse

from judging.models import Assignment, Study
from judging.monitoring.watch import Lights, Watch
from judging.monitoring.words import duration
from judging.payments.sums import still_to_pay, sums
from magnitudes.files.words import count
from web.findings import Finding, State

DAY = timedelta(days=1)
MAX_NAMED = 5  # workers by name; the others are counted
SEVERITY_ORDER = (State.DOWN, State.DEGRADED, State.UNKNOWN)


@dataclass(frozen=True)
class Matter(Finding):
    """exclude: a worker; release: a unit in progress."""

    unknown: str = "note"
    exclude: str = ""
    release: str = ""


def matters(watch: Watch, lights: Lights, machine: Iterable[Finding], n_notes: int) -> list[Matter]:
    """The gravest first; n_notes: workers' notes on documents."""
    parts = (
        _status_lights(lights, machine),
        _placeholders(watch),
        _anchors(watch),
        _workers(watch),
        _in_progress(watch),
        _notes(n_notes),
        _unpaid(watch.study),
    )
    return sorted(chain(*parts), key=lambda matter: SEVERITY_ORDER.index(matter.state))


def _status_lights(lights: Lights, machine: Iterable[Finding]) -> Iterator[Matter]:
    for light in (lights.flow, lights.checks, *machine):
        if light.is_wrong:
            yield Matter(light.state, f"{light.name}: {light.sentence}", "Show", light.link)


def _placeholders(watch: Watch) -> Iterator[Matter]:
    came = watch.study.placeholder_came_at
    if came and watch.now - came < DAY:
        text = (
            f"Somebody came on {came:%-d %B at %H:%M} UTC by a link with a place-holder where the "
            "platform puts an id, and could not begin: look at the study's address there."
        )
        yield Matter(
            State.DOWN, text, "The address", reverse("setup-recruiting", args=[watch.study.slug])
        )


def _anchors(watch: Watch) -> Iterator[Matter]:
    for suspect in watch.anchors.suspect:
        state = State.DOWN if suspect.alarm else State.DEGRADED
        page = reverse("monitor-topic", args=[watch.study.slug, suspect.topic.topic.query_id])
        yield Matter(state, suspect.sentence, "Read its anchors", f"{page}#anchors")


def _workers(watch: Watch) -> Iterator[Matter]:
    for standout in watch.standouts[:MAX_NAMED]:
        page = reverse("monitor-worker", args=[watch.study.slug, standout.worker.name])
        reason = standout.reasons[0]
        chance = f"; by chance: {reason.one_in}" if reason.one_in else ""
        text = f"Worker {standout.worker.name} {reason.words}{chance}."
        yield Matter(State.DEGRADED, text, "Read their work", page, exclude=standout.worker.name)
    more = len(watch.standouts[MAX_NAMED:])
    if more:
        text = f"{count(more, 'further worker')} {'stands' if more == 1 else 'stand'} out."
        yield Matter(State.DEGRADED, text, "See why", "#standouts")


def _in_progress(watch: Watch) -> Iterator[Matter]:
    live = watch.at_work
    near = [row for row in live.rows if row.near]
    if not near:
        return
    last = near[0].assignment
    silent = duration((watch.now - last.active_at).total_seconds())
    text = (
        f"{count(live.near, 'unit')} in progress will expire soon; unit {_unit_name(last)} has been"
        f" silent longest, for {silent}."
    )
    yield Matter(State.UNKNOWN, text, "Who has them", "#at-work", release=_unit_name(last))


def _unit_name(assignment: Assignment) -> str:
    return f"{assignment.study_topic.topic.query_id}-{assignment.unit.number}"


def _notes(number: int) -> Iterator[Matter]:
    if number:
        text = f"{count(number, 'note')} of workers on what is wrong with documents."
        yield Matter(State.UNKNOWN, text, "Read", "#notes")


def _unpaid(study: Study) -> Iterator[Matter]:
    if study.crowd in (Study.Crowd.ARTIFICIAL, Study.Crowd.MODEL):
        return
    for currency, amount in still_to_pay(sums(study)).items():
        text = f"{amount:,.2f} {currency} are still to be paid."
        yield Matter(State.UNKNOWN, text, "Pay", reverse("pay", args=[study.slug]))
