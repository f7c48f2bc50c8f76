"""What the command line does, with options in and lines out: no database, no framework.

Each module has HELP, `add_arguments` and `run`, which takes the options and a function for what is
to be said beside the output, on stderr, line by line.
"""

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from io import TextIOBase
from typing import TextIO, TypeAlias

from magnitudes.comparison import ComparisonError
from magnitudes.files.errors import BadFile
from magnitudes.gains import GainError
from magnitudes.measures.names import MeasureNameError

Say: TypeAlias = Callable[[str], object]


class UsageError(ValueError):
    """Options that do not go together, or cannot have their value."""


FAULTS = (UsageError, BadFile, MeasureNameError, GainError, ComparisonError)


def print_lines(out: TextIO | TextIOBase, lines: Iterable[str]) -> None:
    """Write lines as they are; that nobody reads them to their end, as in `| head`, is no fault."""
    try:
        out.writelines(lines)
        out.flush()
    except BrokenPipeError:
        # What is left must not be written when Python ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@contextmanager
def progress_of(total: int) -> Iterator[Callable[[int], object]]:
    """A bar on stderr for so many bytes, where that is a terminal and tqdm is there."""
    # tqdm takes half as long to import as NumPy.
    if not (sys.stderr.isatty() and find_spec("tqdm")):
        yield lambda _: None
        return
    from tqdm import tqdm

    with tqdm(total=total, unit="B", unit_scale=True, file=sys.stderr) as bar:
        yield bar.update
