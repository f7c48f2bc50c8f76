"""The one error that every reader of files raises."""

from typing import NamedTuple

_LONGEST_SHOWN = 60


class BadFile(ValueError):
    """A file that is not what it should be: where, what is wrong, and what was expected.

    `line` counts from 1, and is None where the fault concerns the file as a whole.
    """

    def __init__(self, file: str, problem: str, expected: str, line: int | None = None) -> None:
        # All four go to ValueError, so that the error survives pickling between processes.
        super().__init__(file, problem, expected, line)
        self.file = file
        self.problem = problem
        self.expected = expected
        self.line = line

    def __str__(self) -> str:
        # A file's name need not be valid text; a message has to be.
        file = self.file.encode(errors="replace").decode()
        where = file if self.line is None else f"{file}, line {self.line}"
        return f"{where}: {self.problem}; expected {self.expected}"


class Place(NamedTuple):
    """A line of a file, for messages."""

    file: str
    line: int

    def bad(self, problem: str, expected: str) -> BadFile:
        return BadFile(self.file, problem, expected, self.line)


def shown(text: str) -> str:
    """`text` in quotes, on one line, and cut when it is long."""
    return repr(text if len(text) <= _LONGEST_SHOWN else text[:_LONGEST_SHOWN] + "…")
