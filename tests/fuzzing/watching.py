"""One input given to a reader: what it raised, how long it took, how much memory it wanted."""

import resource
import signal
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from tests.fuzzing import OURS
from tests.fuzzing.reader import Reader

ROOT = Path(__file__).parent.parent.parent
SECONDS = 1.0  # of processor time, for an input
PATIENCE = 5.0  # until one is stopped
AGAIN = 2  # times that one which took too long is read again: the machine may have been busy
MEMORY = 200 << 20  # bytes


class TooLong(BaseException):
    """A reader does not come to an end."""


@dataclass(frozen=True)
class Find:
    """A fault. what: its kind, as 'ValueError' or 'slow'; where: the place in our code, if any."""

    reader: str
    what: str
    where: str
    data: bytes

    @property
    def same(self) -> tuple[str, str, str]:
        """What finds have in common that are probably one fault."""
        return self.reader, self.what, self.where


def _stop(signum: int, frame: FrameType | None) -> None:
    raise TooLong


@contextmanager
def stopped_in_time() -> Iterator[None]:
    """Raise TooLong where what is within does not come to an end."""
    before = signal.signal(signal.SIGVTALRM, _stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, PATIENCE)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def peak() -> int:
    """The most memory that this process has had, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10


class Watch:
    """Gives a reader its inputs. slowest: the processor time of the slowest, in seconds."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self.slowest = 0.0

    def give(self, data: bytes) -> Find | None:
        """What is wrong with the way in which an input is read, if anything."""
        before = peak()
        seconds, fault = self._timed(data)
        for _ in range(AGAIN):
            if seconds > SECONDS:
                again, fault = self._timed(data)
                seconds = min(seconds, again)
        self.slowest = max(self.slowest, seconds)
        if fault:
            return fault
        if seconds > SECONDS:
            return Find(self.reader.name, "slow", "", data)
        if peak() - before > MEMORY:
            return Find(self.reader.name, "memory", "", data)
        return None

    def _timed(self, data: bytes) -> tuple[float, Find | None]:
        began, fault = time.process_time(), None
        try:
            with stopped_in_time():
                self.reader.read(data)
        except self.reader.refuses:
            pass
        except TooLong:
            return PATIENCE, None  # by the timer, whose measure is coarser
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:
            fault = Find(self.reader.name, type(error).__qualname__, _place(error), data)
        return time.process_time() - began, fault


def _place(error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    for frame in reversed(frames):
        path = Path(frame.filename)
        if path.is_relative_to(ROOT) and path.relative_to(ROOT).parts[0] in OURS:
            return f"{path.relative_to(ROOT)}:{frame.lineno}"
    return f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""


def smaller(reader: Reader, find: Find, tries: int = 300) -> Find:
    """The same fault by as few bytes as some tries find; of what is slow, the bytes as they are."""
    watch, data = Watch(reader), find.data
    size = len(data) // 2 if find.where else 0
    while size and tries > 0:
        start = 0
        while start < len(data) and tries > 0:
            tries -= 1
            shorter = data[:start] + data[start + size :]
            _, other = watch._timed(shorter)
            if other and other.same == find.same:
                data = shorter
            else:
                start += size
        size //= 2
    return Find(find.reader, find.what, find.where, data)
