"""What `make run` and `make demo` run: it starts, mends itself, and leaves nothing behind."""

import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from .helpers import ROOT, environment, processes, servers_left, until

RESTART_SECONDS = 5


class Supervised:
    """A running supervisor with the small site of these tests."""

    def __init__(self, var_dir: Path, *arguments: str, port: int = 0) -> None:
        self.var_dir = var_dir
        self.port = port or free_port()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "config.processes", *arguments],
            cwd=ROOT,
            env=environment(
                var_dir, PORT=f"{self.port}", DJANGO_SETTINGS_MODULE="tests.config.site"
            ),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def lines(self) -> list[str]:
        """What it prints, up to `ready`."""
        assert self.process.stdout is not None
        lines = []
        for line in self.process.stdout:
            lines.append(line.strip())
            if lines[-1] == "ready":
                return lines
        raise AssertionError(self.process.communicate()[1])

    def leaders(self) -> dict[str, int]:
        """The process number of each part, and of each embedded server."""
        parts = {
            "web": "gunicorn --config",
            "worker": "config worker",
            "clock": "config beat",
            "postgres": f"{self.var_dir}/postgres",
            "valkey": f"{self.var_dir}/run/valkey",
        }
        # A part's children are in its session; a server belongs to whoever started it.
        sessions = {os.getsid(pid) for pid in self.descendants()}
        found = {}
        for name, words in parts.items():
            found |= {name: p for p in processes(words) if p in self.descendants()
                      and (name in ("postgres", "valkey") or p in sessions)}
        return found
