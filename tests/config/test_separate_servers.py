"""What docker-compose.yml says works on servers of their own, and goes on when parts of it die.

There is no engine here: see `compose` for what stands in for it.
"""

import json
import subprocess
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path

import psycopg2
import pytest
import tomli_w

from .compose import GIVEN, HOST, ROOT, Container, Stack
from .helpers import servers_left, until

DEMO = ROOT / "demo"
SLUG = "demo"
TOPICS = ("901", "902", "903", "904")
TIMEOUT = 60  # seconds: a busy machine is slow
STOP_SECONDS = 25  # what an engine gives a web process before it kills it
SPEEDUP = 40  # of artificial workers

ROLES = """
    SELECT d.title, d.text, p.role FROM judging_document d
    JOIN judging_pooleddocument p ON p.document_id = d.id ORDER BY p.role = 'other' DESC
"""
UNITS = "SELECT id FROM judging_unit"
DONE = "SELECT completion_code FROM judging_assignment WHERE state = 'completed'"
RANKED = "SELECT sum(units) FROM evaluation_evaluation"
TICKS = "SELECT name FROM judging_tick WHERE ran_at > now() - interval '5 s'"
TIME_PASSES = "UPDATE judging_tick SET ran_at = ran_at - interval '1 minute'"
BROKEN = f"""
import json, sys
sys.path.append("{ROOT}")  # tests are not in the image
from tests.judging.invariants import broken
print(json.dumps(broken()))
"""
pytestmark = pytest.mark.nightly


@pytest.fixture
def stack(tmp_path: Path) -> Iterator[Stack]:
    stack = Stack(tmp_path, GIVEN)
    try:
        stack.start(TIMEOUT)
        yield stack
    finally:
        stack.kill()
    until(lambda: not stack.left(), STOP_SECONDS)


def healthy(parts: Sequence[Container]) -> list[Container]:
    """Those whose health check says so; all are asked at once."""
    asked = [(part, part.ask()) for part in parts]
    return [part for part, check in asked if check.wait(TIMEOUT) == 0]


def wait_until_healthy(parts: Sequence[Container], but: Sequence[Container] = ()) -> None:
    """Wait until all of them are, `but` for some, which are not.

    Whose answer was right is not asked again: each asking starts a process.
    """
    wrong = list(parts)

    def are_right() -> bool:
        well = healthy(wrong)
        wrong[:] = [part for part in wrong if (part in well) == (part in but)]
        return not wrong

    until(are_right, TIMEOUT)


def make_study(stack: Stack) -> None:
    """The demo's study, but that nobody has to wait, and smaller."""
    config = tomllib.loads((DEMO / "study.toml").read_text())
    config |= {"demo": True, "payment": 0, "minimum_seconds": 20 / SPEEDUP, "redundancy": 2}
    config["topics"] = {name: config["topics"][name] for name in TOPICS}
    (stack.folder / "study.toml").write_text(tomli_w.dumps(config))
    files = ["--topics", f"{DEMO}/topics.trec", "--documents", f"{DEMO}/documents.trec"]
    files += ["--qrels", f"{DEMO}/qrels.txt", "--runs", f"{DEMO}/runs"]
    config_file = str(stack.folder / "study.toml")
    stack.manage_in_turn(
        ["import_collection", SLUG, *files],
        ["create_study", SLUG, "--collection", SLUG, "--config", config_file],
        ["plan_units", SLUG, "--seed", "5"],
        ["open_study", SLUG],
    )


def crowd(stack: Stack, port: int, seed: int) -> "subprocess.Popen[bytes]":
    """Artificial workers at a web process, who ask again as long as nobody answers."""
    words = ["simulate_crowd", SLUG, "--workers", "4", "--seed", f"{seed}"]
    words += ["--over-http", f"http://{HOST}:{port}", "--speedup", f"{SPEEDUP}"]
    with stack.migrate.log.open("ab") as log:
        command = ["python", "manage.py", *words]
        return stack.migrate.run(command, stdout=log, stderr=log)


def test_judging_goes_on_while_parts_die(stack: Stack) -> None:
    """One web process and one worker die and come back; then the others die, and these go on."""
    with pytest.raises(psycopg2.OperationalError, match="password"):
        stack.connect("another")
    make_study(stack)
    wait_until_healthy(stack.parts)
    (web, other_web), (worker, other_worker) = stack.webs, stack.workers
    units = len(stack.query(UNITS))

    def is_done(share: float) -> bool:
        return len(stack.query(DONE)) >= share * units

    def is_ranked() -> bool:
        return stack.query(RANKED) == [(len(stack.query(DONE)),)]

    crowds = [crowd(stack, port, seed) for seed, port in enumerate(stack.ports)]
    until(lambda: is_done(1 / 6), TIMEOUT)
    web.kill()
    worker.kill()
    wait_until_healthy(stack.parts, but=[web, worker])
    until(lambda: is_done(3 / 6), TIMEOUT)

    web.start()
    worker.start()
    wait_until_healthy([web, worker])
    other_web.kill()
    other_worker.kill()
    before = len(stack.query(DONE))
    until(lambda: len(stack.query(DONE)) > before or is_done(1), TIMEOUT)
    other_web.start()
    assert [each.wait(2 * TIMEOUT) for each in crowds] == [0, 0], stack.migrate.log.read_text()
    assert is_done(1)
    until(is_ranked, TIMEOUT)
    assert json.loads(stack.manage("shell", "--no-imports", "--command", BROKEN)) == []

    # The clock is late after 40 seconds, which nobody waits here.
    stack.io.kill()
    until(lambda: not stack.query(TICKS), TIMEOUT)
    stack.query(TIME_PASSES)
    wait_until_healthy([web, worker, stack.io], but=[stack.io])
    stack.io.start()
    until(lambda: stack.query(TICKS), TIMEOUT)
    wait_until_healthy([stack.io])
    for part in (web, worker, stack.io):
        part.terminate()
    assert [part.end(STOP_SECONDS) for part in (web, worker, stack.io)] == [0, 0, 0]
    assert list(stack.var_dir.iterdir()) == []  # where the embedded servers would be
    assert not servers_left(stack.var_dir)
