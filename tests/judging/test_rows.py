"""Statements that are put together once do what Django's do."""

import pytest
from django.db import IntegrityError, connection, transaction
from django.test.utils import CaptureQueriesContext

from judging.models import Assignment, Judgment, Visit, Worker
from tests.factory import NOON, later
from web.database import rows

INSERT = "INSERT INTO judging_visit (assignment_id, position, opened_at) VALUES (%s, %s, %s)"


def read(model: type, key: int):
    columns = rows.columns(model, "row")
    table = model._meta.db_table
    [values] = rows.select(f"SELECT {columns} FROM {table} row WHERE row.id = %s", key)
    return rows.instance(model, values)


def new_judgment(judging) -> Judgment:
    return Judgment(
        assignment=judging.assignment,
        position=2,
        document=judging.document(2),
        score=2.5,
        score_text="5/2",
        justification="It's 100% 'right', \\ and {quoted}",
        first_score=2.5,
        submitted_at=NOON,
        draft=("0", "no\nnumber"),
        graded=False,
    )


@pytest.mark.parametrize("model", [Assignment, Judgment, Worker])
def test_a_row_is_read_as_django_reads_it(judging, model):
    judging.judge_up_to(2)
    by_django = model.objects.latest("pk")
    by_rows = read(model, by_django.pk)
    assert by_rows == by_django
    plain = {name: value for name, value in vars(by_django).items() if name != "_state"}
    assert {name: vars(by_rows)[name] for name in plain} == plain
    assert not by_rows._state.adding


def test_a_row_is_stored_as_django_stores_it(judging):
    rows.save(new_judgment(judging))
    stored = Judgment.objects.get(position=2)
    again = new_judgment(judging)
    again.position, again.document = 3, judging.document(3)
    again.save()
    columns = set(vars(stored)) - {"_state", "id", "position", "document_id"}
    by_django = vars(Judgment.objects.get(position=3))
    assert {name: vars(stored)[name] for name in columns} == {
        name: by_django[name] for name in columns
    }
    stored.draft, stored.score_text = None, "2.5"
    rows.save(stored)
    assert read(Judgment, stored.pk).draft is None
    assert Judgment.objects.get(position=2).score_text == "2.5"


def test_only_what_is_named_is_updated(judging):
    assignment = judging.assignment
    assignment.active_at, assignment.back_steps = later(9), 7
    rows.update(assignment, ["active_at"])
    stored = judging.assignment
    assert (stored.active_at, stored.back_steps) == (later(9), 0)


def test_constraints_hold(judging):
    rows.save(new_judgment(judging))
    with pytest.raises(IntegrityError, match="judgment_once"), transaction.atomic():
        rows.save(new_judgment(judging))


def test_statements_are_sent_together_and_in_order(judging):
    Visit.objects.all().delete()
    key = judging.assignment.pk
    with CaptureQueriesContext(connection) as sent, rows.sent_together():  # Django's are apart
        rows.execute(INSERT, key, 1, NOON)
        rows.execute("UPDATE judging_visit SET closed_at = %s WHERE position = %s", later(5), 1)
        rows.execute(INSERT, key, 2, later(5))
        assert not Visit.objects.exists()
    assert len(sent) == 2, [query["sql"] for query in sent]  # one asks whether there is a visit
    visits = Visit.objects.order_by("position").values_list("position", "closed_at")
    assert list(visits) == [(1, later(5)), (2, None)]


def test_what_is_selected_sees_what_waited(judging):
    select, key = (
        "SELECT position FROM judging_visit WHERE closed_at IS NULL",
        judging.assignment.pk,
    )
    Visit.objects.all().delete()
    with CaptureQueriesContext(connection) as sent, rows.sent_together():
        rows.execute(INSERT, key, 1, NOON)
        rows.execute("UPDATE judging_visit SET position = %s", 7)
        assert rows.select(select) == [(7,)]
        assert rows.select(select) == [(7,)]
    assert len(sent) == 2


def test_nothing_is_sent_after_an_error_and_nothing_waits(judging):
    before = list(Visit.objects.values())

    @rows.sent_together()
    def delete_and_fail() -> None:
        rows.execute("DELETE FROM judging_visit")
        raise LookupError

    with pytest.raises(LookupError):
        delete_and_fail()
    assert list(Visit.objects.values()) == before
    rows.execute("DELETE FROM judging_visit")
    assert not Visit.objects.exists()
