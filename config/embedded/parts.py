"""The processes that the supervisor runs, and how none of them is left behind."""

import ctypes
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

BASE_DIR = Path(__file__).resolve().parents[2]
LINUX = sys.platform == "linux"
MAX_LOG_BYTES = 20 << 20  # of the log of a part, and of the one before it
RESTART_SECONDS = 2.0  # at least this long between two starts of a part
PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
_library = ctypes.CDLL(None)


def adopt_orphans() -> None:
    """What loses its parent below this process becomes its child, so that `reap` can see it off.

    Linux only; elsewhere that is left to init.
    """
    if LINUX:
        _library.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _end_with_parent() -> None:
    """TERM for this process when the supervisor ends, however it ends. Linux only."""
    if LINUX:
        _library.prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)


def spawn(command: Sequence[str], **options: Any) -> subprocess.Popen[bytes]:
    """Run `command` in a session of its own.

    So the terminal's Ctrl-C reaches the supervisor alone, which stops everything in order, and
    what is left of a process that was killed can be killed after it.
    """
    return subprocess.Popen(  # noqa: S603
        command,
        cwd=BASE_DIR,
        stdin=subprocess.DEVNULL,
        start_new_session=True,
        preexec_fn=_end_with_parent,  # safe: the supervisor has only one thread
        **options,
    )


def kill_session(process: subprocess.Popen[bytes]) -> None:
    """Kill it, and what is left of its children; wait until they are gone."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    with suppress(ChildProcessError):
        while True:
            os.waitpid(-process.pid, 0)


class Part:
    """A process that is to run for as long as the supervisor does."""

    def __init__(
        self, name: str, command: Sequence[str], log: Path, descriptors: Sequence[int] = ()
    ) -> None:
        self.name = name
        self.command = command
        self.log = log
        self.descriptors = descriptors
        self._start()

    def _start(self) -> None:
        self.started = time.monotonic()
        with self.log.open("ab") as log:
            self.process = spawn(self.command, stdout=log, stderr=log, pass_fds=self.descriptors)
        self.is_seen_off = False  # what is left of it when it has ended

    def rotate_log(self) -> None:
        """Move a long log to NAME.log.1, in the place of the one before.

        It is copied and cut, as the process goes on writing to the same file, at its end. Lines
        between the two are lost. Where it cannot be copied it stays.
        """
        with suppress(OSError):
            if self.log.stat().st_size > MAX_LOG_BYTES:
                shutil.copyfile(self.log, self.log.with_name(f"{self.log.name}.1"))
                os.truncate(self.log, 0)

    def ended(self) -> bool:
        """Whether it has ended."""
        return self.process.poll() is not None

    def start_again(self) -> bool:
        """Start it if it has ended, unless that would be too soon after the last start.

        Where its log cannot be written to, as the disk is read-only, it is tried again.
        """
        if not self.ended() or time.monotonic() - self.started < RESTART_SECONDS:
            return False
        if not self.is_seen_off:
            kill_session(self.process)
            self.is_seen_off = True
        try:
            self._start()
        except OSError:
            return False
        return True


def stop(processes: Sequence[subprocess.Popen[bytes]], seconds: float) -> None:
    """Ask them to end, in order; kill what has not after that many seconds."""
    deadline = time.monotonic() + seconds
    for process in processes:
        process.terminate()
    for process in processes:
        with suppress(subprocess.TimeoutExpired):
            process.wait(max(0.0, deadline - time.monotonic()))
        kill_session(process)


def reap(parts: Iterable[Part]) -> None:
    """See off adopted children that have ended; `parts` are asked themselves."""
    own = {part.process.pid for part in parts}
    with suppress(ChildProcessError):
        while ended := os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT):
            if ended.si_pid in own:
                return
            os.waitpid(ended.si_pid, 0)


class Make:
    """The `make` that runs this process, if one does.

    It passes a TERM on; but sent an INT or HUP that did not go to this process as well, it only
    waits. What shows then is that it no longer catches that signal. Linux only.
    """

    def __init__(self) -> None:
        self.process = os.getppid()
        self.caught = self._caught() if self._is_make() else ""

    def _is_make(self) -> bool:
        """Not some other program that a make runs: what that does with signals is its own."""
        with suppress(OSError):
            return Path(f"/proc/{self.process}/comm").read_text().strip().endswith("make")
        return False

    def wants_to_stop(self) -> bool:
        """Whether it was sent such a signal, or is gone."""
        return bool(self.caught) and self._caught() != self.caught

    def _caught(self) -> str:
        with suppress(OSError):
            for line in Path(f"/proc/{self.process}/status").read_text().splitlines():
                if line.startswith("SigCgt:"):
                    return line
        return ""
