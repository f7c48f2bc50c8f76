"""Hostile bytes for every reader: thousands every night, a million where everything is tried."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fuzzing import campaign
from tests.fuzzing.campaign import Plan, notes
from tests.fuzzing.reader import Reader
from tests.fuzzing.readers import READERS
from tests.fuzzing.watching import MEMORY, ROOT, Watch, smaller

SEED = 7


@pytest.mark.nightly
def test_some_thousand_inputs(tmp_path: Path) -> None:
    plan = Plan(tmp_path, 20_000, SEED)
    assert list(notes(campaign.run(plan, list(READERS.values()), print))) == []


@pytest.mark.whole
def test_a_million_inputs() -> None:
    pytest.importorskip("atheris")
    command = [sys.executable, "-m", "tests.fuzzing", "--inputs", "1000000", "--seed", f"{SEED}"]
    subprocess.run(command, cwd=ROOT, check=True)


def test_every_reader_takes_something() -> None:
    for reader in READERS.values():
        assert any(is_taken(reader, seed) for seed in reader.seeds), reader.name


def is_taken(reader: Reader, data: bytes) -> bool:
    try:
        reader.read(data)
    except reader.refuses:
        return False
    return True


def bad(data: bytes) -> None:
    """A reader with all the faults that are looked for."""
    if b"raise" in data:
        raise KeyError(data)
    if b"forever" in data:
        while True:
            pass
    if b"large" in data:
        bytes(2 * MEMORY)
    if b"end" in data:
        os._exit(3)


BAD = Reader("bad", bad, (ValueError,), (b"good",), "")


def test_what_a_watch_finds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.fuzzing.watching.PATIENCE", 1.1)
    monkeypatch.setattr("tests.fuzzing.watching.AGAIN", 0)
    watch = Watch(BAD)
    assert watch.give(b"good") is None
    raised = watch.give(b"....raise........")
    assert raised
    assert (raised.what, smaller(BAD, raised).data) == ("KeyError", b"raise")
    endless = watch.give(b"forever")
    assert endless
    assert endless.what == "slow"


def test_an_input_that_ends_the_process_is_found_and_given_first_the_next_time(
    tmp_path: Path,
) -> None:
    campaign.keep(tmp_path, "bad", "KeyError", "", b"the end")
    for _ in range(2):
        death, late = campaign.run(Plan(tmp_path, 100, SEED), [BAD], print)[::-1]
        assert (death["what"], Path(death["file"]).read_bytes()) == ("death", b"the end")
        assert late["what"] == "had 1 of 100 inputs"
