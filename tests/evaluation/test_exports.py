"""The tables that leave a study, as files: what is in them, and in which form."""

import csv
import io
import json
import random
import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from evaluation import results
from evaluation.pages.rankings import ranking_figure
from evaluation.pipeline import MEASURES, evaluate
from evaluation.publishing import exports, pair_gains
from judging import flow
from judging.flow.admission import Arrival, texts_version
from judging.models import Judgment, Study, Visit
from judging.studies import table_one
from magnitudes.measures.names import parse
from tests.cast import Person
from tests.database import there_for_all
from tests.factory import GRADED, NOON, later, make_study
from tests.factory.completed import complete, judged_study, random_scores
from tests.factory.runs import add_runs

pytestmark = pytest.mark.django_db

# What scripts that read them rely on.
COLUMNS = {
    "qrels": "query_id, iteration, doc_id, relevance",
    "judgments": "worker, unit, query_id, doc_id, position, score, score_text, justification, "
    "seconds, normalised, role, visits, visible_seconds, hidden_seconds, pasted_characters, "
    "first_score, changed_after_failure, submitted_at, simulated, batch, excluded",
    "units": "unit, worker, query_id, worker_unit_index, started_at, finished_at, back, "
    "revise_steps, failed_finishes, gamma_u, hk_nk_ratio, simulated, batch, excluded, "
    "texts_version",
    "rankings": "run, measure, query_id, value, rank, crowd, gains",
    "table1": "topic, documents, units, completed, h_k, n_k, back_0, back_1, back_2plus, fail_0, "
    "fail_1, fail_2plus, batch_units, batch_completed, excluded, crowd, paid_not_counted",
    "crowdkit": "task, worker, label",
}
FORMATS = [(table, written) for table, e in exports.EXPORTS.items() for written in e.formats]


@pytest.fixture(scope="module")
def judged(django_db_setup: None, django_db_blocker: Any) -> Iterator[Study]:
    """A study with a few units and runs, evaluated."""
    with there_for_all(django_db_blocker):
        study, _ = judged_study(1, topics=2, units=4)
        evaluate(study)
        yield study


def text(study: Study, table: str, written: str, **options: str) -> str:
    return "".join(exports.lines(study, table, written, **options))


def rows(study: Study, table: str) -> list[dict[str, Any]]:
    """The rows of a table, from its JSON lines."""
    return [json.loads(line) for line in text(study, table, "jsonl").splitlines()]


def eventful(study: Study, name: str, first: str = "7", then: str = "70") -> Person:
    """Somebody goes back once, fails the first Finish, goes back for H_k, and passes."""
    person = Person(study, name).come_to_documents()
    h_k, n_k = person.position_of("h_k"), person.position_of("n_k")
    person.judge_up_to(3, scores={h_k: first, n_k: "7"}).wait(20)
    person.back(3, "5")
    person.open(2)
    person.wait(20).next(2)
    person.judge_up_to(8, scores={h_k: first, n_k: "7"}).wait(20)
    # Whatever was typed before: H_k does not stand above N_k.
    for page in (h_k, n_k):
        if page < 8:
            Judgment.objects.filter(assignment=person.assignment, position=page).update(
                score=7, score_text="7", first_score=7
            )
    person.finish(8, *(["7"] if 8 in (h_k, n_k) else ["12.5"]))
    assert person.assignment.state == "revising"
    person.resume()
    person.open(h_k)
    person.wait(5)
    person.finish(h_k, then)
    assert person.assignment.state == "completed"
    return person


# --- form -------------------------------------------------------------------------------------


def test_every_table_has_its_columns() -> None:
    assert {name: ", ".join(e.columns) for name, e in exports.EXPORTS.items()} == COLUMNS


@pytest.mark.parametrize(("table", "written"), FORMATS)
def test_a_file_holds_the_rows_with_full_double_precision(
    judged: Study, table: str, written: str
) -> None:
    export = exports.EXPORTS[table]
    expected = list(export.rows(judged))
    assert expected
    made = text(judged, table, written)
    if written == "jsonl":
        found = [json.loads(line) for line in made.splitlines()]
        assert [list(row) for row in found] == [list(export.columns)] * len(expected)
    elif written == "csv":
        header, *lines = csv.reader(io.StringIO(made))
        assert header == list(export.columns)
        found = [dict(zip(header, line, strict=True)) for line in lines]
    else:
        found = [
            dict(zip(export.columns, line.split(" "), strict=True))
            for line in made.split("\n")[:-1]
        ]
    assert len(found) == len(expected)
    for row, wanted in zip(found, expected, strict=True):
        for name, value in wanted.items():
            assert _as(value, row[name]) == value


def _as(wanted: object, written: Any) -> object:
    """What stands in a file, read as a value of the kind that is wanted."""
    if wanted is None:
        return written or None
    if isinstance(wanted, bool):
        return {"True": True, "False": False}.get(written, written)
    if isinstance(wanted, datetime):
        return datetime.fromisoformat(written)
    return type(wanted)(written)


@pytest.mark.parametrize(("table", "written"), FORMATS)
def test_a_study_without_a_completed_unit_gives_an_empty_table(table: str, written: str) -> None:
    study = make_study()
    made = text(study, table, written)
    header = ",".join(exports.EXPORTS[table].columns) + "\n" if written == "csv" else ""
    if table == "table1":
        assert made.count("\n") == 1 + (written == "csv")
        assert made.startswith(header)
    else:
        assert made == header


@pytest.mark.parametrize(
    ("table", "written", "said"),
    [
        ("scores", "csv", "There is no table scores; there are qrels, judgments"),
        ("judgments", "trec", "written as csv or jsonl, not as trec"),
        ("qrels", "xml", "written as trec or csv or jsonl, not as xml"),
    ],
)
def test_other_tables_and_formats_are_refused(table: str, written: str, said: str) -> None:
    with pytest.raises(exports.CannotExport, match=re.escape(said)):
        exports.lines(make_study(), table, written)


def test_what_people_typed_survives_every_format() -> None:
    study = make_study(redundancy=1)
    words = 'It says "so",\nand more; ½ of it: ٣ — 1,5\ttabbed\u2028and 🙂'
    person = Person(study).come_to_the_end()
    page = next(n for n in range(1, 9) if person.document(n).role == "other")
    person.open(page)
    person.next(page, "1/3", words)
    person.open(8)
    person.finish(8, *(["1/3", words] if page == 8 else []))
    (row,) = [row for row in rows(study, "judgments") if row["score_text"] == "1/3"]
    assert (row["justification"], row["score"]) == (words, 1 / 3)
    read = csv.DictReader(io.StringIO(text(study, "judgments", "csv"), newline=""))
    (line,) = [line for line in read if line["score_text"] == "1/3"]
    assert (line["justification"], float(line["score"])) == (words, 1 / 3)
    assert text(study, "judgments", "jsonl").count("\n") == 8


# --- content ----------------------------------------------------------------------------------


def test_qrels_are_the_gains(judged: Study) -> None:
    gains = [(g.query_id, g.doc_id, g.gain) for g in pair_gains.gains(judged)]
    lines = [line.split(" ") for line in text(judged, "qrels", "trec").splitlines()]
    assert [(q, d, float(gain)) for q, _, d, gain in lines] == gains
    assert {iteration for _, iteration, _, _ in lines} == {"0"}
    assert gains == sorted(gains, key=lambda gain: (gain[0].encode(), gain[1].encode()))


def test_labels_and_gains_that_are_all_whole_are_whole_numbers() -> None:
    study = make_study(redundancy=2, **GRADED)
    complete(study, "ada", lambda d: {"h_k": "3", "n_k": "0"}.get(d.role, "1"))
    evaluate(study)
    assert {line.split()[3] for line in exports.lines(study, "qrels", "trec")} == {"0", "1", "3"}
    for table, column in (("qrels", "relevance"), ("judgments", "score")):
        read = csv.DictReader(io.StringIO(text(study, table, "csv")))
        assert {row[column] for row in read} == {"0", "1", "3"}
        assert {type(row[column]) for row in rows(study, table)} == {int}
    for column in ("first_score", "normalised"):
        assert {type(row[column]) for row in rows(study, "judgments")} == {int}


def test_where_one_gain_has_decimals_all_are_written_with_them() -> None:
    study = make_study(redundancy=2, **GRADED)
    complete(study, "ada", lambda d: {"h_k": "3", "n_k": "0"}.get(d.role, "1"))
    complete(study, "ben", lambda d: {"h_k": "3", "n_k": "0"}.get(d.role, "2"))
    evaluate(study)
    gains = {line.split()[3] for line in exports.lines(study, "qrels", "trec")}
    assert "3.0" in gains
    assert gains <= {"0.0", "1.0", "1.5", "2.0", "3.0"}


def test_qrels_under_every_scheme() -> None:
    study, _ = judged_study(3, topics=1, units=4)
    evaluate(study)
    made = {
        (normalisation, aggregation): text(
            study, "qrels", "trec", normalisation=normalisation, aggregation=aggregation
        )
        for normalisation in pair_gains.NORMALISATIONS
        for aggregation in pair_gains.AGGREGATIONS
    }
    assert made["geometric", "median"] == text(study, "qrels", "trec")
    assert len(set(made.values())) == len(made) == 15


def test_a_judgment_tells_how_it_came_about() -> None:
    study = make_study(redundancy=1)
    person = eventful(study, "ada")
    evaluate(study)
    found = {row["position"]: row for row in rows(study, "judgments")}
    assert list(found) == list(range(1, 9))
    assignment = person.assignment
    unit = f"401-{assignment.unit.number}"
    assert {(r["worker"], r["unit"], r["query_id"]) for r in found.values()} == {
        ("ada", unit, "401")
    }
    for page, row in found.items():
        document = person.document(page)
        assert (row["doc_id"], row["role"]) == (document.doc_id, document.role)
        assert row["seconds"] == assignment.seconds[page - 1]
        assert row["simulated"] is False
        assert row["visible_seconds"] is None
        assert row["justification"] == "It says what was asked for."
        assert row["normalised"] == pytest.approx(row["score"])  # the only unit of its topic
    h_k = found[person.position_of("h_k")]
    assert (h_k["score"], h_k["score_text"], h_k["first_score"]) == (70, "70", 7)
    assert [row["changed_after_failure"] for row in found.values()].count(True) == 1
    assert h_k["changed_after_failure"] is True
    assert h_k["visits"] == 2 + (h_k["position"] in (2, 3))
    assert found[person.position_of("n_k")]["changed_after_failure"] is False


def test_what_the_browser_says_of_seconds_is_summed() -> None:
    study = make_study(redundancy=1)
    person = Person(study).come_to_documents()
    token, typed = person.assignment.token, person.says(1)

    def judge(page: int, visible: float | None, *, back: bool) -> None:
        person.open(page)
        said = replace(typed, position=page, visible_seconds=visible)
        flow.judge(study.slug, "ada", token, said, back=back, now=person.wait(20).now)

    judge(1, 3.5, back=False)
    judge(2, None, back=True)
    judge(1, 4.25, back=False)
    person.judge_up_to(8).wait(20)
    for page in (1, 2):  # what stands there now are another document's words
        person.open(page)
        person.next(page)
    person.finish()
    first, second, *_ = rows(study, "judgments")
    assert (first["visible_seconds"], first["visits"], first["seconds"]) == (7.75, 3, 40)
    assert second["visible_seconds"] is None


def test_seconds_are_summed_in_the_order_of_visits_not_of_rows() -> None:
    study = make_study(redundancy=1)
    complete(study, "ada")
    last = Visit.objects.filter(assignment__study=study, position=1).latest("opened_at")
    Visit.objects.filter(pk=last.pk).update(visible_seconds=0.3)
    Visit.objects.bulk_create(
        Visit(
            assignment=last.assignment,
            position=1,
            opened_at=last.opened_at - timedelta(hours=hours),
            closed_at=last.opened_at,
            visible_seconds=seconds,
        )
        for hours, seconds in ((1, 0.2), (2, 0.1))
    )
    sums = [row["visible_seconds"] for row in rows(study, "judgments") if row["visible_seconds"]]
    assert sums == [0.1 + 0.2 + 0.3] != [0.3 + 0.2 + 0.1]


def test_what_is_not_published_yet_has_no_normalised_score() -> None:
    study = make_study(redundancy=2)
    complete(study, "ada")
    assert {row["normalised"] for row in rows(study, "judgments")} == {None}
    assert {row["gamma_u"] for row in rows(study, "units")} == {None}
    evaluate(study)
    complete(study, "ben")
    found = rows(study, "judgments")
    assert [row["normalised"] is None for row in found] == [False] * 8 + [True] * 8
    assert [row["gamma_u"] is None for row in rows(study, "units")] == [False, True]


def test_withdrawn_and_unfinished_units_are_in_no_table() -> None:
    study, _ = judged_study(1, topics=1, units=2)
    person = complete(study, "gone")
    Person(study, "busy").come_to_the_end()
    flow.withdraw(str(person.assignment.completion_code), NOON)
    evaluate(study)
    assert len(rows(study, "judgments")) == 16
    assert len(rows(study, "units")) == 2
    assert {"gone", "busy"}.isdisjoint(row["worker"] for row in rows(study, "judgments"))


def test_judgments_come_topic_by_topic_as_they_were_completed() -> None:
    study = make_study(topics=2, redundancy=2)
    for number, at in enumerate((300, 100, 200, 0)):
        complete(study, f"worker-{number}", random_scores(random.Random(number)), later(at))
    found = rows(study, "judgments")
    order = [(row["query_id"], row["worker"]) for row in found]
    firsts = list(dict.fromkeys(order))
    assert [unit for unit in firsts for _ in range(8)] == order
    for query_id in {query_id for query_id, _ in firsts}:
        workers = [worker for topic, worker in firsts if topic == query_id]
        assert workers == sorted(
            workers, key=["worker-3", "worker-1", "worker-2", "worker-0"].index
        )


def test_a_unit_tells_its_steps_and_its_place_among_its_worker_s() -> None:
    study = make_study(topics=3, redundancy=1)
    on_the_last = eventful(study, "ada", then="70").position_of("h_k") == 8
    complete(study, "ada", at=later(1000))
    complete(study, "ben")
    evaluate(study)
    found = {(row["worker"], row["worker_unit_index"]): row for row in rows(study, "units")}
    assert sorted(found) == [("ada", 1), ("ada", 2), ("ben", 1)]
    first = found["ada", 1]
    assert (first["back"], first["failed_finishes"]) == (1, 1)
    assert first["revise_steps"] == (1 if on_the_last else 2)
    assert first["hk_nk_ratio"] == 10
    assert found["ben", 1]["hk_nk_ratio"] == 100
    assert {row["texts_version"] for row in found.values()} == {texts_version(study)}
    assert (found["ben", 1]["back"], found["ben", 1]["failed_finishes"]) == (0, 0)
    scores = [r["score"] for r in rows(study, "judgments") if r["unit"] == first["unit"]]
    product = 1.0
    for score in scores:
        product *= score
    assert first["gamma_u"] == pytest.approx(product ** (1 / 8))
    assert datetime.fromisoformat(first["started_at"]) == NOON
    assert first["query_id"] == first["unit"].split("-")[0]


def test_rankings_hold_the_mean_and_every_topic(judged: Study) -> None:
    found = rows(judged, "rankings")
    topics = {row["query_id"] for row in found}
    assert len(found) == len(MEASURES) * 6 * len(topics)
    for name in MEASURES:
        ranking = results.ranking(judged, parse(name))
        for system in ranking["results"]:
            mine = {
                r["query_id"]: r for r in found if (r["run"], r["measure"]) == (system["run"], name)
            }
            assert (mine["all"]["value"], mine["all"]["rank"]) == (system["mean"], system["rank"])
            for topic in system["topics"]:
                assert mine[topic["query_id"]]["value"] == topic["value"]
    for row in found:
        alike = [
            r for r in found if (r["measure"], r["query_id"]) == (row["measure"], row["query_id"])
        ]
        assert row["rank"] == 1 + sum(r["value"] > row["value"] + 1e-12 for r in alike)


def test_an_artificial_worker_says_so() -> None:
    study = make_study(demo=True, payment=0)
    add_runs(study, {"one": {"401": [("D401-003", 1.0)]}})
    flow.admit(study, Arrival("robot", simulated=True), NOON)
    complete(study, "robot")
    complete(study, "human")
    assert {(row["worker"], row["simulated"]) for row in rows(study, "judgments")} == {
        ("robot", True),
        ("human", False),
    }


@pytest.mark.parametrize(("demo", "mark"), [(False, "simulated"), (True, "demo")])
def test_every_file_says_that_it_was_not_people(demo: bool, mark: str) -> None:
    study = make_study(demo=demo, payment=0)
    add_runs(study, {"one": {"401": [("D401-003", 1.0)]}})
    flow.admit(study, Arrival("robot", simulated=True), NOON)
    complete(study, "robot")
    evaluate(study)
    study.refresh_from_db()
    assert {row["iteration"] for row in rows(study, "qrels")} == {mark}
    assert {line.split()[1] for line in exports.lines(study, "qrels", "trec")} == {mark}
    for table in ("rankings", "table1"):
        assert {row["crowd"] for row in rows(study, table)} == {mark}
    assert {row["simulated"] for row in rows(study, "units")} == {True}
    assert results.ranking(study, parse("nDCG@10"))["crowd"] == mark
    assert study.file_name("qrels", "txt") == f"{study.slug}-{mark}-qrels.txt"
    assert f"({mark})" in str(ranking_figure([], "nDCG@10", mark))


def test_table1_is_the_report_s(judged: Study) -> None:
    expected = [{**row, "crowd": "people"} for row in table_one.table1(judged)]
    assert rows(judged, "table1") == expected
