"""How much longer it takes to read runs, checked and ordered, than pyarrow's CSV reader alone.

    python -m bench.parse_runs [DATA]

DATA is a folder that holds runs or archives of them, such as that of the TREC-8 collection
(trec8/runs_*.tar.xz is used where it exists). Without it, a collection is made up: as many
runs, topics and ties as TREC-8 has. Both read the same unpacked files; the best of several
turns counts. Ends with 1 when the ratio is above 4.
"""

import sys
import tempfile
from pathlib import Path

from pyarrow import csv
from tqdm import tqdm

from bench.site.command import best, options, verdict
from magnitudes.files.containers.archives import open_members
from magnitudes.files.runs import read_runs
from tests.run_files import write_runs

OPTIONS = options(__doc__)
TURNS = 5
LIMIT = 4


def put_runs(folder: Path, data: Path | None) -> list[Path]:
    """Every run under `data` as a plain file of its own, or runs that are made up."""
    if data is None:
        write_runs(folder)
    else:
        archives = sorted(data.glob("trec8/runs_*.tar.xz")) or [data]
        for number, member in enumerate(tqdm(open_members(archives), desc="unpacking")):
            (folder / f"{number:04}.run").write_bytes(member.stream.read())
    return sorted(folder.iterdir())


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


def main() -> int:
    with tempfile.TemporaryDirectory() as name:
        files = put_runs(Path(name), OPTIONS.parse_args().data)
        lines = {with_pyarrow(files), with_trec(files)}
        alone, ours = best(TURNS, lambda: with_pyarrow(files), lambda: with_trec(files))
    print(f"files   {len(files)}, lines {', '.join(map(str, sorted(lines)))}")
    print(f"pyarrow {alone:.3f} s")
    print(f"trec    {ours:.3f} s, checked and in order")
    if len(lines) > 1:
        raise RuntimeError("the two did not read the same number of lines")
    return verdict(ours / alone, LIMIT)


if __name__ == "__main__":
    sys.exit(main())
