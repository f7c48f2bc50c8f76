"""What all benchmarks have: options, turns, and an end."""

import argparse
import time
from collections.abc import Callable
from pathlib import Path


def options(documentation: str | None) -> argparse.ArgumentParser:
    """A parser that knows DATA, which `make bench` gives to every benchmark."""
    parser = argparse.ArgumentParser(
        description=documentation, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", nargs="?", type=Path, help="the folder of the real collections")
    return parser


def seconds(work: Callable[[], object]) -> float:
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def in_turns(turns: int, *works: Callable[[], object]) -> list[tuple[float, ...]]:
    """The seconds of each work, by turn. A busy moment of the machine affects all of a turn."""
    taken = [[seconds(work) for work in works] for _ in range(turns)]
    return list(zip(*taken, strict=True))


def best(turns: int, *works: Callable[[], object]) -> list[float]:
    """The least seconds of each work."""
    return [min(taken) for taken in in_turns(turns, *works)]


def verdict(ratio: float, limit: float) -> int:
    """Print the closing line; the exit status, 1 when the ratio is above its limit."""
    passed = ratio <= limit
    print(f"ratio {ratio:.2f} (at most {limit:g}): {'pass' if passed else 'fail'}")
    return 0 if passed else 1
