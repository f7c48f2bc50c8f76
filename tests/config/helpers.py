"""What the tests of the embedded servers and of the supervisor share."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from embedded import sharing

ROOT = Path(__file__).resolve().parents[2]


def environment(var_dir: Path, **more: str) -> dict[str, str]:
    variables = {**os.environ, "VAR_DIR": str(var_dir), **more}
    variables.pop("DATABASE_URL", None)
    variables.pop("REDIS_URL", None)
    return variables


def until(condition: Callable[[], Any], seconds: float) -> float:
    start = time.monotonic()
    while not condition():
        assert time.monotonic() - start < seconds, f"not within {seconds} s"
        time.sleep(0.02)
    return time.monotonic() - start


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port: int = probe.getsockname()[1]
        return port


def processes(*words: str, parent: int | None = None) -> list[int]:
    """The processes with one of `words` in their command lines; only children of `parent`."""
    listing = subprocess.run(
        ["ps", "-A", "-ww", "-o", "pid=,ppid=,stat=,args="],
        capture_output=True,
        text=True,
        check=True,
    )
    found = (line.split(maxsplit=3) for line in listing.stdout.splitlines())
    return [
        int(pid)
        for pid, ppid, state, *arguments in found
        if not state.startswith("Z")
        and parent in (None, int(ppid))
        and any(word in " ".join(arguments) for word in words)
    ]


def kill_session(process: "subprocess.Popen[Any]") -> None:
    """Kill the processes of a session; wait until the first is gone."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def servers_left(var_dir: Path) -> list[int]:
    return processes(str(var_dir), str(sharing.socket_folder(var_dir)))


class User:
    """A process that uses the embedded servers of a VAR_DIR."""

    def __init__(self, var_dir: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.config.user"],
            cwd=ROOT,
            env=environment(var_dir),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def send(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{line}\n")
        self.process.stdin.flush()

    def receive(self) -> Any:
        assert self.process.stdout is not None
        return json.loads(self.process.stdout.readline())

    def __call__(self, line: str) -> Any:
        self.send(line)
        return self.receive()

    def leave(self) -> None:
        self.process.communicate()
        assert self.process.returncode == 0

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate()


@contextmanager
def user(var_dir: Path) -> Iterator[User]:
    one = User(var_dir)
    try:
        yield one
    finally:
        one.process.communicate()
