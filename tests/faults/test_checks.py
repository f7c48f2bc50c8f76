"""Each check of a run can fail: it is shown what it must not let pass."""

import time
from collections.abc import Iterable
from dataclasses import replace

import pytest

from evaluation import pipeline
from evaluation.models import Evaluation, TopicEvaluation
from judging.models import Assignment, Judgment, Study, Unit
from tests.cast import Person, ada, ben
from tests.factory import later, make_study
from tests.faults import checks, harness
from tests.faults.fault import Strike
from tests.faults.kills import EXCUSES
from tests.faults.record import Form, Record, Trouble
from tests.faults.watching import Sight
from tests.judging import invariants

PAGE = "http://localhost/study/s/3/"
ENTRY = "http://localhost/study/s/"
FIELDS = {"action": "next", "page": "token", "score": "5", "justification": " so "}


def found(complaints: Iterable[str]) -> str:
    (complaint,) = complaints
    return complaint


def strike(kind: str, at: float, ended: float, seconds: float | None, **more) -> Strike:
    return Strike(kind, f"{kind} 1", at, ended, seconds, **more)


def sent(record: Record, **fields: str) -> Form:
    form = record.sent("ada", PAGE, FIELDS | fields)
    assert form is not None
    return form


def test_a_form_is_taken_when_the_answer_leads_to_a_page_and_not_when_it_shows_another_answer():
    record = Record()
    assert record.sent("ada", ENTRY, {"action": "continue", "page": "welcome"}) is None
    forms = [sent(record, score=score) for score in ("5", "6", "7")]
    assert sent(record, score="7") is forms[2]
    for form, answer in zip(forms, [(PAGE, None), (ENTRY, None), (PAGE, "<p>")], strict=True):
        record.answered(form, answer)
    assert [form.taken for form in forms] == [True, False, False]
    assert record.forms == {("token", 3): forms}
    assert (record.counts["acknowledged"], record.counts["older"]) == (1, 1)


def test_a_finish_is_taken_unless_it_may_have_been_another_that_was():
    record = Record()
    first, second = (sent(record, action="finish", score=score) for score in ("5", "6"))
    record.unanswered(first)
    record.answered(second, (ENTRY, None))
    assert (first.taken, second.taken, second.unanswered) == (False, False, 1)
    record.answered(first, (ENTRY, None))
    assert first.taken


def test_what_browsers_know_of_people():
    record = Record()
    for page in ("token:topic:0", "revise"):
        record.sent("ada", ENTRY, {"action": "leave", "page": page})
    record.returned("ada", 3, 3)
    record.returned("ada", 3, 2)
    record.told("ada", '<code id="code">0123456789</code> <code>ABCDEF0123</code>')
    assert record.left == {"token", "ada"}
    assert record.strays == ["worker ada was on page 3 and came back to 2"]
    assert record.codes == {"0123456789": {"ada"}, "ABCDEF0123": {"ada"}}


@pytest.fixture
def study(db) -> Study:
    return make_study()


@pytest.fixture
def worker(study) -> Person:
    return ada(study)


@pytest.fixture
def another(study) -> Person:
    return ben(study)


@pytest.fixture
def record(worker: Person) -> Record:
    """What Ada's browser knows, who has completed a unit."""
    record = Record(seen={worker.name: "done"})
    record.codes[worker.complete()] = {worker.name}
    for stored in Judgment.objects.order_by("position"):
        said = ("next", stored.score_text, stored.justification)
        form = Form(worker.unit.token, stored.position, *said, taken=True)
        record.forms[form.token, form.position] = [form]
    return record


@pytest.fixture
def forms(record: Record, worker: Person) -> list[Form]:
    """Of Ada's third page, where she said something else at first."""
    forms = record.forms[worker.unit.token, 3]
    first = replace(forms[0], score_text="77")
    forms.insert(0, first)
    Judgment.objects.filter(position=3).update(first_score=77)
    return forms


def store(**values: object) -> None:
    assert Judgment.objects.filter(position=3).update(**values) == 1


def test_nothing_speaks_against_what_is_right(record, forms):
    for check in (checks.judgments, checks.endings, checks.codes):
        assert list(check(record)) == []
    assert invariants.broken() == []


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ({"score_text": "77", "score": 77}, "'77' is stored"),
        ({"justification": "never said"}, "is stored"),
        ({"score": 1.5}, "has the value 1.5"),
        ({"first_score": None}, "None is no first score"),
        ({"first_score": 10}, "10.0 is no first score"),
    ],
)
def test_a_judgment_that_is_not_the_last_that_was_sent(record, forms, values, says):
    store(**values)
    assert says in found(checks.judgments(record))


def test_a_first_score_of_which_nothing_was_heard(record, forms):
    store(first_score=float(forms[1].score_text))
    assert "is no first score" in found(checks.judgments(record))
    forms[0].taken = False
    assert list(checks.judgments(record)) == []


def test_what_was_refused_is_stored_as_a_draft(record, forms):
    forms.append(replace(forms[1], score_text="about 4"))
    before = record.acknowledged()
    assert "this was acknowledged" in found(checks.nothing_lost(record, before))
    store(draft_score_text="about 4", draft_justification=forms[1].justification)
    assert [*checks.judgments(record), *checks.nothing_lost(record, before)] == []


@pytest.mark.parametrize("place", [0, 2])
def test_what_nothing_was_heard_of_may_be_stored(record, forms, place):
    forms.insert(place, replace(forms[0], score_text="88", taken=False, unanswered=1))
    store(score_text="88", score=88)
    assert list(checks.judgments(record)) == []
    forms[place].unanswered = 0  # then it was answered, and refused
    assert "'88' is stored" in found(checks.judgments(record))


def test_a_judgment_that_was_lost_and_then_judged_again(record, worker):
    """In the end it is there again: only who asks after the fault sees that it was gone."""
    before = record.acknowledged()
    kept = Judgment.objects.get(position=3)
    assert list(checks.nothing_lost(record, before)) == []
    Judgment.objects.filter(position=3).delete()
    assert "nothing is stored" in found(checks.nothing_lost(record, before))
    forms = record.forms[worker.unit.token, 3]
    forms.append(replace(forms[0], justification="anew", taken=True))
    kept.justification = "anew"
    kept.save()
    assert [*checks.judgments(record), *checks.nothing_lost(record, before)] == []


def test_a_judgment_that_is_an_older_one_for_a_while(record, forms):
    store(score_text="77", score=77)
    assert "'77' is stored" in found(checks.nothing_lost(record, record.acknowledged()))


def test_what_comes_while_the_judgments_are_asked_for_may_be_stored(record, worker):
    """It was sent since, and nothing was heard of it yet."""
    before = record.acknowledged()
    store(score_text="88", score=88)
    assert "'88' is stored" in found(checks.nothing_lost(record, before))
    forms = record.forms[worker.unit.token, 3]
    forms.append(replace(forms[0], score_text="88", taken=False))
    assert list(checks.nothing_lost(record, before)) == []
    record.forms["new", 1] = [Form("new", 1, "next", "5", "so", taken=True)]
    assert list(checks.nothing_lost(record, before)) == []
    Assignment.objects.update(state="withdrawn")
    Judgment.objects.all().delete()
    assert list(checks.nothing_lost(record, before)) == []


def test_judgments_that_are_lost_made_up_or_of_nobody(record, worker):
    Judgment.objects.filter(position=4).delete()
    assert "nothing is stored" in found(checks.judgments(record))
    del record.forms[worker.unit.token, 4]
    del record.forms[worker.unit.token, 3]
    assert "never sent" in found(checks.judgments(record))
    Judgment.objects.filter(position=3).delete()
    record.forms["gone", 1] = [Form("gone", 1, "next", "5", "so", taken=True)]
    assert "is not there" in found(checks.judgments(record))


def test_somebody_was_made_to_leave(record, another):
    another.come_to_documents()
    another.leave()
    record.seen[another.name] = "left"
    token = another.unit.token
    assert found(checks.endings(record)) == f"{token}: left, and nobody asked for it"
    record.left = {token}
    assert list(checks.endings(record)) == []


def test_somebody_lost_their_unit_to_the_clock(record, another):
    assert another.begin() is None
    expired = Assignment.objects.filter(state="practice")
    late = another.wait(3 * 3600).now
    expired.update(state="expired", finished_at=late, seconds=[0] * 8)
    record.seen[another.name] = "failed"
    assert "expired under somebody at work" in found(checks.endings(record))
    record.asked = {another.name}  # and heard nothing: then they did not know that they have one
    assert list(checks.endings(record)) == []
    expired_now = Assignment.objects.filter(state="expired")
    expired_now.update(active_at=later(60))
    assert "expired under somebody at work" in found(checks.endings(record))
    record.vanished = {another.name}
    assert list(checks.endings(record)) == []
    expired_now.update(active_at=late)
    assert "expired too early" in found(checks.endings(record))


def test_somebody_believes_that_they_are_done_who_is_not(record, another):
    another.come_to_documents()
    record.seen[another.name] = "done"
    assert found(checks.endings(record)).endswith(
        "ben went home from the page done, and is judging"
    )


@pytest.mark.parametrize(
    ("code", "shown_to", "says"),
    [
        ("", {"ada", "ben"}, "was shown to ['ada', 'ben'] and is of ada"),
        ("0123456789", {"ada"}, "is of None"),
        ("", None, "was never shown to worker ada"),
    ],
)
def test_a_code_of_somebody_else_or_of_nothing_or_never_shown(record, code, shown_to, says):
    (own,) = record.codes
    record.codes[code or own] = shown_to
    if shown_to is None:
        record.codes.clear()
    assert says in found(checks.codes(record))


def test_a_unit_that_nobody_completed_and_a_rule_that_is_broken(record, study):
    assert found(checks.units()) == f"study {study}: only 1 of 4 units could be completed"
    Unit.objects.update(free=True)
    assert "although it is held" in found(invariants.broken())


def test_what_is_wrong_is_said_once_and_makes_a_run_bad():
    report = harness.Report()
    report.check("rules", [])
    assert report.is_good
    report.check("rules", ["broken", "broken"])
    report.check("rules", ["broken"])
    assert (report.wrong, report.is_good) == ({"rules": ["broken"]}, False)


def test_a_ranking_that_was_never_made_or_lags_behind(record, study, another):
    assert "1 units are complete, and the ranking is of 0" in found(checks.up_to_date())
    pipeline.evaluate(study)
    assert list(checks.up_to_date()) == []
    another.complete()
    assert "2 units are complete, and the ranking is of 1" in found(checks.up_to_date())


def test_a_ranking_that_is_not_of_its_judgments(record, study):
    pipeline.evaluate(study)
    assert harness.recomputed([study.slug]) == []
    published = TopicEvaluation.objects.get()
    published.gains[0] += 1e-15 * published.gains[0] + 5e-324
    assert published.gains != TopicEvaluation.objects.get().gains
    published.save()
    assert "another one" in found(harness.recomputed([study.slug]))


def test_no_ranking_at_all(record, study):
    Evaluation.objects.all().delete()
    assert "has no ranking" in found(checks.rankings({"s": ""}, {"s": ""}))


def test_a_site_that_does_not_recover_or_takes_long():
    strikes = [
        strike("kill web", 0.0, 0.0, 2.0),
        strike("stop web", 10.0, 20.0, 56.0),
        strike("stop worker", 50.0, 60.0, 11.0),
        strike("kill worker", 80.0, 80.0, None),
    ]
    late, never = checks.recoveries(strikes)
    assert "46.0 s to recover from stop web" in late
    assert "no recovery from kill worker" in never


@pytest.mark.parametrize(
    ("kind", "victim", "began", "excused"),
    [
        ("error", "postgres", 11.0, True),
        ("error", "backend", 12.5, True),
        ("error", "backend", 13.5, False),  # all had been well for longer than the grace
        ("error", "backend", 5.0, False),  # it ended before
        ("error", "valkey", 11.0, False),  # pages need none
        ("error", "worker", 11.0, False),
        ("error", "web", 11.0, False),
        ("cut", "web worker", 11.0, True),
        ("cut", "postgres", 11.0, False),
        ("refusal", "postgres", 11.0, False),
    ],
)
def test_a_request_that_failed_without_a_cause(kind, victim, began, excused):
    record = Record(troubles=[Trouble(kind, "GET /", began, began + 0.5)])
    excuses = [*EXCUSES.get(victim, ())]
    said = list(checks.answers(record, [strike(victim, 10.0, 10.0, 2.0, excuses=excuses)]))
    assert said == ([] if excused else [f"{checks.WORDS[kind]} without a cause: GET /"])


def test_an_answer_that_took_too_long():
    record = Record()
    record.took("GET /", time.monotonic() - 31)
    assert "a slow answer without a cause: GET /: 31.0 s" in found(checks.answers(record, []))
    stopped = strike("stop", time.monotonic() - 20, time.monotonic(), 20.0, excuses=["slow"])
    assert list(checks.answers(record, [stopped])) == []


def ready(began: float, code: int | None, seconds: float = 0.1, says: str = "ok") -> Sight:
    return Sight("/readyz", began, began + seconds, code, says)


def status(began: float, *wrong: str) -> Sight:
    return Sight("/status", began, began + 1.0, 200, "{}", wrong)


@pytest.mark.parametrize(
    ("befell", "sights", "said"),
    [
        ({"ready": False}, [ready(11, 503)], ""),
        ({"ready": False}, [ready(11, 200), ready(15, 503)], "did not tell of fault"),
        ({"ready": True}, [ready(11, 200)], ""),
        ({"ready": True}, [ready(11, 503)], "nobody can be served, while fault"),
        ({"told_by": ["redis", "queues"]}, [status(11, "redis")], ""),
        ({"told_by": ["redis"]}, [status(11, "disk")], "/status did not tell of fault"),
        ({"told_by": ["redis"]}, [status(9, "redis")], "/status did not tell of fault"),
        ({}, [ready(11, 503)], ""),
        ({}, [ready(40, 503, says="no")], "'no' while nothing was wrong"),
        ({}, [ready(40, 200, 6.0)], "took 6.0 s"),
        ({}, [ready(11, 503, 6.0)], "took 6.0 s"),
        ({"excuses": ["slow"]}, [ready(11, 200, 6.0)], ""),
        ({"hangs": True}, [ready(11, 503, 6.0)], ""),
        ({}, [ready(11, None)], "gave no answer"),
        ({"excuses": ["cut"]}, [ready(11, None)], ""),
        ({"excuses": ["cut"]}, [ready(40, None)], "gave no answer"),
    ],
)
def test_health_that_does_not_tell_the_truth(befell, sights, said):
    """The fault lasts from 10 to 14, and all is well at 16."""
    strikes = [strike("fault", 10.0, 14.0, 6.0, **befell)]
    complaints = [*checks.health(strikes, sights), *checks.calm(strikes, sights)]
    assert len(complaints) == bool(said)
    assert said in "".join(complaints)


@pytest.mark.parametrize(
    ("sight", "well_since", "said"),
    [
        (status(40, "redis", "backups"), 0, "told of redis while nothing was wrong"),
        (status(40, "backups"), 0, ""),
        (status(15, "redis"), 0, ""),
        (status(20, "redis"), 0, ""),  # what it says is some seconds old
        (status(24, "redis"), 0, "told of redis"),
        (status(8, "workers"), 0, "told of workers"),
        (status(8, "workers"), 9, ""),  # it was being started
    ],
)
def test_health_that_tells_of_what_is_not_wrong(sight, well_since, said):
    """The fault lasts from 10 to 14, and all is well at 16."""
    strikes = [strike("fault", 10.0, 14.0, 6.0)]
    complaints = list(checks.calm(strikes, [sight], well_since))
    assert len(complaints) == bool(said)
    assert said in "".join(complaints)
