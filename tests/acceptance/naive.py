"""Rankings computed a second time, from an export of raw judgments and from run files.

Plain Python without an import of the product: loops where it has arrays, its own reading and
sorting of runs. As a script: `python naive.py judgments.jsonl FOLDER-OF-RUNS` prints JSON.
"""

import json
import math
import sys
from pathlib import Path
from typing import Any


def mean(numbers: list[float]) -> float:
    return math.fsum(numbers) / len(numbers)


def median(numbers: list[float]) -> float:
    ordered = sorted(numbers)
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2


def gains(judgments: list[dict[str, Any]]) -> dict[str, dict[str, float]]:
    """Topic -> document -> median of its scores, each unit moved to the topic's geometric mean."""
    topics: dict[str, dict[str, list[tuple[str, float]]]] = {}
    for row in judgments:
        unit = topics.setdefault(row["query_id"], {}).setdefault(row["unit"], [])
        unit.append((row["doc_id"], float(row["score"])))
    found = {}
    for query_id, units in topics.items():
        gamma = mean([math.log(score) for unit in units.values() for _, score in unit])
        moved: dict[str, list[float]] = {}
        for unit in units.values():
            gamma_u = mean([math.log(score) for _, score in unit])
            for doc_id, score in unit:
                moved.setdefault(doc_id, []).append(math.exp(math.log(score) + gamma - gamma_u))
        found[query_id] = {doc_id: median(scores) for doc_id, scores in moved.items()}
    return found


def read_run(text: str) -> tuple[str, dict[str, list[str]]]:
    """The tag, and topic -> documents: score descending, then id descending by its bytes."""
    lines: dict[str, list[tuple[float, bytes]]] = {}
    tag = ""
    for line in text.splitlines():
        query_id, _, doc_id, _, score, tag = line.split()
        lines.setdefault(query_id, []).append((float(score), doc_id.encode()))
    return tag, {
        query_id: [doc_id.decode() for _, doc_id in sorted(ranked, reverse=True)]
        for query_id, ranked in lines.items()
    }


def ndcg(ranked: list[float], judged: list[float], k: int) -> float:
    """G_1 + sum over i >= 2 of G_i / log2(i), as a share of the best there can be."""

    def dcg(listed: list[float]) -> float:
        return sum(gain / (math.log2(i) if i > 1 else 1) for i, gain in enumerate(listed[:k], 1))

    ideal = dcg(sorted(judged, reverse=True))
    return dcg(ranked) / ideal if ideal else 0.0


def err(ranked: list[float], judged: list[float], k: int) -> float:
    """The sum over i of R_i / i, times the chance of coming to i."""
    largest = max(judged)
    value, reached = 0.0, 1.0
    for i, gain in enumerate(ranked[:k], 1):
        stops = 2.0 ** (gain - largest) - 2.0**-largest
        value += reached * stops / i
        reached *= 1 - stops
    return value


MEASURES = {"nDCG(dcg='jk')@10": ndcg, "ERR@10": err}


def values(
    judged: dict[str, dict[str, float]], runs: dict[str, dict[str, list[str]]], k: int = 10
) -> dict[str, dict[str, dict[str, float]]]:
    """Measure -> run -> topic -> value, and `all` for the mean over the topics with a gain."""
    found: dict[str, dict[str, dict[str, float]]] = {}
    for name, measure in MEASURES.items():
        found[name] = {}
        for tag, topics in runs.items():
            per_topic = {
                query_id: measure(
                    [known.get(doc_id, 0.0) for doc_id in topics.get(query_id, [])],
                    list(known.values()),
                    k,
                )
                for query_id, known in judged.items()
            }
            found[name][tag] = {**per_topic, "all": mean(list(per_topic.values()))}
    return found


def main() -> None:
    export, folder = map(Path, sys.argv[1:])
    judgments = [json.loads(line) for line in export.read_text(encoding="utf-8").splitlines()]
    runs = dict(read_run(path.read_text(encoding="utf-8")) for path in sorted(folder.iterdir()))
    judged = gains(judgments)
    print(json.dumps({"gains": judged, "values": values(judged, runs)}))  # noqa: T201


if __name__ == "__main__":
    main()
