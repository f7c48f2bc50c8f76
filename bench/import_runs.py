"""How much longer it takes to import runs, up to the commit, than pyarrow's CSV reader alone.

    python -m bench.import_runs [DATA]

DATA is a folder that holds runs or archives of them, such as that of the TREC-8 collection
(trec8/runs_*.tar.xz is used where it exists). Without it, a collection of that size is made up.
Both read the same unpacked files, turn by turn; each import fills a collection that is empty but
for its topics. The median of several turns counts. Ends with 1 when the ratio is above 15.
"""

import sys
import tempfile
from pathlib import Path
from statistics import median

from bench.parse_runs import put_runs, with_pyarrow
from bench.site.command import in_turns, options, verdict
from bench.site.running import scratch_database
from judging.collections.importing import import_collection
from tests.factory.studies import make_collection

OPTIONS = options(__doc__)
TURNS = 5
LIMIT = 15


def import_all(folder: Path) -> None:
    """Import into a new collection."""
    done = import_collection(make_collection(50).slug, runs=[folder])
    if done.unknown_topics:
        raise RuntimeError(f"topics left out: {', '.join(sorted(done.unknown_topics))}")


def main() -> int:
    with tempfile.TemporaryDirectory() as name, scratch_database():
        folder = Path(name)
        files = put_runs(folder, OPTIONS.parse_args().data)
        taken = in_turns(TURNS, lambda: with_pyarrow(files), lambda: import_all(folder))
    for who, times in zip(("pyarrow", "import"), taken, strict=True):
        print(f"{who:7} median {median(times):.3f} s, least {min(times):.3f} s, n = {TURNS}")
    alone, ours = map(median, taken)
    return verdict(ours / alone, LIMIT)


if __name__ == "__main__":
    sys.exit(main())
