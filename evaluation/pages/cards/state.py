"""How far is the study, what does it cost, and what is to be done next?"""

from collections.abc import Iterator, Sequence
from decimal import Decimal

from django.urls import reverse

from evaluation.pages.cards import pictures
from evaluation.pages.cards.card import Card, Light, Link
from judging.models import Study
from judging.monitoring.status import machine
from judging.monitoring.status.flow import Flow, Status
from judging.monitoring.watch import Lights
from judging.studies.table_one import Pay
from magnitudes.files.words import count
from web.findings import Finding, State
from web.templatetags.money import money

NAME, TITLE = "state", "State"


LIGHTS = {
    State.OK: Light.WELL,
    State.DEGRADED: Light.LOOK,
    State.DOWN: Light.WRONG,
    State.UNKNOWN: Light.GOING,
}
OVER = Status.DONE, Status.CLOSED
CENT = Decimal("0.01")
NAMED = 2  # topics
UNITS = 5  # completed; of fewer the pay tells nothing


def card(study: Study, watched: Lights, pay: Pay) -> Card:
    flow, progress = watched.watch.flow, watched.watch.progress
    broken = [one for one in machine.findings(watched.watch.now) if one.state == State.DOWN]
    in_doubt = watched.watch.anchors.in_doubt
    says = _finding(study, flow)
    if in_doubt and not flow.is_stopped:
        first = in_doubt[0].topic.topic.query_id
        says = f"The anchors of topic {first} may be bad: look at them first"
    elif (contradicted := watched.watch.anchors.contradicted) and not flow.is_stopped:
        first = contradicted[0].topic.topic.query_id
        says = f"Labels contradict the anchors of topic {first}: read them first"
    underpaid = progress.completed >= UNITS and pay.too_low
    return Card(
        NAME,
        TITLE,
        says,
        Light.WRONG
        if broken or in_doubt
        else _light(flow, worth_a_look=underpaid or bool(watched.watch.anchors.contradicted)),
        " ".join(_why(study, watched, pay, broken)),
        progress.done,
        f"{progress.completed:,} of {progress.units:,} units, completed by "
        f"{count(progress.workers, 'worker')}; {progress.live:,} in hand, {progress.free:,} free",
        _cost(study, pay),
        pictures.bar(
            [
                ("done", progress.completed),
                ("in-hand", progress.live),
                ("free", progress.units - progress.completed - progress.live),
            ],
            f"{progress.completed} done, {progress.live} in hand, {progress.free} free",
        ),
        (*_to_anchors(study, watched), *_links(study, flow)),
        rows="#table1",
    )


def _light(flow: Flow, *, worth_a_look: bool) -> Light:
    light = Light.DONE if flow.status in OVER else LIGHTS[flow.finding.state]
    return Light.LOOK if worth_a_look and light is not Light.WRONG else light


def _why(study: Study, watched: Lights, pay: Pay, broken: Sequence[Finding]) -> Iterator[str]:
    """What is wrong with machine and anchors, and what a unit pays once some are completed."""
    for one in broken:
        yield f"{one.name}: {one.sentence}"
    for each in watched.watch.anchors.contradicted[:NAMED]:
        yield each.sentence
    if watched.watch.progress.completed >= UNITS:
        yield _wage(study, pay)


def _finding(study: Study, flow: Flow) -> str:
    """How it flows, and what is to be done."""
    if study.stage == Study.Stage.CLOSED:
        return "The study is closed: export it, or make the report"
    if flow.status == Status.DONE:
        return "All units are done: close the study"
    return flow.sentence


def _cost(study: Study, pay: Pay) -> str:
    if not study.payment:
        return "Nobody is paid."
    cost = money(Decimal(f"{pay.total:.2f}"), study.currency)
    return (
        f"{'Would cost' if study.crowd == 'artificial' else 'Cost so far'}: {cost}, fee included."
    )


def _wage(study: Study, pay: Pay) -> str:
    if not study.payment or pay.per_hour != pay.per_hour:
        return ""
    says = f"The median person {'would be' if study.crowd == 'artificial' else 'is'} paid "
    says += f"{money(Decimal(f'{pay.per_hour:.2f}'), study.currency)} an hour"
    if not study.minimum_pay:
        return f"{says}."
    least = money(study.minimum_pay.quantize(CENT), study.currency)
    return f"{says}, {'below' if pay.too_low else 'at or above'} the minimum of {least}."


def _to_anchors(study: Study, watched: Lights) -> Iterator[Link]:
    for one in watched.watch.anchors.suspect[:1]:
        topic = one.topic.topic.query_id
        yield Link(f"Topic {topic}", reverse("topic", args=[study.slug, topic]))


def _links(study: Study, flow: Flow) -> tuple[Link, ...]:
    monitor, running, report = (
        Link(words, reverse(name, args=[study.slug]))
        for words, name in (("Monitor", "monitor"), ("Running", "running"), ("Report", "report"))
    )
    if study.stage == Study.Stage.DRAFT:
        return (Link("What is missing", reverse("setup-plan", args=[study.slug])),)
    if study.stage == Study.Stage.CLOSED:
        return report, Link("Files", "#files"), monitor
    if flow.status == Status.DONE:
        return running._replace(words="Close it"), report, Link("Files", "#files"), monitor
    return monitor, running
