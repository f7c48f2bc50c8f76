"""What a run keeps in files as it goes, so that it can go on where it was ended, however it was.

Every line is written before what it tells of happens, or as soon as it is known, and then is in the
hands of the system: a harness that is killed has lost none but, at most, the one it was writing.
"""

import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import IO, Any

from tests.faults.fault import Strike
from tests.faults.record import Form, Record

Line = list[Any]


class KeptRecord(Record):
    """A record that is in a file as well.

    Of requests that were under way when a run ended nothing was heard.
    """

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._file: IO[str] | None = None
        under_way: list[int] = []
        for method, said in lines(path):
            made = getattr(self, method)(*said)
            if isinstance(made, Form):
                under_way.append(made.number)
            elif method in ("heard", "unheard") and said[0] in under_way:
                under_way.remove(said[0])
        self._file = open_lines(path)
        for number in under_way:
            self.unheard(number)

    def note(self, method: str, said: tuple[Any, ...]) -> None:
        """Write it down."""
        if self._file:
            write(self._file, [method, said])

    def close(self) -> None:
        """Write no more."""
        if self._file:
            self._file.close()
            self._file = None


class Kept:
    """All that is known of a run. Its folder is made, or what is in it is read."""

    def __init__(self, folder: Path, seed: int) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.record = KeptRecord(folder / "record.jsonl")
        self.strikes = list(_latest(Strike(**told) for told in lines(folder / "strikes.jsonl")))
        self.wrong: list[tuple[str, str]] = [
            (check, said) for check, said in lines(folder / "wrong.jsonl")
        ]
        self._strikes, self._wrong, self._runs = (
            open_lines(folder / f"{name}.jsonl") for name in ("strikes", "wrong", "runs")
        )
        runs = list(lines(folder / "runs.jsonl"))
        self.run = len(runs) + 1
        self.seed: int = runs[0]["seed"] if runs else seed
        write(self._runs, {"run": self.run, "seed": self.seed})

    def struck(self, strike: Strike) -> None:
        """The site was struck, or has recovered."""
        write(self._strikes, asdict(strike))
        if strike not in self.strikes:
            self.strikes.append(strike)

    def complain(self, check: str, said: str) -> None:
        """Something is wrong, whatever comes of the rest."""
        if (check, said) not in self.wrong:
            self.wrong.append((check, said))
            write(self._wrong, [check, said])

    def close(self) -> None:
        """Write no more."""
        for file in (self._strikes, self._wrong, self._runs, self.record):
            file.close()


def _latest(strikes: Iterator[Strike]) -> Iterator[Strike]:
    """What was written last of each; without those that were being seen through at the end."""
    by_moment = {strike.at: strike for strike in strikes}
    return (strike for strike in by_moment.values() if strike.seconds is not None)


def lines(path: Path) -> Iterator[Any]:
    """The lines of a file, if there is one; the last may have been cut off."""
    if not path.exists():
        return
    for line in path.read_text().splitlines(keepends=True):
        if line.endswith("\n"):
            yield json.loads(line)


def open_lines(path: Path) -> IO[str]:
    """A file to which whole lines are added; what is left of one is taken away."""
    if path.exists():
        said = path.read_bytes()
        with path.open("r+b") as file:
            file.truncate(said.rfind(b"\n") + 1)
    return path.open("a", buffering=1)


def write(file: IO[str], told: Any) -> None:
    """Add a line."""
    file.write(json.dumps(told) + "\n")
