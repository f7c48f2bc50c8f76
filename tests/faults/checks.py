"""What must be true in the end. Each check gives what speaks against it, in words; nothing is good.

They compare what the browsers know for certain, what the database holds, what befell the site and
what its health said.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from django.db import connection

from judging.numbers import InvalidScore, parse_score
from judging.pages.current_page import STATE_STEPS
from judging.states import LIVE, OCCUPYING, PAID, State
from operations.health.catalogue import CACHE_SECONDS
from tests.faults.fault import Strike
from tests.faults.record import Form, Record, last_taken
from tests.faults.watching import USUAL, Sight

MAX_RECOVERY = 45.0  # seconds, from the end of a fault; 15 of them may be until a tick comes
# What was killed can answer with an error, or cut connections, for so long after it is back.
GRACE = 1.0
WORDS = {"error": "an error", "cut": "a cut", "refusal": "a refusal", "slow": "a slow answer"}
# Health has a second for PostgreSQL and some for the others; the machine is busy, as well.
LONGEST_LOOK = {"/readyz": 5.0, "/status": 20.0}
# Pages from which workers go home, by the state that belongs to them.
ENDS = {state.value: (step, "no-work") for state, step in STATE_STEPS.items() if state not in LIVE}
NOTHING_BEGUN = ("welcome", "no-work", "closed", "left")

# What was typed last on a page, given or not; the value is that of the answer.
JUDGMENTS = """
    SELECT a.token, j.position, coalesce(j.draft_score_text, j.score_text),
        coalesce(j.draft_justification, j.justification), j.first_score, j.score, j.score_text
    FROM judging_judgment j JOIN judging_assignment a ON a.id = j.assignment_id
"""
ASSIGNMENTS = """
    SELECT a.token, a.state, w.pseudonym, a.completion_code,
           extract(epoch FROM a.finished_at - a.active_at) / 60 < s.expiry_minutes,
           a.active_at = a.started_at
    FROM judging_assignment a JOIN judging_worker w ON w.id = a.worker_id
    JOIN judging_study s ON s.id = a.study_id
    ORDER BY a.id
"""
UNITS = """
    SELECT s.slug, count(*), count(*) FILTER (WHERE EXISTS (
        SELECT FROM judging_assignment a WHERE a.unit_id = u.id AND a.state = 'completed'))
    FROM judging_unit u JOIN judging_study s ON s.id = u.study_id GROUP BY s.slug
"""


def ask(question: str) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(question)
        return cursor.fetchall()


# --- judgments ----------------------------------------------------------------------------------


def judgments(record: Record) -> Iterator[str]:
    """Every acknowledged judgment of a unit that is held is there, and none that nobody sent."""
    stored = {(token, position): row for token, position, *row in ask(JUDGMENTS)}
    states = {token: state for token, state, *_ in ask(ASSIGNMENTS)}
    for key, forms in record.forms.items():
        state = states.get(key[0])
        if state is None:
            yield f"{key}: judged in an assignment that is not there"
        elif state in OCCUPYING:
            yield from _wrong_with(key, forms, stored.get(key))
    for key in stored.keys() - record.forms.keys():
        yield f"{key}: {stored[key]} is stored, and was never sent"


def nothing_lost(record: Record, before: Mapping[tuple[str, int], int]) -> Iterator[str]:
    """Every page acknowledged before is there, in the midst of the crowd's work.

    before: what `Record.acknowledged` gave then. What is stored may have come since: a form that
    was sent later, whether or not anything was heard of it yet.
    """
    stored = {(token, position): row for token, position, *row in ask(JUDGMENTS)}
    # Read last: what is held now was held when judgments were read, and its judgments were kept.
    held = {token for token, state, *_ in ask(ASSIGNMENTS) if state in OCCUPYING}
    for key, last in before.items():
        if key[0] not in held:
            continue
        with record.growing:
            forms = record.forms[key][:]
        said = [(form.score_text, form.justification) for form in forms[last:]]
        said += [(form.score_text, form.justification) for form in forms[:last] if form.unanswered]
        if (row := stored.get(key)) is None:
            yield f"{key}: nothing is stored, and this was acknowledged: {forms[last]}"
        elif tuple(row[:2]) not in said:
            yield f"{key}: {row[0]!r} is stored; this was acknowledged: {forms[last]}"


def _wrong_with(key: object, forms: list[Form], row: Sequence[Any] | None) -> Iterator[str]:
    """What is wrong with what is stored of one page, given all forms of that page."""
    last = last_taken(forms)
    if row is None:
        if last >= 0:
            yield f"{key}: nothing is stored, and this was acknowledged: {forms[last]}"
        return
    score_text, justification, first_score, score, answer = row
    # What was sent later may have come, although nothing was heard of it; so may an earlier
    # request that nothing was heard of have come later: the last that comes counts.
    possible = [form for n, form in enumerate(forms) if n == last or form.unanswered]
    said = [(form.score_text, form.justification) for form in possible]
    if (score_text, justification) not in said:
        acknowledged = forms[last] if last >= 0 else None
        yield f"{key}: {score_text!r} is stored; acknowledged last: {acknowledged}"
    if score != _value(answer):
        yield f"{key}: {answer!r} has the value {score}"
    if first_score not in _possible_first_scores(forms):
        yield f"{key}: {first_score} is no first score of {[form.score_text for form in forms]}"


def _possible_first_scores(forms: Iterable[Form]) -> list[float | None]:
    """The first number acknowledged, or one of those sent before it."""
    possible: list[float | None] = []
    for form in forms:
        value = _value(form.score_text)
        if value is not None:
            possible.append(value)
            if form.taken:
                return possible
    return [*possible, None]


def _value(text: str) -> float | None:
    try:
        return parse_score(text)
    except InvalidScore:
        return None


# --- units and workers --------------------------------------------------------------------------


def endings(record: Record) -> Iterator[str]:
    """Assignments ended for a reason, and nobody holds one whose browser knows nothing of it."""
    latest: dict[str, tuple[str, bool]] = {}
    for token, state, pseudonym, _, is_early, is_untouched in ask(ASSIGNMENTS):
        deserted = pseudonym in record.vanished or (is_untouched and pseudonym in record.asked)
        latest[pseudonym] = state, deserted
        if state == State.LEFT and not {token, pseudonym} & record.left:
            yield f"{token}: left, and nobody asked for it"
        if state == State.EXPIRED and (is_early or not deserted):
            yield f"{token}: expired {'too early' if is_early else 'under somebody at work'}"
    for pseudonym, step in record.seen.items():
        state, deserted = latest.get(pseudonym, (None, False))
        if not deserted and step not in (ENDS.get(state, ()) if state else NOTHING_BEGUN):
            yield f"worker {pseudonym} went home from the page {step}, and is {state}"


def codes(record: Record) -> Iterator[str]:
    """Every code shown is of one completed unit of whom it was shown to; every one was shown."""
    paid = {
        code: (pseudonym, state)
        for _, state, pseudonym, code, *_ in ask(ASSIGNMENTS)
        if code is not None
    }
    for code, shown_to in record.codes.items():
        pseudonym, state = paid.get(code, (None, None))
        if shown_to != {pseudonym} or state not in PAID:
            yield f"code {code} was shown to {sorted(shown_to)} and is of {pseudonym} ({state})"
    for code, (pseudonym, _) in paid.items():
        if code not in record.codes and pseudonym not in record.vanished:
            yield f"code {code} was never shown to worker {pseudonym}"


def units() -> Iterator[str]:
    for slug, planned, completed in ask(UNITS):
        if completed < planned:
            yield f"study {slug}: only {completed} of {planned} units could be completed"


BEHIND = """
    SELECT s.slug, count(a.id), coalesce(max(e.units), 0)
    FROM judging_study s LEFT JOIN evaluation_evaluation e ON e.study_id = s.id
    LEFT JOIN judging_assignment a ON a.study_id = s.id AND a.state = 'completed'
    GROUP BY s.slug HAVING count(a.id) <> coalesce(max(e.units), 0)
"""


def up_to_date() -> Iterator[str]:
    """Every completed unit is in its study's ranking."""
    for slug, completed, evaluated in ask(BEHIND):
        yield f"study {slug}: {completed} units are complete, and the ranking is of {evaluated}"


def rankings(before: dict[str, str], after: dict[str, str]) -> Iterator[str]:
    """What was published says the same as what is computed anew, letter by letter. By study."""
    for slug, published in before.items():
        if not published:
            yield f"study {slug} has no ranking"
        if published != after[slug]:
            yield f"study {slug}: its ranking is another one when it is computed anew"


# --- the site -----------------------------------------------------------------------------------


def recoveries(strikes: Sequence[Strike]) -> Iterator[str]:
    for strike in strikes:
        took = strike.recovered - (strike.ended or strike.at)
        if strike.seconds is None:
            yield f"no recovery from {strike.kind} ({strike.what}): {strike.amiss}"
        elif took > MAX_RECOVERY:
            yield f"{took:.1f} s to recover from {strike.kind} ({strike.what})"


def answers(record: Record, strikes: Sequence[Strike]) -> Iterator[str]:
    """No request failed but while what it needs did; none was refused; none took long."""
    for trouble in record.troubles:
        excused = any(
            trouble.kind in strike.excuses and _overlap(strike, trouble.began, trouble.ended)
            for strike in strikes
        )
        if not excused:
            yield f"{WORDS[trouble.kind]} without a cause: {trouble.what}"


def _overlap(strike: Strike, began: float, ended: float) -> bool:
    return strike.at <= ended and began <= strike.recovered + GRACE


def health(strikes: Sequence[Strike], sights: Sequence[Sight]) -> Iterator[str]:
    """Health told of each fault that it has to tell of."""
    for strike in strikes:
        yield from _untrue(strike, sights)


def calm(
    strikes: Sequence[Strike], sights: Sequence[Sight], well_since: float = -math.inf
) -> Iterator[str]:
    """Health told of nothing but these faults, and let nobody wait for an answer.

    well_since: when every part was well first; before, some were being started.
    """
    for sight in sights:
        around = [s for s in strikes if _overlap(s, sight.began, sight.ended)]
        if sight.path == "/status" and sight.began >= well_since:
            yield from _out_of_the_blue(sight, strikes)
        if any(strike.hangs for strike in around):
            continue
        excuses = {excuse for strike in around for excuse in strike.excuses}
        waits = sight.path == "/status" and "slow" in excuses  # with what it was asking just then
        if sight.code is None and not waits and "cut" not in excuses:
            yield f"{sight.path} gave no answer: {sight.says}"
        if sight.code and sight.seconds > LONGEST_LOOK[sight.path] and "slow" not in excuses:
            yield f"{sight.path} took {sight.seconds:.1f} s"
        if sight.path == "/readyz" and sight.code not in (200, None) and not around:
            yield f"/readyz said {sight.says!r} while nothing was wrong"


def _out_of_the_blue(sight: Sight, strikes: Sequence[Strike]) -> Iterator[str]:
    """Parts that are not well, although no fault is or just was there."""
    unusual = set(sight.wrong) - USUAL
    oldest = sight.began - CACHE_SECONDS
    if unusual and not any(_overlap(s, oldest, sight.ended) for s in strikes):
        yield f"/status told of {', '.join(sorted(unusual))} while nothing was wrong: {sight.says}"


def _untrue(strike: Strike, sights: Sequence[Sight]) -> Iterator[str]:
    """What health should have said of a fault, and did not; or should not have, and did."""
    until = strike.ended or strike.recovered
    meanwhile = [s for s in sights if s.began >= strike.at and s.began <= until]
    codes = {s.code for s in meanwhile if s.path == "/readyz"}
    if strike.ready is False and 503 not in codes:
        yield f"/readyz did not tell of {strike.kind} ({strike.what})"
    if strike.ready is True and 503 in codes:
        yield f"/readyz said that nobody can be served, while {strike.kind} ({strike.what})"
    parts = {name for s in meanwhile for name in s.wrong}
    if strike.told_by and not parts & set(strike.told_by):
        yield f"/status did not tell of {strike.kind} ({strike.what})"
