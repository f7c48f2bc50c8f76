"""Artificial workers over HTTP do a whole study on a real collection, and its ranking is looked at.

It is compared with the ranking by the collection's labels and with the one by the truth that the
workers stray from. DATA names the folder that holds `cranfield/`.
"""

import json
import math
from pathlib import Path

import pytest

from magnitudes.comparison.correlation import tau_b
from tests.acceptance import cranfield, naive
from tests.acceptance.cranfield import DATA, FILES, RUNS, Site, open_study

pytestmark = [*cranfield.pytestmark, pytest.mark.whole]
SLUG, SEED, WORKERS, SPEEDUP = "rehearsal", 1, 64, 400
SETTINGS = f'title = "A rehearsal"\nredundancy = 4\nminimum_seconds = {20 / SPEEDUP}\n'
LEAST = {"truth": 0.3, "labels": 0.1}  # tau of the ranking with that by these
JK = "nDCG(dcg='jk')@10"
Gains = dict[str, dict[str, float]]


@pytest.fixture(scope="module")
def truth(site: Site, tmp_path_factory: pytest.TempPathFactory) -> Gains:
    """The study is judged to its end; what was true meanwhile."""
    folder = tmp_path_factory.mktemp("study")
    site.manage("import_collection", "rehearsed", *FILES)
    units = open_study(site.manage, SLUG, "rehearsed", SETTINGS, folder, SEED)
    said = site.manage(
        *("simulate_crowd", SLUG, "--workers", WORKERS, "--seed", SEED),
        *("--over-http", site.address, "--speedup", SPEEDUP, "--truth", folder / "truth.jsonl"),
    )
    assert said.startswith(f"{units} of {units} units are complete")
    return read(folder / "truth.jsonl")


def read(written: Path) -> Gains:
    found: Gains = {}
    for line in written.read_text().splitlines():
        told = json.loads(line)
        if told["kind"] == "pair":
            found.setdefault(told["query_id"], {})[told["doc_id"]] = math.exp(told["log_gain"])
    return found


def labels() -> Gains:
    found: Gains = {}
    for line in (DATA / "qrels.txt").read_text().splitlines():
        query_id, _, doc_id, level = line.split()
        found.setdefault(query_id, {})[doc_id] = max(0.0, float(level))
    return found


def means(gains: Gains) -> dict[str, float]:
    texts = (path.read_text() for path in sorted((DATA / "runs").iterdir()))
    values = naive.values(gains, dict(map(naive.read_run, texts)))[JK]
    return {run: topics["all"] for run, topics in values.items()}


def test_the_ranking_goes_with_the_truth_and_with_the_labels(site: Site, truth: Gains) -> None:
    site.manage("recompute", SLUG)
    exported = site.manage("export", SLUG, "rankings", "--format", "jsonl").splitlines()
    rows = [
        row for row in map(json.loads, exported) if (row["measure"], row["query_id"]) == (JK, "all")
    ]
    assert {row["crowd"] for row in rows} == {"simulated"}
    crowd = {row["run"]: row["value"] for row in rows}
    assert len(crowd) == RUNS
    for name, gains in {"truth": truth, "labels": labels()}.items():
        expected = means(gains)
        tau = tau_b(list(crowd.values()), [expected[run] for run in crowd])
        assert tau > LEAST[name]


def test_no_rule_was_broken(site: Site, truth: object) -> None:
    asked = "from tests.judging.invariants import broken; assert broken() == [], broken()"
    site.manage("shell", "--command", asked)
