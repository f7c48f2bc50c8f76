"""The runs of TREC-8 with as many lines as all its 50 topics have.

The runs that are public have 18 of them. Each of the others gets the lists of one of these.
"""

import io
import tarfile
from collections import defaultdict
from pathlib import Path

from tqdm import tqdm

from magnitudes.files.containers.archives import open_members

TOPICS = [str(number).encode() for number in range(401, 451)]
LEVEL = 1  # of compression: it is soon done


def make_runs(source: Path, target: Path) -> None:
    """Write an archive of runs on all topics, made of one of runs on some.

    Args:
        source: as in trec8/runs_129_18topics_depth1000.tar.xz.
        target: a .tar.gz; it has its name when it is whole.
    """
    draft = target.with_name(f"{target.name}.draft")
    with tarfile.open(draft, "w:gz", compresslevel=LEVEL) as archive:
        for number, member in enumerate(tqdm(open_members([source]), desc="making runs")):
            content = _on_all_topics(member.stream.read())
            about = tarfile.TarInfo(f"{number:03}.run")
            about.size = len(content)
            archive.addfile(about, io.BytesIO(content))
    draft.rename(target)


def _on_all_topics(run: bytes) -> bytes:
    """The lines of a run, those of topics it has in the place of those it has not."""
    lines: dict[bytes, list[bytes]] = defaultdict(list)
    for line in run.splitlines(keepends=True):
        topic, _, rest = line.lstrip().replace(b"\t", b" ", 1).partition(b" ")
        lines[topic].append(b" " + rest)
    there = sorted(lines)
    return b"".join(
        topic + rest
        for place, topic in enumerate(TOPICS)
        for rest in lines[topic if topic in lines else there[place % len(there)]]
    )
