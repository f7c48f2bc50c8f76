"""What a judgment takes of a machine, here and in Potato, in turns on the same one.

    python -m bench.judging_peers [--annotators 1,8,32,128] [--rounds 3]

Potato is an annotation tool for text, pinned in bench/peers/potato.py and installed into an
environment of its own. Both run as their documents start them, with the same texts: here `make run`
with PostgreSQL's durability, there the command of its container. Annotators judge eight documents
each, first without a pause, then with PAUSE seconds before every judgment. Shown of each: judgments
a second, how long one takes from the form to the page that follows, the processor time of a
judgment by part, the memory of all processes; medians over rounds.

Ends with 1 when a limit is missed; limits are for two processors without other work.
"""

import sys
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from multiprocessing import get_context
from statistics import median

import numpy as np

from bench.peers import annotators, here, potato
from bench.peers.peer import Peer
from bench.site.command import options

PAUSE = 2.0
MIN_UNITS = 64  # without a pause: 512 judgments, of which five are slower than 99%
LIMITED = (8, 32)  # annotators
MS, OF_PEER, TIMES_PEER = 12.0, 0.4, 4.0
MIB_AT_REST, MIB_AT_WORK = 400.0, 550.0
OPTIONS = options(__doc__)
OPTIONS.add_argument("--annotators", default="1,8,32,128", help="at once: some of them")
OPTIONS.add_argument("--rounds", type=int, default=3)
OPTIONS.add_argument("--no-pauses", action="store_true", help="measure without pauses only")
LINE = "{:6} {:10} {:9} {:6.1f}/s {:8.1f} {:8.1f} {:8.1f} {:8.0f}  {}"


@dataclass(frozen=True)
class Level:
    """rate: judgments a second; median, p99: milliseconds; parts: of processor; memory: MiB."""

    rate: float
    median: float
    p99: float
    parts: Mapping[str, float]
    memory: float

    @property
    def processor(self) -> float:
        return sum(self.parts.values())


def measure(peer: Peer, clients: ProcessPoolExecutor, count: int, pause: float) -> Level:
    arrived = peer.arrive(count if pause else max(count, MIN_UNITS))
    before = peer.used()
    met = clients.submit(annotators.judge, peer.name, arrived, count, pause).result()
    after, judgments = peer.used(), len(met.milliseconds)
    half, p99 = np.quantile(met.milliseconds, [0.5, 0.99]).tolist()
    parts = {part: 1000 * (after[part] - before.get(part, 0)) / judgments for part in after}
    return Level(judgments / met.seconds, half, p99, parts, peer.memory())


def median_of(levels: list[Level]) -> Level:
    """Medians over rounds."""
    return Level(
        median(level.rate for level in levels),
        median(level.median for level in levels),
        median(level.p99 for level in levels),
        {part: median(level.parts[part] for level in levels) for part in levels[0].parts},
        median(level.memory for level in levels),
    )


def show(name: str, count: int, pause: float, level: Level) -> None:
    parts = ", ".join(f"{part} {used:.1f}" for part, used in level.parts.items() if used > 0.05)
    kind = f"{pause:g} s" if pause else "none"
    figures = (level.rate, level.median, level.p99, level.processor, level.memory)
    print(LINE.format(name, f"{count:6}", kind, *figures, parts), flush=True)


def missed(found: Mapping[tuple[str, int], Level], at_rest: float) -> list[str]:
    """The limits that are not kept, of the levels that were measured."""
    missed_limits = []

    def limit(what: str, value: float, most: float) -> None:
        print(f"{what}: {value:.2f} (at most {most:.2f})")
        if value > most:
            missed_limits.append(what)

    limit("MiB when idle", at_rest, MIB_AT_REST)
    for (name, count), ours in found.items():
        if name == "here":
            theirs = found["Potato", count]
            if count in LIMITED:
                limit(f"processor ms at {count}", ours.processor, MS)
                limit(f"of Potato's at {count}", ours.processor / theirs.processor, OF_PEER)
            if count == max(LIMITED):
                limit(f"Potato's rate at {count} / ours", theirs.rate / ours.rate, 1 / TIMES_PEER)
            if count == 1:
                limit("99% at 1 / Potato's median", ours.p99 / theirs.median, 1)
            if count > max(LIMITED):
                limit(f"MiB under {count}", ours.memory, MIB_AT_WORK)
    return missed_limits


def main() -> int:
    given = OPTIONS.parse_args()
    counts = [int(count) for count in given.annotators.split(",")]
    pauses = [0.0] if given.no_pauses else [0.0, PAUSE]
    levels: dict[tuple[str, int, float], list[Level]] = {}
    with ExitStack() as stack:
        ours = stack.enter_context(here.running())
        theirs = stack.enter_context(potato.running(here.texts()))
        clients = ProcessPoolExecutor(1, get_context("spawn"))
        stack.enter_context(clients)
        at_rest = ours.memory()
        print(
            "site   annotators pause       rate   median      99%  ms CPU     MiB  ms CPU by part"
        )
        for turn in range(given.rounds):
            for pause in pauses:
                for count in counts:
                    for peer in (ours, theirs)[:: 1 if turn % 2 else -1]:
                        level = measure(peer, clients, count, pause)
                        levels.setdefault((peer.name, count, pause), []).append(level)
                        show(peer.name, count, pause, level)
    print("medians of rounds")
    medians = {key: median_of(some) for key, some in levels.items()}
    for (name, count, pause), level in medians.items():
        show(name, count, pause, level)
    fast = {(name, count): level for (name, count, pause), level in medians.items() if not pause}
    missed_limits = missed(fast, at_rest)
    print(f"fail: {', '.join(missed_limits)}" if missed_limits else "pass")
    return 1 if missed_limits else 0


if __name__ == "__main__":
    sys.exit(main())
