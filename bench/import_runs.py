"""How much longer it takes to import runs, up to the commit, than pyarrow's CSV reader alone.

    python -m bench.import_runs [DATA]

DATA is a folder that holds runs or archives of them, such as that of the TREC-8 collection
(trec8/runs_*.tar.xz is used where it exists). Without it, a collection of that size is made up.
Both read the same unpacked files, turn by turn; each import fills a collection that is empty but
for its topics. The median of several turns counts. Ends with 1 when the ratio is above 15.
"""

import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from bench import parse_runs
from bench.site import making
from bench.site.running import scratch_database
from bench.site.verdict import verdict
from judging.collections.importing import import_collection
from judging.models import Collection

TURNS = 5
LIMIT = 15


def import_seconds(folder: Path, turn: int) -> tuple[float, str]:
    """Import into a new collection, which is deleted again; the seconds, and what came of it."""
    slug = f"bench-{turn}"
    making.make_collection(map(str, range(401, 451)), slug)
    begin = time.perf_counter()
    done = import_collection(slug, runs=[folder])
    taken = time.perf_counter() - begin
    if done.unknown_topics:
        raise RuntimeError(f"topics left out: {', '.join(sorted(done.unknown_topics))}")
    Collection.objects.get(slug=slug).delete()
    return taken, f"{done.runs} runs, {done.lists} lists"


def main() -> int:
    with tempfile.TemporaryDirectory() as name, scratch_database():
        folder = Path(name)
        if len(sys.argv) > 1:
            parse_runs.unpack(Path(sys.argv[1]), folder)
        else:
            parse_runs.make_up(folder)
        files = sorted(folder.iterdir())
        turns = [
            (*parse_runs.seconds(parse_runs.with_pyarrow, files), *import_seconds(folder, turn))
            for turn in range(TURNS)
        ]
    alone, lines, ours, stored = zip(*turns, strict=True)
    print(f"files   {len(files)}, lines {lines[0]}, stored {stored[0]}")
    for name, taken in (("pyarrow", alone), ("import", ours)):
        print(f"{name:7} median {median(taken):.3f} s, least {min(taken):.3f} s, n = {TURNS}")
    return verdict(median(ours) / median(alone), LIMIT)


if __name__ == "__main__":
    sys.exit(main())
