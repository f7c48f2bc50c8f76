"""What the API says of a study in which everything has happened."""

import csv
import io
import json
import math
from itertools import product

import pytest

from evaluation import results
from evaluation.pipeline import MEASURES, evaluate
from evaluation.publishing import exports, pair_gains
from judging.models import Assignment
from magnitudes.measures.names import parse
from tests.desks import body_of
from tests.factory import make_study
from tests.factory.completed import EXTERNAL_ID, PLATFORM_IDS, complete
from tests.factory.runs import add_runs

pytestmark = pytest.mark.django_db


def test_collections(researcher, study):
    other = make_study(topics=2, opened=False).collection
    first, second = researcher.get("/api/v1/collections/").json()["results"]
    assert (first["slug"], first["topics"], first["documents"]) == (study.slug, 4, 56)
    assert (second["slug"], second["topics"], second["documents"]) == (other.slug, 2, 28)
    assert len(first["runs"]) == 4
    assert (first["label_sets"], second["runs"]) == (["reference"], [])
    assert set(first) == {"slug", "topics", "documents", "runs", "label_sets", "created_at"}


def test_a_study_with_its_settings(study, get):
    listed = get("")
    assert listed["slug"] == listed["collection"] == study.slug
    for name in ("unit_size", "redundancy", "minimum_seconds", "pool_depth", "demo", "plan_seed"):
        assert listed[name] == getattr(study, name)
    assert (listed["stage"], listed["payment"], listed["currency"]) == ("open", "1.00", "USD")
    assert listed["opened_at"]
    assert "id" not in listed


def test_progress_also_of_a_draft(researcher, study, get):
    units = study.units.count()
    assert get("progress/") == {
        "stage": "open",
        "units": units,
        "completed": 3,
        "live": 1,
        "free": units - 4,
        "judgments": 24,
        "workers": 3,
        "evaluated_units": 3,
    }
    complete(study, "one more")
    said = get("progress/")
    assert (said["completed"], said["evaluated_units"]) == (4, 3)
    study = make_study(opened=False)
    said = researcher.get(f"/api/v1/studies/{study.slug}/progress/").json()
    assert said.pop("stage") == "draft"
    assert said.pop("units") == said.pop("free") == study.units.count()
    assert set(said.values()) == {0}


def test_every_attempt_is_among_the_units(study, get):
    rows = {row["worker"]: row for row in get("units/")["results"]}
    states = {worker: row["state"] for worker, row in rows.items()}
    assert states == {
        "ada": "withdrawn",
        "ben": "completed",
        "carmen": "completed",
        "dora": "completed",
        "carl": "failed",
        "gail": "failed",
        "hugo": "left",
        "eve": "judging",
    }
    ben = Assignment.objects.get(worker__pseudonym="ben")
    query_id = ben.study_topic.topic.query_id
    assert rows["ben"]["unit"] == f"{query_id}-{ben.unit.number}"
    assert rows["ben"]["query_id"] == query_id
    assert (rows["ben"]["failed_finishes"], rows["ben"]["furthest"]) == (1, 8)
    assert rows["ben"]["seconds"] == ben.seconds
    assert (rows["eve"]["finished_at"], rows["eve"]["seconds"]) == (None, None)
    assert not any(row["simulated"] for row in rows.values())


def test_judgments_are_those_of_the_export(study, get):
    rows = get("judgments/")["results"]
    exported = [json.loads(line) for line in exports.lines(study, "judgments", "jsonl")]
    assert len(rows) == 24
    assert all(tuple(row) == exports.EXPORTS["judgments"].columns for row in rows)

    def key(row):
        return row["unit"], row["position"]

    for row, other in zip(sorted(rows, key=key), sorted(exported, key=key), strict=True):
        times = [row.pop("submitted_at"), other.pop("submitted_at")]
        assert times[0].removesuffix("Z") == times[1].removesuffix("+00:00")
        assert row == other


def test_failures(study, get):
    rows = {row["worker"]: row for row in get("failures/")["results"]}
    checks = {worker: (row["check"], row["attempt"]) for worker, row in rows.items()}
    assert checks == {"ben": ("anchors", 1), "carl": ("lines", 1), "gail": ("question", 1)}
    assert all(row["unit"].startswith(f"{row['query_id']}-") for row in rows.values())
    assert set(rows["ben"]) == {
        *("check", "at", "query_id", "unit", "worker", "attempt", "simulated"),
    }


def test_completions_are_what_is_to_be_paid(study, get):
    rows = {row["worker"]: row for row in get("completions/")["results"]}
    assert set(rows) == {"ada", "ben", "carmen", "dora"}  # Ada's work is withdrawn, her pay is not
    for worker, row in rows.items():
        paid = Assignment.objects.get(worker__pseudonym=worker)
        assert row["code"] == paid.completion_code
        assert (row["amount"], row["currency"]) == ("1.00", "USD")
        assert row["completed_at"].startswith("2026-03-01T12:")
    dora, ben = rows["dora"], rows["ben"]
    assert (dora["platform"], dora["external_id"]) == ("prolific", EXTERNAL_ID)
    assert dora["platform_ids"] == PLATFORM_IDS
    assert (ben["platform"], ben["external_id"], ben["platform_ids"]) == (None, None, None)


# --- gains ------------------------------------------------------------------------------------


def test_qrels_under_each_scheme(researcher, study):
    address = f"/api/v1/studies/{study.slug}/qrels/"
    for scheme in product(pair_gains.NORMALISATIONS, pair_gains.AGGREGATIONS):
        asked = dict(zip(("normalisation", "aggregation"), scheme, strict=True))
        made = body_of(researcher.get(address, asked)).decode()
        assert made == "".join(exports.lines(study, "qrels", "trec", **asked)), scheme
        gains = [float(line.split()[3]) for line in made.splitlines()]
        assert gains
        assert all(0 < gain < math.inf for gain in gains)


def test_qrels_in_each_format(researcher, study):
    address = f"/api/v1/studies/{study.slug}/qrels/"
    found = {}
    for written, kind in (
        ("trec", "text/plain; charset=utf-8"),
        ("csv", "text/csv; charset=utf-8"),
        ("jsonl", "application/x-ndjson"),
    ):
        response = researcher.get(address, {"file_format": written})
        assert response["Content-Type"] == kind
        found[written] = body_of(response).decode()
    rows = [json.loads(line) for line in found["jsonl"].splitlines()]
    read = [
        {**row, "iteration": int(row["iteration"]), "relevance": float(row["relevance"])}
        for row in csv.DictReader(io.StringIO(found["csv"]))
    ]
    lines = [line.split() for line in found["trec"].splitlines()]
    assert rows == read
    assert rows == [
        {"query_id": q, "iteration": int(i), "doc_id": d, "relevance": float(gain)}
        for q, i, d, gain in lines
    ]
    gains = [(gain.query_id, gain.doc_id, gain.gain) for gain in pair_gains.gains(study)]
    assert [(row["query_id"], row["doc_id"], row["relevance"]) for row in rows] == gains


# --- rankings ---------------------------------------------------------------------------------


def test_a_ranking_is_by_default_the_study_s_own_and_tells_what_it_was_made_of(study, get):
    said = get("rankings/")
    assert said == get("rankings/", measure=MEASURES[0])
    assert (said["measure"], len(said["results"])) == ("nDCG(dcg='jk')@10", 4)
    assert said != get("rankings/", measure="ERR@10")
    assert set(said) == {
        *("study", "crowd", "measure", "gains", "topics", "interim", "source", "results"),
    }
    assert said["crowd"] == "people"
    assert said["interim"].startswith("Interim, ")
    source = said["source"]
    assert (source["units"], source["judgments"]) == (3, 24)
    assert (source["normalisation"], source["aggregation"]) == ("geometric", "median")
    assert source["code_version"]
    assert source["evaluation"] == 1
    assert source["revisions"] == {
        topic.topic.query_id: topic.revision for topic in study.topics.filter(revision__gt=0)
    }
    for system in said["results"]:
        assert set(system) == {
            *("rank", "run", "mean", "low", "high", "judged", "missing_topics", "topics"),
        }
        values = [topic["value"] for topic in system["topics"]]
        assert len(values) == said["topics"]
        assert system["mean"] == pytest.approx(sum(values) / len(values))


def test_a_measure_is_named_in_its_one_way_and_one_of_two_meanings_is_refused_with_both(
    get, researcher, study
):
    loose = get("rankings/", measure=' nDCG ( dcg = "log2" ) @ 5')
    assert loose["measure"] == "nDCG@5"
    assert loose == get("rankings/", measure="nDCG@5")
    response = researcher.get(f"/api/v1/studies/{study.slug}/rankings/", {"measure": "bpref"})
    assert response.status_code == 400
    assert "bpref_de_beer_moens" in response.content.decode()
    assert "Bpref is" in response.content.decode()


def test_what_is_relevant_is_said_in_the_name_and_judged_is_the_share_beside_every_mean(get):
    for name, cutoff in (("R", "@4"), ("Success", "@4"), ("Rprec", ""), ("Bpref", "")):
        said = get("rankings/", measure=f"{name}{cutoff}")
        assert said["measure"] == f"{name}(rel='anchors'){cutoff}"
        assert 0 < max(system["mean"] for system in said["results"]) <= 1
    said = get("rankings/", measure="Judged@4")
    assert said["measure"] == "Judged@4"
    for system in said["results"]:
        if not system["missing_topics"]:
            assert system["mean"] == pytest.approx(system["judged"])


def test_ties_share_the_smallest_rank(researcher):
    study = make_study()
    middle = [("D401-000", 1.0)]
    lists = {"best": [("D401-003", 2.0)], "b": middle, "a": middle, "worst": [("S1", 1.0)]}
    add_runs(study, {tag: {"401": ranked} for tag, ranked in lists.items()})
    complete(study, "ada")
    evaluate(study)
    said = researcher.get(f"/api/v1/studies/{study.slug}/rankings/").json()
    ranks = [(system["rank"], system["run"]) for system in said["results"]]
    assert ranks == [(1, "best"), (2, "a"), (2, "b"), (4, "worst")]
    # One topic says nothing of how topics differ.
    assert {(system["low"], system["high"]) for system in said["results"]} == {(None, None)}


def test_an_interval_is_there_from_two_topics_on(researcher):
    study = make_study(topics=2, redundancy=1)  # four units
    add_runs(study, {"one": {"401": [("D401-003", 1.0)], "402": [("D402-000", 1.0)]}})
    for number in range(4):
        complete(study, f"worker-{number}")
    evaluate(study)
    (system,) = researcher.get(f"/api/v1/studies/{study.slug}/rankings/").json()["results"]
    low, high = (topic["value"] for topic in sorted(system["topics"], key=lambda t: t["value"]))
    # t(0.975; 1) is 12.706; the standard error of two values is half their distance.
    assert system["high"] - system["mean"] == pytest.approx(12.706 * (high - low) / 2, rel=1e-4)
    assert system["mean"] - system["low"] == pytest.approx(system["high"] - system["mean"])


def test_a_study_without_results(researcher):
    for opened in (False, True):
        study = make_study(opened=opened)
        address = f"/api/v1/studies/{study.slug}/"
        for gains in ("magnitude", "raw"):
            said = researcher.get(f"{address}rankings/?gains={gains}").json()
            assert (said["results"], said["source"], said["topics"]) == ([], None, 0)
            assert said["gains"] == gains
            assert body_of(researcher.get(f"{address}qrels/?gains={gains}")) == b""
        for path in ("units/", "judgments/", "failures/", "completions/"):
            assert researcher.get(f"{address}{path}").json()["results"] == []


def test_numbers_keep_full_double_precision(study, get):
    found = results.table(study, parse("ERR@10"))
    expected = dict(zip(found.runs, found.values.T.tolist(), strict=True))
    for system in get("rankings/", measure="ERR@10")["results"]:
        assert [topic["value"] for topic in system["topics"]] == expected[system["run"]]


def test_the_monitor_s_data_are_those_of_the_lists_and_its_lights_those_of_the_page(
    get, at_desk, study
):
    watched = get("monitor/", last="7d")
    for tallies in (watched["topics"], watched["workers"]):
        failures = sum(check["failures"] for tally in tallies for check in tally["checks"])
        assert failures == len(get("failures/")["results"]) > 0
        assert sum(tally["attempts"] for tally in tallies) == len(get("units/")["results"])
    for figure in watched["figures"]:
        assert all(len(row) == len(figure["columns"]) for row in figure["rows"]), figure["name"]
    assert watched["figures"]
    lights, machine = watched["lights"], watched["machine"]
    assert [each["light"] for each in lights] == ["flow", "checks", "workers", "anchors"]
    assert [each["light"] for each in machine] == ["web", "background worker", "clock", "rankings"]
    page = at_desk.get(f"/studies/{study.slug}/monitor/").content.decode()
    for light in lights + machine:
        assert light["colour"] in {"green", "amber", "red", "grey"}
        assert light["sentence"].endswith(".")
        assert light["word"] in {"good", "check", "wrong", "not yet", "idle"}
        if light in lights and "ago" not in light["sentence"]:
            assert light["sentence"].rstrip(".") in page
