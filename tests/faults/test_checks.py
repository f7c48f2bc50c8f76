"""Each check of a run can fail: it is shown what it must not let pass."""

from dataclasses import replace

import pytest
from django.db import connection

from evaluation import pipeline
from evaluation.models import Evaluation, Ranking, TopicEvaluation
from judging.models import Assignment, Judgment, Study, Unit
from tests.cast import Person, ada, ben
from tests.factory import later, make_study
from tests.faults import checks, commands, harness
from tests.faults.helpers import found, strike
from tests.faults.keeping import Kept
from tests.faults.record import Form, Record
from tests.judging import invariants

PAGE = "http://localhost/study/s/3/"
ENTRY = "http://localhost/study/s/"
FIELDS = {"action": "next", "page": "token", "score": "5", "justification": " so "}


# --- what browsers know -------------------------------------------------------------------------


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


def test_who_leaves_is_known_by_the_unit_or_by_themselves():
    record = Record()
    for page in ("token:topic:0", "revise"):
        record.sent("ada", ENTRY, {"action": "leave", "page": page})
    assert record.left == {"token", "ada"}


def test_who_comes_back_to_another_page_is_noted():
    record = Record()
    record.returned("ada", 3, 3)
    record.returned("ada", 3, 2)
    assert record.strays == ["worker ada was on page 3 and came back to 2"]


def test_what_browsers_knew_is_there_after_they_were_killed(tmp_path):
    kept = Kept(tmp_path, 7)
    first, second = (sent(kept.record, score=score) for score in ("5", "6"))
    kept.record.answered(first, (PAGE, None))
    kept.record.told("ada", "<code>0123456789</code>")
    kept.record.saw("ada", "document")
    kept.struck(strike("kill web", 1.0, 1.0, None))
    kept.struck(strike("kill web", 1.0, 1.0, 2.0))
    kept.struck(strike("kill worker", 9.0, 9.0, None))  # and then it was killed itself
    with (tmp_path / "record.jsonl").open("a") as file:
        file.write('["saw", ["ben", "do')
    again = Kept(tmp_path, 8)
    assert (again.seed, again.run) == (7, 2)
    assert [form.score_text for form in again.record.forms["token", 3]] == ["5", "6"]
    assert [form.taken for form in again.record.forms["token", 3]] == [True, False]
    assert [form.unanswered for form in again.record.forms["token", 3]] == [0, 1]
    assert (again.record.codes, again.record.seen) == (kept.record.codes, {"ada": "document"})
    assert again.record.counts["acknowledged"] == 1
    assert again.strikes == [strike("kill web", 1.0, 1.0, 2.0)]
    again.record.answered(again.record.by_number[second.number], (PAGE, None))
    third = Kept(tmp_path, 9)
    assert third.record.forms == again.record.forms
    for one in (kept, again, third):
        one.close()


def test_codes_are_read_from_pages():
    record = Record()
    record.told("ada", '<code id="code">0123456789</code> <code>ABCDEF0123</code>')
    assert record.codes == {"0123456789": {"ada"}, "ABCDEF0123": {"ada"}}


# --- what the database holds --------------------------------------------------------------------


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
        form = Form(stored.position, worker.unit.token, stored.position, *said, taken=True)
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


def test_a_lost_judgment(record):
    Judgment.objects.filter(position=3).delete()
    assert "nothing is stored" in found(checks.judgments(record))


def test_a_judgment_that_was_replaced_by_an_older_one(record, forms):
    store(score_text="77", score=77)
    assert "'77' is stored" in found(checks.judgments(record))


def test_another_justification(record):
    store(justification="never said")
    assert "is stored" in found(checks.judgments(record))


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
    record.forms["new", 1] = [Form(99, "new", 1, "next", "5", "so", taken=True)]
    assert list(checks.nothing_lost(record, before)) == []
    Assignment.objects.update(state="withdrawn")
    Judgment.objects.all().delete()
    assert list(checks.nothing_lost(record, before)) == []


def test_another_value_than_was_typed(record):
    store(score=1.5)
    assert "has the value 1.5" in found(checks.judgments(record))


def test_another_first_score(record, forms):
    store(first_score=float(forms[1].score_text))  # the second that was acknowledged
    assert "is no first score" in found(checks.judgments(record))
    forms[0].taken = False  # then it may have come or not
    assert list(checks.judgments(record)) == []
    store(first_score=None)
    assert "None is no first score" in found(checks.judgments(record))


def test_a_judgment_of_an_assignment_that_is_gone(record):
    form = Form(9, "gone", 1, "next", "5", "so", taken=True)
    record.forms["gone", 1] = [form]
    assert "is not there" in found(checks.judgments(record))


def test_a_judgment_that_nobody_sent(record, worker):
    del record.forms[worker.unit.token, 3]
    assert "never sent" in found(checks.judgments(record))


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


def test_a_code_of_somebody_else(record):
    (code,) = record.codes
    record.codes[code] = {"ada", "ben"}
    assert "was shown to ['ada', 'ben'] and is of ada" in found(checks.codes(record))


def test_a_code_of_nothing(record):
    record.codes["0123456789"] = {"ada"}
    assert "is of None" in found(checks.codes(record))


def test_a_code_that_was_never_shown(record):
    record.codes.clear()
    assert "was never shown to worker ada" in found(checks.codes(record))


def test_a_unit_that_nobody_completed(record, study):
    assert found(checks.units()) == f"study {study}: only 1 of 4 units could be completed"


def test_a_rule_that_is_broken(record):
    Unit.objects.update(free=True)
    assert "although it is held" in found(invariants.broken())


def test_what_is_wrong_is_said_once_and_makes_a_run_bad(tmp_path):
    kept = Kept(tmp_path, 1)
    report = harness.Report(kept)
    report.check("rules", [])
    assert report.is_good
    report.check("rules", ["broken", "broken"])
    report.check("rules", ["broken"])
    assert (report.wrong, report.is_good) == ({"rules": ["broken"]}, False)
    kept.close()
    again = Kept(tmp_path, 2)
    again.close()
    assert (harness.Report(again).wrong, again.seed) == ({"rules": ["broken"]}, 1)


# --- rankings -----------------------------------------------------------------------------------


def test_a_ranking_that_was_never_made_or_lags_behind(record, study, another):
    assert "1 units are complete, and the ranking is of 0" in found(checks.up_to_date())
    pipeline.evaluate(study)
    assert list(checks.up_to_date()) == []
    another.complete()
    assert "2 units are complete, and the ranking is of 1" in found(checks.up_to_date())


def test_a_ranking_that_was_published_in_parts(record, study):
    def parts() -> list:
        with connection.cursor() as cursor:
            cursor.execute(commands.HALF_RANKED, [study.slug])
            return cursor.fetchall()

    pipeline.evaluate(study)
    assert not parts()
    Evaluation.objects.update(units=2)
    assert parts()
    Evaluation.objects.update(units=1)
    Ranking.objects.update(query_ids=[])
    assert parts()


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
