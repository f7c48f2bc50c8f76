"""What `make run` and `make demo` run: it starts, mends itself, and leaves nothing behind."""

import os
import re
import signal
import socket
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.faults import victims
from tests.faults.site import Site

from .helpers import processes, servers_left, until

PARTS = ("supervisord", "web", "io", "compute")
RESTART_SECONDS = 5  # until it has a process again
TIMEOUT = 30  # until that has loaded what it needs, on a busy machine
STOP_SECONDS = 20


class Supervisor(Site):
    """A supervisor with the small site of these tests."""

    def __init__(self, folder: Path, *arguments: str, **given: Any) -> None:
        super().__init__(folder, *arguments, DJANGO_SETTINGS_MODULE="tests.config.site", **given)

    def parts(self) -> dict[str, int]:
        found = victims.find(self)
        return {name: found[name][0] for name in PARTS if found[name]}

    def everything(self) -> list[int]:
        """All that it has started, whoever started it for it."""
        found = victims.find(self).values()
        return [*(number for numbers in found for number in numbers), *servers_left(self.folder)]

    def output(self) -> str:
        """What it has printed as errors."""
        return (self.folder / "supervisor.log").read_text()

    def page(self) -> int | None:
        """The status of the page, None where nobody answers."""
        try:
            with urllib.request.urlopen(f"http://localhost:{self.port}/", timeout=10) as answer:
                return answer.status
        except urllib.error.HTTPError as error:
            return error.code
        except OSError:
            return None

    def ticks(self) -> int:
        """How often the task has run, which takes the clock and the worker."""
        ticks = self.folder / "ticks"
        return ticks.read_text().count("\n") if ticks.exists() else 0

    def end(self) -> str:
        """Wait for its end; its output."""
        return self.process.communicate(timeout=STOP_SECONDS)[0]


def gone(numbers: list[int]) -> bool:
    return not set(numbers) & set(processes(""))


def check_that_it_stops(supervisor: Supervisor, number: signal.Signals) -> None:
    everything = supervisor.everything()
    assert len(everything) >= 4 + 1 + 2  # parts, a web process, servers
    supervisor.process.send_signal(number)
    supervisor.end()
    assert supervisor.process.returncode == 0
    assert gone(everything)
    assert not servers_left(supervisor.folder)


@pytest.fixture(scope="module")
def supervisor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Supervisor]:
    """One with a demo that is ready, for the tests that leave it running; then a container
    engine's signal stops it."""
    one = Supervisor(tmp_path_factory.mktemp("var"), "--demo")
    address = f"http://localhost:{one.port}"
    assert one.wait_until_ready() == [
        f"worker: {address}/study/demo-live/",
        f"results: {address}/studies/demo/",
        "login: ada s3cret",
    ]
    yield one
    check_that_it_stops(one, signal.SIGTERM)


@pytest.mark.nightly
def test_what_is_killed_is_started_again(supervisor: Supervisor) -> None:
    for name in supervisor.parts():
        first, ticks = supervisor.parts()[name], supervisor.ticks()
        os.kill(first, signal.SIGKILL)
        until(lambda: supervisor.parts().get(name, first) != first, RESTART_SECONDS)  # noqa: B023
        until(lambda: supervisor.page() == 200, TIMEOUT)
        until(lambda: supervisor.ticks() > ticks + 1, TIMEOUT)  # noqa: B023
    for server in ("postgres", "valkey"):
        (first,) = victims.find(supervisor)[server]
        os.kill(first, signal.SIGKILL)
        until(lambda: supervisor.page() == 200, TIMEOUT)
        ticks = supervisor.ticks()
        until(lambda: supervisor.ticks() > ticks + 1, TIMEOUT)  # noqa: B023


def test_a_signal_while_it_starts_stops_everything(tmp_path: Path) -> None:
    supervisor = Supervisor(tmp_path)
    until(lambda: (tmp_path / "log" / "postgres.log").exists(), TIMEOUT)
    supervisor.process.send_signal(signal.SIGHUP)
    assert "ready" not in supervisor.end()
    assert supervisor.process.returncode == 0
    assert not servers_left(tmp_path)


@pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")
@pytest.mark.nightly
def test_killed_itself_it_leaves_nothing_behind(tmp_path: Path) -> None:
    supervisor = Supervisor(tmp_path)
    assert supervisor.wait_until_ready() == [f"url: http://localhost:{supervisor.port}/"]
    everything = supervisor.everything()
    supervisor.process.kill()
    supervisor.end()
    until(lambda: gone(everything), STOP_SECONDS)
    assert not servers_left(supervisor.folder)


def test_a_taken_port_is_named(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        supervisor = Supervisor(tmp_path, port=taken.getsockname()[1])
        output = supervisor.end()
    assert (supervisor.process.returncode, output) == (1, "")
    output = supervisor.output()
    assert re.fullmatch(rf"Cannot serve on port {supervisor.port}: .*PORT=.*\n", output)
    assert not servers_left(tmp_path)


def test_a_second_one_on_the_same_folder_is_refused(supervisor: Supervisor) -> None:
    second = Supervisor(supervisor.folder)
    second.end()
    assert "VAR_DIR=" in second.output()
    assert second.process.returncode == 1
    assert supervisor.page() == 200


def test_the_access_log_names_nobody(supervisor: Supervisor) -> None:
    request = urllib.request.Request(
        f"http://localhost:{supervisor.port}/?PROLIFIC_PID=secret", headers={"User-Agent": "secret"}
    )
    urllib.request.urlopen(request, timeout=10).close()
    with socket.create_connection(("127.0.0.1", supervisor.port)) as connection:
        connection.sendall(b"NONSENSE\r\n\r\n")
        connection.recv(1024)
    log = supervisor.folder / "log" / "web.log"
    until(lambda: "cannot be read" in log.read_text(), TIMEOUT)
    said = log.read_text().replace("Listening at: http://127.0.0.1", "")
    assert "GET / 200" in said
    assert "secret" not in said
    assert "127.0.0.1" not in said


@pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")
@pytest.mark.nightly
def test_a_signal_that_goes_to_make_alone_stops_everything(tmp_path: Path) -> None:
    """A make passes on a TERM; with another signal it waits until what it runs has ended."""
    (tmp_path / "Makefile").write_text(f"run:\n\t@{sys.executable} -m embedded\n")
    supervisor = Supervisor(tmp_path / "var", command=["make", "--file", f"{tmp_path}/Makefile"])
    supervisor.wait_until_ready()
    everything = [*processes("-m embedded", parent=supervisor.process.pid)]
    everything += servers_left(supervisor.folder)
    assert len(everything) > 2
    supervisor.process.send_signal(signal.SIGINT)
    supervisor.end()
    assert gone(everything)
