"""How far is the study, what does it cost, and what is to be done next?"""

from collections.abc import Iterator
from decimal import Decimal

from evaluation.pages.cards import crowd, pictures
from evaluation.pages.cards.card import Card, Inputs, Link, State
from judging.models import Study
from judging.monitoring.status import machine
from judging.monitoring.status.flow import Flow, Status
from judging.studies.table_one import Pay
from magnitudes.files.words import count
from web import findings
from web.templatetags.money import money

NAME, TITLE, ANALYSIS = "state", "State", ""
STATES = {
    findings.State.OK: State.WELL,
    findings.State.DEGRADED: State.CHECK,
    findings.State.DOWN: State.WRONG,
    findings.State.UNKNOWN: State.GOING,
}
OVER = Status.DONE, Status.CLOSED
CENT = Decimal("0.01")
NAMED = 2  # topics
UNITS = 5  # completed; of fewer the pay tells nothing


def card(inputs: Inputs) -> Card | None:
    """None of what was judged elsewhere."""
    if inputs.watched is None or inputs.pay is None:
        return None
    study, watch, pay = inputs.study, inputs.watched.watch, inputs.pay
    flow, progress, anchors = watch.flow, watch.progress, watch.anchors
    broken = [one for one in machine.findings(watch.now) if one.state == findings.State.DOWN]
    says, state = _headline(study, flow), STATES[flow.finding.state]
    if anchors.in_doubt and not flow.is_stopped:
        first = anchors.in_doubt[0].topic.topic.query_id
        says = f"The anchors of topic {first} may be bad: look at them first"
    elif anchors.contradicted and not flow.is_stopped:
        first = anchors.contradicted[0].topic.topic.query_id
        says = f"Labels contradict the anchors of topic {first}: read them first"
    elif crowd.is_weak(inputs) and not flow.is_stopped:
        says = "Workers agree too little for the results to be used: look at them first"
    if flow.status in OVER:
        state = State.DONE
    is_paid_for = progress.completed >= UNITS
    is_too_low = pay.too_low and study.crowd != Study.Crowd.ARTIFICIAL  # who are not paid
    if broken or anchors.in_doubt:
        state = State.WRONG
    elif state is not State.WRONG and (
        anchors.contradicted or crowd.is_weak(inputs) or (is_paid_for and is_too_low)
    ):
        state = State.CHECK
    free = progress.units - progress.completed - progress.live
    return Card(
        *(NAME, TITLE, says, state, progress.done),
        f"{progress.completed:,} of {progress.units:,} units, completed by "
        f"{count(progress.workers, 'worker')}; {progress.live:,} in progress, "
        f"{progress.free:,} free",
        _cost(study, pay),
        " ".join(
            [
                *(f"{one.name}: {one.sentence}" for one in broken),
                *(each.sentence for each in anchors.contradicted[:NAMED]),
                *([_wage(study, pay)] if is_paid_for else []),
            ]
        ),
        pictures.bar(
            {"done": progress.completed, "in-progress": progress.live, "free": free},
            f"{progress.completed} done, {progress.live} in progress, {progress.free} free",
        ),
        (*_links(inputs, [each.topic.topic.query_id for each in anchors.suspect[:1]], flow),),
        "#table1",
    )


def _headline(study: Study, flow: Flow) -> str:
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
    words = "Would cost" if study.crowd == "artificial" else "Cost so far"
    return f"{words}: {cost}, fee included."


def _wage(study: Study, pay: Pay) -> str:
    if not study.payment or pay.per_hour != pay.per_hour:
        return ""
    says = f"The median person {'would be' if study.crowd == 'artificial' else 'is'} paid "
    says += f"{money(Decimal(f'{pay.per_hour:.2f}'), study.currency)} an hour"
    if not study.minimum_pay:
        return f"{says}."
    least = money(study.minimum_pay.quantize(CENT), study.currency)
    return f"{says}, {'below' if pay.too_low else 'at or above'} the minimum of {least}."


def _links(inputs: Inputs, topics: list[str], flow: Flow) -> Iterator[Link]:
    """topics: whose anchors are to be looked at."""
    stage, is_done = inputs.study.stage, flow.status == Status.DONE
    for topic in topics:
        yield inputs.link(f"Anchors of topic {topic}", "monitor-topic", topic, end="#anchors")
    if stage == Study.Stage.DRAFT:
        yield inputs.link("What is missing", "setup-plan")
        return
    is_over = stage == Study.Stage.CLOSED
    if is_done and not is_over:
        yield inputs.link("Close it", "running")
    if is_done or is_over:
        yield from (inputs.link("Report", "report"), Link("Files", "#files"))
    yield inputs.link("Monitor", "monitor")
    if not (is_done or is_over):
        yield inputs.link("Recruit and run", "running")
