"""How much longer it takes to read runs, checked and ordered, than pyarrow's CSV reader alone.

    python -m bench.parse_runs [DATA]

DATA is a folder that holds runs or archives of them, such as that of the TREC-8 collection
(trec8/runs_*.tar.xz is used where it exists). Without it, a collection is made up: as many
runs, topics and ties as TREC-8 has. Both read the same unpacked files; the best of several
turns counts. Ends with 1 when the ratio is above 4.
"""

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from pyarrow import csv
from tqdm import tqdm

from bench.site.verdict import verdict
from magnitudes.files.containers.archives import open_members
from magnitudes.files.runs import read_runs

TURNS = 5
LIMIT = 4
RUNS, TOPICS, DEPTH, DOCUMENTS = 129, 18, 1000, 20_000


def make_up(folder: Path) -> None:
    """Write runs like those of TREC-8: scores with few digits, hence ties; zero-based ranks."""
    random = np.random.default_rng(8)
    doc_ids = np.array([f"FT{9000 + n % 97}-{n}" for n in range(DOCUMENTS)])
    for run in tqdm(range(RUNS), desc="making up runs"):
        with (folder / f"run{run}.run").open("w") as out:
            for topic in range(401, 401 + TOPICS):
                scores = np.sort(random.gamma(2, 3, DEPTH).round(4 - run % 4))[::-1].tolist()
                chosen = random.choice(doc_ids, DEPTH, replace=False)
                out.writelines(
                    f"{topic}\tQ0\t{doc_id}\t{rank}\t{score}\trun{run}\n"
                    for rank, (doc_id, score) in enumerate(zip(chosen, scores, strict=True))
                )


def unpack(data: Path, folder: Path) -> None:
    """Write every run under `data` as a plain file of its own."""
    archives = sorted(data.glob("trec8/runs_*.tar.xz")) or [data]
    for number, member in enumerate(tqdm(open_members(archives), desc="unpacking")):
        (folder / f"{number:04}.run").write_bytes(member.stream.read())


def with_pyarrow(files: list[Path]) -> int:
    lines = 0
    for file in files:
        with file.open() as text:
            options = csv.ParseOptions(delimiter="\t" if "\t" in text.readline() else " ")
        names = csv.ReadOptions(autogenerate_column_names=True)
        lines += csv.read_csv(file, names, options).num_rows
    return lines


def with_trec(files: list[Path]) -> int:
    runs = read_runs(open_members(files))
    return sum(len(topic.scores) for run in runs for topic in run.topics.values())


def seconds(read: Callable[[list[Path]], int], files: list[Path]) -> tuple[float, int]:
    begin = time.perf_counter()
    lines = read(files)
    return time.perf_counter() - begin, lines


def main() -> int:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if len(sys.argv) > 1:
            unpack(Path(sys.argv[1]), folder)
        else:
            make_up(folder)
        files = sorted(folder.iterdir())
        # Turn by turn, so that a busy moment of the machine meets both.
        turns = [(seconds(with_pyarrow, files), seconds(with_trec, files)) for _ in range(TURNS)]
    alone = min(turn[0][0] for turn in turns)
    ours = min(turn[1][0] for turn in turns)
    lines = {count for turn in turns for _, count in turn}
    print(f"files   {len(files)}, lines {', '.join(map(str, sorted(lines)))}")
    print(f"pyarrow {alone:.3f} s")
    print(f"trec    {ours:.3f} s, checked and in order")
    if len(lines) > 1:
        raise RuntimeError("the two did not read the same number of lines")
    return verdict(ours / alone, LIMIT)


if __name__ == "__main__":
    sys.exit(main())
