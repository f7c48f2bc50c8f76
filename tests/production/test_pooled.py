"""The tests of flow and of analyses once through PgBouncer, with four sessions for everything."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from tests.config.compose import ROOT
from tests.config.pooler import pooler
from tests.production.servers import postgres

FLOW = sorted(
    str(path.relative_to(ROOT)) for path in (ROOT / "tests/judging").glob("test_flow_*.py")
)
THROUGH_IT = (
    *FLOW,
    "tests/judging/races",
    "tests/evaluation/analyses",
    "tests/web/test_leases.py",
    "tests/workspace/imports/test_importing.py",
    "tests/workspace/planning/test_planning.py",
    "tests/api/test_written_report.py",
)

# They cut all connections, or start a process of their own beside PgBouncer.
BESIDE_IT = (
    "tests/web/test_leases.py::test_a_lost_connection_does_not_lose_the_lease",
    "tests/workspace/imports/test_importing.py"
    "::test_a_killed_worker_leaves_nothing_and_another_does_it_again",
)


@pytest.fixture
def behind(tmp_path: Path) -> Iterator[Callable[[Sequence[str]], None]]:
    with postgres(tmp_path / "postgres", "15") as server:
        address = urlsplit(server.url)
        entry = {
            "HOST": address.hostname,
            "PORT": address.port,
            "USER": address.username,
            "PASSWORD": unquote(address.password or ""),
        }
        with pooler(entry, tmp_path) as port:
            url = f"postgres://{address.username}:{address.password}@127.0.0.1:{port}/magnitudes"
            yield partial(run, {"DATABASE_URL": url, "VAR_DIR": str(tmp_path / "var")})


def run(environment: Mapping[str, str], tests: Sequence[str]) -> None:
    # A database that is in use cannot be dropped, and PgBouncer keeps its sessions.
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--reuse-db"]
    done = subprocess.run(
        [*command, *tests],
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    print(done.stdout.splitlines()[-1])  # noqa: T201


def test_flow_and_analyses(behind: Callable[[Sequence[str]], None]) -> None:
    behind([*(f"--deselect={test}" for test in BESIDE_IT), *THROUGH_IT])


def test_flow_as_it_is_committed(behind: Callable[[Sequence[str]], None]) -> None:
    """Each statement may go to another session, and in the end none of them holds anything."""
    behind(["-p", "tests.production.committing", *FLOW])
