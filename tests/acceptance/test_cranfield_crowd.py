"""Artificial workers over HTTP do a whole study on a real collection, and its ranking is looked at.

It is compared with the ranking by the collection's labels and with the one by the truth that the
workers stray from. DATA names the folder that holds `cranfield/`.
"""

import json
import math
import time
from pathlib import Path

import pytest

from evaluation.comparison.correlation import tau_b
from tests.acceptance import naive
from tests.acceptance.cranfield import DATA, FILES, RUNS, Site, open_study, pytestmark

__all__ = ["pytestmark"]
SEED, SPEEDUP = 1, 400
# By scores of each document. Who finds all units taken looks again and again: not too many.
WORKERS = {1: 16, 4: 64}
# The least tau of the ranking with that by what is true and with that by labels.
LEAST = {1: (0.15, 0.05), 4: (0.3, 0.1)}
SETTINGS = 'title = "A rehearsal"\nredundancy = {}\nminimum_seconds = {}\n'
JK = "nDCG(dcg='jk')@10"
Gains = dict[str, dict[str, float]]
Judged = tuple[str, int, Gains]


@pytest.fixture(scope="module", params=[1, pytest.param(4, marks=pytest.mark.whole)])
def judged(
    request: pytest.FixtureRequest, site: Site, tmp_path_factory: pytest.TempPathFactory
) -> Judged:
    """A study that is judged to its end, its redundancy, and what was true meanwhile."""
    redundancy: int = request.param
    slug, folder = f"rehearsal-{redundancy}", tmp_path_factory.mktemp("study")
    site.manage("import_collection", "rehearsed", *FILES)
    settings = SETTINGS.format(redundancy, 20 / SPEEDUP)
    units = open_study(site.manage, slug, "rehearsed", settings, folder, SEED)
    began = time.monotonic()
    said = site.manage(
        *("simulate_crowd", slug, "--workers", WORKERS[redundancy], "--seed", SEED),
        *("--over-http", site.base, "--speedup", SPEEDUP, "--truth", folder / "truth.jsonl"),
    )
    assert said.startswith(f"{units} of {units} units are complete")
    print(f"{said.strip()} in {time.monotonic() - began:.0f} s at {SPEEDUP} times the speed")  # noqa: T201
    return slug, redundancy, read(folder / "truth.jsonl")


def read(written: Path) -> Gains:
    """Topic -> document -> its true gain."""
    found: Gains = {}
    for line in written.read_text().splitlines():
        told = json.loads(line)
        if told["kind"] == "pair":
            found.setdefault(told["query_id"], {})[told["doc_id"]] = math.exp(told["log_gain"])
    return found


def labels() -> Gains:
    """Topic -> document -> its label."""
    found: Gains = {}
    for line in (DATA / "qrels.txt").read_text().splitlines():
        query_id, _, doc_id, level = line.split()
        found.setdefault(query_id, {})[doc_id] = max(0.0, float(level))
    return found


def means(gains: Gains) -> dict[str, float]:
    """Every run's nDCG, in the mean."""
    texts = (path.read_text() for path in sorted((DATA / "runs").iterdir()))
    values = naive.values(gains, dict(map(naive.read_run, texts)))[JK]
    return {run: topics["all"] for run, topics in values.items()}


def test_the_ranking_goes_with_the_truth_and_with_the_labels(site: Site, judged: Judged) -> None:
    slug, redundancy, truth = judged
    site.manage("recompute", slug)
    exported = map(
        json.loads, site.manage("export", slug, "rankings", "--format", "jsonl").split("\n")[:-1]
    )
    rows = [row for row in exported if (row["measure"], row["query_id"]) == (JK, "all")]
    assert {row["crowd"] for row in rows} == {"simulated"}
    crowd = {row["run"]: row["value"] for row in rows}
    assert len(crowd) == RUNS
    rankings = {"truth": truth, "labels": labels()}
    for (name, gains), least in zip(rankings.items(), LEAST[redundancy], strict=True):
        expected = means(gains)
        tau = tau_b(list(crowd.values()), [expected[run] for run in crowd])
        print(f"tau with the ranking by {name}: {tau:.3f}")  # noqa: T201
        assert tau > least


def test_no_rule_was_broken(site: Site, judged: object) -> None:
    asked = "from tests.judging.invariants import broken; assert broken() == [], broken()"
    site.manage("shell", "--command", asked)
