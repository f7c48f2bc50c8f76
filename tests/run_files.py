"""Files of runs, made up; for tests and benchmarks, with Django and without."""

from pathlib import Path

import numpy as np
from tqdm import tqdm

DOC_IDS = [f"FT{9000 + n % 97}-{n}" for n in range(20_000)]  # of long runs, on every topic
TOP, BEST = 10, 40  # the first ten documents of a long run are of the first 40 of these


def write_runs(folder: Path, topics: int = 18, *, runs: int = 129, depth: int = 1000) -> None:
    """Write runs like those of TREC-8: scores with few digits, hence ties; zero-based ranks."""
    rng = np.random.default_rng(8)
    doc_ids = np.array(DOC_IDS)
    for run in tqdm(range(runs), desc="making up runs"):
        with (folder / f"run{run:03}.run").open("w") as out:
            for topic in range(401, 401 + topics):
                scores = np.sort(rng.gamma(2, 3, depth))[::-1]
                scores[:TOP] += 20
                scores = scores.round(4 - run % 4)
                best = rng.choice(BEST, TOP, replace=False)
                others = BEST + rng.choice(len(doc_ids) - BEST, depth - TOP, replace=False)
                ranked = zip(doc_ids[np.append(best, others)], scores.tolist(), strict=True)
                out.writelines(
                    f"{topic}\tQ0\t{doc_id}\t{rank}\t{score}\trun{run}\n"
                    for rank, (doc_id, score) in enumerate(ranked)
                )
