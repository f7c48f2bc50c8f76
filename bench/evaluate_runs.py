"""From run files to nDCG@10 and ERR@10 of every topic, beside what others take for nDCG@10 alone.

    python -m bench.evaluate_runs [DATA]

A collection is made up with a fixed seed: 129 runs on 50 topics, 1,000 documents each, in files
like those of TREC-8. Every contestant has a process of its own, and they come turn by turn, ours
before each of the others; the best counts. Seconds run from the first file opened to the last
value, imports and compilation left out. Megabytes are the peak of resident memory above that of the
interpreter with its imports.

The table that is printed stands in magnitudes/README.md. All runs are in memory at once, as those
need them who compare systems: here as codes of their ranked documents, with the others in their own
form. What the others take who read, evaluate and forget one run after the other has rows of its
own, without a limit.

Two more ratios: values alone, from ranked codes, beside pytrec_eval on dictionaries cut to ten
documents; and, where DATA holds trec8/, the whole process of `magnitudes evaluate` beside that of a
script with pytrec_eval. Ends with 1 where any of them misses its limit.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterable
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

from bench.parse_runs import put_runs
from bench.site.command import best, options, verdict

OPTIONS = options(__doc__)
RUNS, TOPICS, DEPTH, DOCUMENTS, POOL, JUDGED, TOP = 129, 50, 1000, 20_000, 3000, 1700, 10
TURNS = 2
QUICKER = {"pytrec_eval": 5, "ranx": 10, "ir_measures": 12}
SMALLER, QUICKER_IN_MEMORY, QUICKER_AS_PROCESS = 6, 25, 3
# Modules are compiled before the best turn, as pip compiles what it installs.
ENVIRONMENT = {name: v for name, v in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
PYTREC_SCRIPT = """
import sys, pathlib, pytrec_eval
with open(sys.argv[1]) as file:
    labels = pytrec_eval.parse_qrel(file)
evaluator = pytrec_eval.RelevanceEvaluator(labels, {"ndcg_cut.10"})
for path in sorted(pathlib.Path(sys.argv[2]).iterdir()):
    with path.open() as file:
        values = evaluator.evaluate(pytrec_eval.parse_run(file))
    print(path.name, sum(v["ndcg_cut_10"] for v in values.values()) / len(values))
"""


def make_up(qrels: Path, runs: Path) -> None:
    """Labels, and runs with ids as long as those of TREC-8, some in an order of their own."""
    random = np.random.default_rng(8)
    doc_ids = np.array([f"LA{10000 + 7 * n % 89999:06}-{n % 9999:04}" for n in range(DOCUMENTS)])
    pools = {
        topic: random.choice(DOCUMENTS, POOL, replace=False) for topic in range(401, 401 + TOPICS)
    }
    with qrels.open("w") as out:
        for topic, pool in pools.items():
            labels = random.choice([0, 0, 0, 0, 1, 2, 3], JUDGED).tolist()
            judged = doc_ids[random.choice(pool, JUDGED, replace=False)]
            out.writelines(f"{topic} 0 {d} {g}\n" for d, g in zip(judged, labels, strict=True))
    for run in tqdm(range(RUNS), desc="making up runs"):
        with (runs / f"system{run:03}").open("w") as out:
            for topic, pool in pools.items():
                scores = random.gamma(2, 3, DEPTH).round(6 - run % 4)
                if run % 32:  # four of 129 are in no order
                    scores = np.sort(scores)[::-1]
                ranked = doc_ids[random.choice(pool, DEPTH, replace=False)].tolist()
                out.writelines(
                    f"{topic}\tQ0\t{doc_id}\t{rank}\t{score}\tsystem{run:03}\n"
                    for rank, (doc_id, score) in enumerate(
                        zip(ranked, scores.tolist(), strict=True)
                    )
                )


# --- contestants: what imports, then what is timed --------------------------------------------

Contest = Callable[[Path, list[Path]], object]
Hold = Callable[[Iterable[Any]], Iterable[Any]]  # all runs at once, or one after the other


def ours() -> Contest:
    from magnitudes.evaluation import evaluate, judged
    from magnitudes.files.containers.archives import open_members
    from magnitudes.files.labels.qrels import read_qrels
    from magnitudes.measures.names import parse

    measures = [parse("nDCG@10"), parse("ERR@10")]

    def run(qrels: Path, runs: list[Path]) -> object:
        known = judged(read_qrels(open_members([qrels])))
        return list(evaluate(known, open_members(runs), measures))

    return run


def pytrec_eval(hold: Hold) -> Contest:
    import pytrec_eval as peer

    def parsed(path: Path, parse: Callable[[Any], Any]) -> Any:
        with path.open() as file:
            return parse(file)

    def run(qrels: Path, runs: list[Path]) -> object:
        evaluator = peer.RelevanceEvaluator(parsed(qrels, peer.parse_qrel), {"ndcg_cut.10"})
        return [
            evaluator.evaluate(run) for run in hold(parsed(path, peer.parse_run) for path in runs)
        ]

    return run


def ranx(hold: Hold) -> Contest:
    import ranx as peer

    def run(qrels: Path, runs: list[Path]) -> object:
        labels = peer.Qrels.from_file(str(qrels), kind="trec")
        lists = hold(peer.Run.from_file(str(path), kind="trec") for path in runs)
        return [peer.evaluate(labels, run, "ndcg@10", return_mean=False) for run in lists]

    with tempfile.TemporaryDirectory() as name:  # compiles
        small = Path(name) / "small"
        small.write_text("1 0 a 1\n1 0 b 0\n")
        system = Path(name) / "run"
        system.write_text("1 Q0 a 1 2 x\n1 Q0 b 2 1 x\n")
        run(small, [system])
    return run


def ir_measures(hold: Hold) -> Contest:
    import ir_measures as peer

    def run(qrels: Path, runs: list[Path]) -> object:
        labels = list(peer.read_trec_qrels(str(qrels)))
        evaluator = peer.evaluator([peer.nDCG @ 10], labels)
        lists = hold(list(peer.read_trec_run(str(path))) for path in runs)
        return [list(evaluator.iter_calc(run)) for run in lists]

    return run


PEERS: dict[str, Callable[[Hold], Contest]] = {
    "pytrec_eval": pytrec_eval,
    "ranx": ranx,
    "ir_measures": ir_measures,
}
PACKAGES = ("pytrec-eval-terrier", "ranx", "ir-measures")
ONE_BY_ONE = ", one by one"
CONTESTANTS: dict[str, Callable[[], Contest]] = {
    "evaluate": ours,
    **{name: partial(peer, list) for name, peer in PEERS.items()},
    **{name + ONE_BY_ONE: partial(peer, iter) for name, peer in PEERS.items()},
}


def contest(name: str, qrels: Path, runs: list[Path]) -> dict[str, float]:
    """One contestant, in this process."""
    warnings.simplefilter("ignore")
    run = CONTESTANTS[name]()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    begin = time.perf_counter()
    kept = run(qrels, runs)
    seconds = time.perf_counter() - begin
    assert kept
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    kilobytes = 1 if sys.platform == "linux" else 1024
    return {"seconds": seconds, "megabytes": (peak - before) / kilobytes / 1024}


def in_its_own_process(name: str, qrels: Path, runs: Path) -> dict[str, float]:
    done = subprocess.run(
        [sys.executable, "-m", "bench.evaluate_runs", "--contest", name, str(qrels), str(runs)],
        stdout=subprocess.PIPE,
        check=True,
        text=True,
        env=ENVIRONMENT,
    )
    found: dict[str, float] = json.loads(done.stdout)
    return found


# --- values alone -----------------------------------------------------------------------------


def in_memory(qrels: Path, runs: Path) -> float:
    """How many times as fast values come from codes as pytrec_eval's do from dictionaries."""
    import pytrec_eval as peer

    from magnitudes.evaluation import judged, measured
    from magnitudes.files.containers.archives import open_members
    from magnitudes.files.ids import decoded
    from magnitudes.files.judged_runs import Cut, read_judged_runs
    from magnitudes.files.labels.qrels import read_qrels
    from magnitudes.files.runs import read_runs
    from magnitudes.measures.names import parse

    known = judged(read_qrels(open_members([qrels])))
    found = read_judged_runs(open_members([runs]), known.documents, [Cut(TOP)])
    codes = {False: np.stack([run.codes[0] for run in found])}
    measures = [parse("nDCG@10"), parse("ERR@10")]
    with qrels.open() as file:
        evaluator = peer.RelevanceEvaluator(peer.parse_qrel(file), {"ndcg_cut.10"})
    # pytrec_eval keeps scores as float32: whole numbers are in its order as in ours.
    tops = [
        {
            query_id: dict(zip(decoded(topic.doc_ids[:TOP]), range(TOP, 0, -1), strict=True))
            for query_id, topic in run.topics.items()
        }
        for run in read_runs(open_members([runs]))
    ]
    values, _ = measured(known, codes, measures)
    theirs = [evaluator.evaluate(top) for top in tops]
    expected = [[of[query_id]["ndcg_cut_10"] for query_id in known.query_ids] for of in theirs]
    np.testing.assert_allclose(values[0], expected, rtol=0, atol=1e-12)
    we, they = best(
        30,
        lambda: measured(known, codes, measures),
        lambda: [evaluator.evaluate(top) for top in tops],
    )
    print(f"values alone: {we * 1e3:.2f} ms, pytrec_eval {they * 1e3:.1f} ms")
    return we / they


# --- whole processes --------------------------------------------------------------------------


def as_processes(qrels: Path, runs: Path) -> float:
    measures = ["--measures", "nDCG@10", "ERR@10"]
    command = ["-m", "magnitudes", "evaluate", str(qrels), str(runs), *measures]
    script = ["-c", PYTREC_SCRIPT, str(qrels), str(runs)]

    def process(arguments: list[str]) -> None:
        command, quiet = [sys.executable, *arguments], subprocess.DEVNULL
        subprocess.run(command, check=True, stdout=quiet, stderr=quiet, env=ENVIRONMENT)

    we, they = best(5, lambda: process(command), lambda: process(script))
    print(f"whole process: {we:.2f} s, a script with pytrec_eval {they:.2f} s")
    return we / they


def main() -> int:
    missed = 0
    with tempfile.TemporaryDirectory() as name:
        qrels, runs = Path(name) / "qrels", Path(name) / "runs"
        runs.mkdir()
        make_up(qrels, runs)
        found: dict[str, list[dict[str, float]]] = {who: [] for who in CONTESTANTS}
        for _ in tqdm(range(TURNS), desc="turns"):
            for who in list(CONTESTANTS)[1:]:
                found["evaluate"].append(in_its_own_process("evaluate", qrels, runs))
                found[who].append(in_its_own_process(who, qrels, runs))
        took, held = (
            {who: min(turn[what] for turn in turns) for who, turns in found.items()}
            for what in ("seconds", "megabytes")
        )
        print("|                          | seconds |  MB |\n|---|---:|---:|")
        for who in CONTESTANTS:
            print(f"| {who:24} | {took[who]:7.2f} | {held[who]:3.0f} |")
        print(", ".join(f"{name} {version(name)}" for name in ("numpy", *PACKAGES)))
        for who, times in QUICKER.items():
            quick = took[who + ONE_BY_ONE] / took["evaluate"]
            print(f"{who}: one by one {quick:.1f} times as long; 1/{times} or less: ", end="")
            missed += verdict(took["evaluate"] / took[who], 1 / times)
        print(f"1/{SMALLER} of the memory of pytrec_eval or less: ", end="")
        missed += verdict(held["evaluate"] / held["pytrec_eval"], 1 / SMALLER)
        missed += verdict(in_memory(qrels, runs), 1 / QUICKER_IN_MEMORY)
    if data := OPTIONS.parse_args().data:
        with tempfile.TemporaryDirectory() as name:
            put_runs(Path(name), data)
            qrels = data / "trec8" / "qrels.trec8.adhoc.txt"
            missed += verdict(as_processes(qrels, Path(name)), 1 / QUICKER_AS_PROCESS)
    return int(missed > 0)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--contest"]:
        who, labels, folder = sys.argv[2:]
        print(json.dumps(contest(who, Path(labels), sorted(Path(folder).iterdir()))))
    else:
        sys.exit(main())
