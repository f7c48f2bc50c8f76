"""Output of commands that others read on: files, tables, values."""

import os
import sys
from collections.abc import Iterable

from django.core.management.base import OutputWrapper


def print_lines(out: OutputWrapper, lines: Iterable[str]) -> None:
    """Write lines as they are; that nobody reads them to their end, as in `| head`, is no fault."""
    out.ending = ""
    try:
        out.writelines(lines)
        out.flush()
    except BrokenPipeError:
        # What is left must not be written when Python ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
