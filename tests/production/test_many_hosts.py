"""Hosts of web and worker processes with addresses and clocks of their own, over one database.

Each host is a loopback address; a library loaded before all others lets its clock go wrong by hours
or days. (libfaketime would do, but with it Python's `time.sleep` fails.) Requests of one worker go
to all web hosts, as the proxy sends them.
"""

import json
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.config.compose import Container, Stack, free_ports
from tests.config.helpers import until
from tests.config.test_separate_servers import BROKEN
from tests.faults.site import STUDY, TOPIC, write_collection

from .servers import GIVEN, POSTGRES, START_SECONDS, STOP_SECONDS, DebianRedis, proxy

CLOCK = Path(__file__).parent / "wrong_clock.c"
HOUR, DAY = 3600, 86_400
WEBS = {"127.0.0.2": 3 * HOUR, "127.0.0.3": -2 * DAY, "127.0.0.4": 0}  # seconds that they are ahead
WORKERS = (DAY, -5 * HOUR, -DAY)
AT_ONCE, SPEEDUP, SEED = 64, 40, 1
TOPICS, REDUNDANCY, UNIT_SIZE, FIRST = 4, 6, 5, 401
STATES = "SELECT state, count(*) FROM judging_assignment GROUP BY state"


def set_clock(part: Container, library: Path, ahead: int) -> None:
    """Let all processes of a part live later or earlier; how long things take stays as it is."""
    part.environment |= {"LD_PRELOAD": str(library), "SECONDS_AHEAD": str(ahead)}


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    folder = tmp_path_factory.mktemp("hosts")
    library = folder / "wrong_clock.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, CLOCK], check=True)
    hosts = Stack(folder, GIVEN, POSTGRES["15"], DebianRedis)
    hosts.ports = free_ports(len(WEBS))
    hosts.webs = [hosts._container("web", number) for number in range(1, len(WEBS) + 1)]
    hosts.parts = [*hosts.webs, *hosts.workers, hosts.io]
    for web, (address, ahead), port in zip(hosts.webs, WEBS.items(), hosts.ports, strict=True):
        web.environment["GUNICORN_CMD_ARGS"] = f"--bind {address}:{port} --workers 1"
        set_clock(web, library, ahead)
    for worker, ahead in zip((*hosts.workers, hosts.io), WORKERS, strict=True):
        set_clock(worker, library, ahead)
    try:
        hosts.start(START_SECONDS)
        yield hosts
    finally:
        hosts.kill()
        until(lambda: not hosts.left(), STOP_SECONDS)


def make_study(stack: Stack) -> int:
    """A made-up study; how many units it has."""
    files = write_collection(stack.folder / "files", TOPICS, SEED)
    settings = STUDY.format(
        redundancy=REDUNDANCY, unit_size=UNIT_SIZE, minimum=20 / SPEEDUP, expiry=10
    )
    numbers = range(FIRST, FIRST + TOPICS)
    config = stack.folder / "study.toml"
    config.write_text(settings + "".join(TOPIC.format(topic=topic) for topic in numbers))
    stack.manage_in_turn(
        ["import_collection", "many", *files],
        ["create_study", "many", "--collection", "many", "--config", str(config)],
        ["plan_units", "many", "--pool-depth", "1000", "--seed", str(SEED)],
        ["open_study", "many"],
    )
    return int(stack.query("SELECT count(*) FROM judging_unit")[0][0])


def test_clocks_that_differ_change_nothing(stack: Stack, tmp_path: Path) -> None:
    units = make_study(stack)
    addresses = " ".join(
        f"{address}:{port}" for address, port in zip(WEBS, stack.ports, strict=True)
    )
    with proxy(tmp_path / "proxy", [], WEBS=addresses) as front:
        stack.migrate.environment["SSL_CERT_FILE"] = str(
            front.folder / "caddy/caddy/pki/authorities/local/root.crt"
        )
        crowd = ["simulate_crowd", "many", "--workers", str(AT_ONCE), "--seed", str(SEED)]
        crowd += ["--speedup", str(SPEEDUP), "--over-http", front.origin]
        said = stack.manage(*crowd)
    assert said.startswith(f"{units} of {units} units are complete")
    states = Counter(dict(stack.query(STATES)))
    assert states["completed"] == units
    assert states["expired"] == 0, "nobody was ended by the clock of a host"
    assert json.loads(stack.manage("shell", "--no-imports", "--command", BROKEN)) == []
    for web in stack.webs:
        assert " 302 " in web.log.read_text(), "each has served workers"
    until(lambda: not stack.query(BEHIND), 60)
    before = stack.manage("export", "many", "rankings", "--format", "csv")
    stack.manage("recompute", "many")
    assert stack.manage("export", "many", "rankings", "--format", "csv") == before
    assert before.count("\n") > TOPICS


BEHIND = """
    SELECT t.id FROM judging_studytopic t
    LEFT JOIN evaluation_topicevaluation e ON e.study_topic_id = t.id
    WHERE e.revision IS DISTINCT FROM t.revision
"""
