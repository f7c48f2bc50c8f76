"""`python -m embedded.tied MODULE ...`: run a module that ends with the process that started it.

Linux only: elsewhere it is run, and has to be stopped by hand if that process is killed.
"""

import ctypes
import os
import runpy
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

PR_SET_PDEATHSIG = 1


def end_with_parent(number: int = signal.SIGTERM) -> None:
    """Have this process get a signal when the one that started it ends, however that ends."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, number, 0, 0, 0)


def python(*arguments: str) -> dict[str, Any]:
    """How Python is run: in a session of its own, as Ctrl-C is for the first process alone."""
    return {
        "args": [sys.executable, *arguments],
        "cwd": Path(__file__).resolve().parents[1],
        "env": os.environ | {"PYTHON": sys.executable},
        "stdin": subprocess.DEVNULL,
        "stdout": subprocess.DEVNULL,
        "start_new_session": True,
        "preexec_fn": end_with_parent,  # safe: there is only one thread
    }


def caught_by_make() -> str:
    """The signals that a `make` which runs this catches, "" if none does. Linux only.

    It passes a TERM on; sent an INT or HUP alone it only waits, and catches that no more.
    """
    with suppress(OSError):
        status = Path(f"/proc/{os.getppid()}/status").read_text().splitlines()
        if status[0].endswith("make"):
            return next(line for line in status if line.startswith("SigCgt:"))
    return ""


if __name__ == "__main__":
    end_with_parent()
    # Of a gunicorn or a Celery that was killed nothing is left.
    os.register_at_fork(after_in_child=lambda: end_with_parent(signal.SIGKILL))
    del sys.argv[0]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
