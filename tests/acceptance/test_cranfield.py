"""A whole study on a real collection: files in, a crowd over HTTP, rankings out.

The product runs as it does for everybody: its own servers, its commands, its pages, its API. What
it computes is compared with `naive`, a script that knows nothing of it. DATA names the folder that
holds `cranfield/`; it may be a relative path.
"""

import json
import random
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.acceptance import cranfield, naive
from tests.acceptance.cranfield import (
    DATA,
    FILES,
    PAIRS,
    QUESTION,
    RUNS,
    TOPICS,
    Site,
    questions,
    titles,
)
from tests.http_worker import HttpWorker, Seen, plain

pytestmark = [*cranfield.pytestmark, pytest.mark.nightly]
STUDY = "wings"
WORKERS, AT_ONCE = 8, 4
# A worker judges a topic once, so that the one who judges twelve sees to it that all are judged.
UNITS_OF = [TOPICS, 2, *[1] * (WORKERS - 2)]
UNITS = sum(UNITS_OF)
HABITS = ("careful", "careless", "goes back", "leaves", "fails the question")
NEAR = 1e-9
SETTINGS = """
title = "Wings, and what air does to them"
redundancy = 2
minimum_seconds = 0
payment = 0.45
contact = "wings@institute.example"
"""


# --- the files, read here once more -----------------------------------------------------------


def ids_by_text() -> dict[str, str]:
    """Document ids by what stands on a document's page."""
    documents = re.findall(
        r"<DOC>\s*<DOCNO>(.*?)</DOCNO>(.*?)</DOC>", (DATA / "documents.trec").read_text(), re.S
    )
    return {plain(text): doc_id.strip() for doc_id, text in documents}


def levels() -> dict[str, int]:
    """The highest label of a document: its worth to a worker who does not ask for whom."""
    found: dict[str, int] = {}
    for line in (DATA / "qrels.txt").read_text().splitlines():
        _, _, doc_id, level = line.split()
        found[doc_id] = max(int(level), found.get(doc_id, 0))
    return found


# --- the product ------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def study(site: Site, tmp_path_factory: pytest.TempPathFactory) -> str:
    """An open study on the whole collection, made with the commands."""
    said = site.manage("import_collection", STUDY, *FILES)
    assert "topics 12, documents 1398, runs 34 (408 lists)" in said
    config = tmp_path_factory.mktemp("study") / "study.toml"
    assert len(titles()) == TOPICS
    config.write_text(SETTINGS + questions())
    assert "12 topics" in site.manage(
        "create_study", STUDY, "--collection", STUDY, "--config", config
    )
    planned = site.manage("plan_units", STUDY, "--seed", 5)
    units = sum(
        -(-(row["documents"] - 2) * 2 // 6)
        for row in map(
            json.loads, site.manage("export", STUDY, "table1", "--format", "jsonl").splitlines()
        )
    )
    assert planned.startswith(f"{PAIRS} documents, {units} units, ")
    *terms, opened = site.manage("open_study", STUDY).splitlines()
    assert terms[0].startswith(f"{units} units of ")
    assert opened == f"study {STUDY} is open"
    return STUDY


@pytest.fixture(scope="module")
def api(site: Site) -> Iterator[httpx.Client]:
    site.manage(
        *("createsuperuser", "--no-input", "--username", "rosa", "--email", "rosa@example.org")
    )
    token = site.manage("create_token", "rosa").strip()
    with httpx.Client(
        base_url=f"{site.address}/api/v1/studies/{STUDY}/",
        headers={"Authorization": f"Token {token}"},
        timeout=60,
    ) as client:
        yield client


# --- the crowd --------------------------------------------------------------------------------


def habit_of(number: int) -> str:
    return HABITS[number % len(HABITS)]


def units_of(habit: str) -> list[int]:
    """How many units each worker of this habit completes."""
    return [units for number, units in enumerate(UNITS_OF) if habit_of(number) == habit]


class Crowd:
    """Workers who come one after the other, several at a time."""

    def __init__(self, base: str) -> None:
        self.base = base
        self.ids, self.levels, self.titles = ids_by_text(), levels(), set(titles().values())
        self.codes: dict[str, list[str]] = {}  # by worker
        self.lock = threading.Lock()

    def work(self, number: int) -> None:
        draw = random.Random(number)
        habit = habit_of(number)
        with HttpWorker(
            self.base,
            STUDY,
            self.scorer(draw, careless=habit == "careless"),
            self.answer(wrong_first=habit == "fails the question"),
            parameters={"PROLIFIC_PID": f"p-{number}"} if number % 2 else {},
            back_at=[3, 6] if habit == "goes back" else [],
            reason=f"Worker {number} thinks so; “ja”, ½.",
        ) as worker:
            if habit == "leaves":
                worker.go_on_to("document")
                assert worker.press("leave").step == "left"
            codes = []
            while len(codes) < UNITS_OF[number]:
                if code := worker.complete():
                    codes.append(code)
                else:
                    assert worker.page.step == "failed"
        with self.lock:
            self.codes[f"p-{number}" if number % 2 else str(number)] = codes

    def scorer(self, draw: random.Random, *, careless: bool) -> Callable[[Seen], str]:
        """Scores on a scale of the worker's own; the careless give all the same at first."""
        modulus, width = 10 ** draw.uniform(-1, 2.5), draw.uniform(0.8, 1.5)

        def score(seen: Seen) -> str:
            if careless and not seen.revising:
                return "3"
            felt = (1 + self.levels.get(self.ids[seen.text], 0)) ** width
            value = modulus * felt * draw.uniform(0.95, 1.05)
            return draw.choice([f"{value:.3f}", f"{value:.6f}", f"{value:.4f}".replace(".", ",")])

        return score

    def answer(self, *, wrong_first: bool) -> Callable[[str, Any], str]:
        wrong = iter(["The price of coal"] if wrong_first else [])

        def choose(question: str, options: Any) -> str:
            assert question == QUESTION
            return next(wrong, None) or next(o for o in options if o in self.titles)

        return choose


@pytest.fixture(scope="module")
def crowd(site: Site, study: str) -> Crowd:
    crowd = Crowd(site.address)
    with ThreadPoolExecutor(AT_ONCE) as threads:
        list(threads.map(crowd.work, range(WORKERS)))
    return crowd


@pytest.fixture(scope="module")
def rankings(crowd: Crowd, api: httpx.Client) -> dict[str, Any]:
    """Both rankings, once every completed unit is in them."""
    deadline = time.monotonic() + 20
    while api.get("progress/").json()["evaluated_units"] < UNITS:
        assert time.monotonic() < deadline, "the ranking does not catch up"
        time.sleep(0.1)
    found = {}
    for name in naive.MEASURES:
        found[name] = api.get("rankings/", params={"measure": name}).json()
    return found


@pytest.fixture(scope="module")
def judgments(crowd: Crowd, site: Site, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The raw judgments, as a researcher exports them."""
    path = tmp_path_factory.mktemp("export") / "judgments.jsonl"
    site.manage("export", STUDY, "judgments", "--format", "jsonl", "--out", path)
    return path


@pytest.fixture(scope="module")
def expected(judgments: Path) -> dict[str, Any]:
    """What the script without an import of the product makes of them."""
    done = subprocess.run(
        [sys.executable, naive.__file__, str(judgments), str(DATA / "runs")],
        cwd=judgments.parent,
        capture_output=True,
        check=True,
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


# --- what must hold ---------------------------------------------------------------------------


def test_every_unit_of_the_crowd_counts(crowd: Crowd, api: httpx.Client, judgments: Path) -> None:
    progress = api.get("progress/").json()
    assert (progress["completed"], progress["judgments"]) == (UNITS, 8 * UNITS)
    assert (progress["live"], progress["workers"]) == (0, WORKERS)
    rows = [json.loads(line) for line in judgments.read_text().splitlines()]
    assert len(rows) == 8 * UNITS
    assert {row["query_id"] for row in rows} == set(titles())
    assert {row["justification"] for row in rows} == {
        f"Worker {number} thinks so; “ja”, ½." for number in range(WORKERS)
    }
    for row in rows:
        assert float(row["score_text"].replace(",", ".")) == row["score"]
        assert row["visible_seconds"] == (row["position"] + 0.5) * row["visits"]


def test_what_went_wrong_is_on_record(crowd: Crowd, api: httpx.Client) -> None:
    failures = api.get("failures/", params={"page_size": 1000}).json()["results"]
    checks = {
        check: sum(row["check"] == check for row in failures) for check in ("anchors", "question")
    }
    assert checks == {
        "anchors": sum(units_of("careless")),
        "question": len(units_of("fails the question")),
    }
    attempts = api.get("units/", params={"page_size": 1000}).json()["results"]
    states = [row["state"] for row in attempts]
    assert states.count("left") == len(units_of("leaves"))
    assert states.count("failed") == len(units_of("fails the question"))
    backs = sorted((row["back_steps"] for row in attempts), reverse=True)
    going = len(units_of("goes back"))
    assert (backs[:going], sum(backs)) == ([2] * going, 2 * going)


def test_every_code_is_paid_once_to_whom_it_belongs(crowd: Crowd, api: httpx.Client) -> None:
    rows = api.get("completions/", params={"page_size": 1000}).json()["results"]
    codes = {code: worker for worker, earned in crowd.codes.items() for code in earned}
    assert sorted(row["code"] for row in rows) == sorted(codes)
    assert {(row["amount"], row["currency"]) for row in rows} == {("0.45", "USD")}
    for row in rows:
        came_by = codes[row["code"]]
        assert row["external_id"] == (came_by if came_by.startswith("p-") else None)


def test_gains_equal_the_independent_ones(
    api: httpx.Client, rankings: dict[str, Any], expected: dict[str, Any]
) -> None:
    found: dict[str, dict[str, float]] = {}
    for line in api.get("qrels/").text.splitlines():
        query_id, _, doc_id, gain = line.split()
        found.setdefault(query_id, {})[doc_id] = float(gain)
    assert found.keys() == expected["gains"].keys()
    for query_id, gains in expected["gains"].items():
        assert found[query_id] == pytest.approx(gains, rel=NEAR, abs=0)


@pytest.mark.parametrize("measure", naive.MEASURES)
def test_rankings_equal_the_independent_ones(
    rankings: dict[str, Any], expected: dict[str, Any], measure: str
) -> None:
    ranking, wanted = rankings[measure], expected["values"][measure]
    assert ranking["measure"] == measure
    assert (ranking["topics"], len(ranking["results"])) == (TOPICS, RUNS)
    assert ranking["source"]["units"] == UNITS
    assert {system["run"] for system in ranking["results"]} == set(wanted)
    means = [values["all"] for values in wanted.values()]
    for system in ranking["results"]:
        values = {topic["query_id"]: topic["value"] for topic in system["topics"]}
        values["all"] = system["mean"]
        assert values == pytest.approx(wanted[system["run"]], abs=NEAR)
        assert system["low"] < system["mean"] < system["high"]
        better = sum(mean > system["mean"] + NEAR for mean in means)
        as_good = sum(mean > system["mean"] - NEAR for mean in means)
        assert better < system["rank"] <= as_good
    assert [s["rank"] for s in ranking["results"]] == sorted(s["rank"] for s in ranking["results"])


def test_what_people_say_tells_the_systems_apart(rankings: dict[str, Any]) -> None:
    """These workers see what the labels say, so random lists must be last and others well above."""
    ranking = rankings["nDCG(dcg='jk')@10"]["results"]
    assert ranking[-1]["run"] == "random"
    assert ranking[0]["mean"] > 2 * ranking[-1]["mean"]


def test_the_export_of_rankings_says_the_same(site: Site, rankings: dict[str, Any]) -> None:
    rows = [
        json.loads(line)
        for line in site.manage("export", STUDY, "rankings", "--format", "jsonl").splitlines()
    ]
    assert len(rows) == 2 * RUNS * (TOPICS + 1)
    exported = {(row["measure"], row["run"], row["query_id"]): row["value"] for row in rows}
    for measure, ranking in rankings.items():
        for system in ranking["results"]:
            assert exported[measure, system["run"], "all"] == system["mean"]
            for topic in system["topics"]:
                assert exported[measure, system["run"], topic["query_id"]] == topic["value"]


def test_recomputing_changes_nothing(
    site: Site, api: httpx.Client, rankings: dict[str, Any]
) -> None:
    said = site.manage("recompute", STUDY)
    assert said == f"study {STUDY}: {TOPICS} topics, {UNITS} units, {8 * UNITS} judgments\n"
    for name, before in rankings.items():
        after = api.get("rankings/", params={"measure": name}).json()
        assert after["results"] == before["results"]
        assert after["source"]["evaluation"] > before["source"]["evaluation"]
