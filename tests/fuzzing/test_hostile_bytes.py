"""Hostile bytes for every reader: some thousand each time, a million where everything is tried."""

from pathlib import Path

import pytest

from tests.fuzzing.campaign import Campaign, Plan, can_be_guided, notes
from tests.fuzzing.reader import Reader
from tests.fuzzing.readers import READERS
from tests.fuzzing.watching import MEMORY, Watch, smaller

SEED = 7
FEW, MANY = 20_000, 1_000_000
KEPT = Path("var/fuzzing")


def tried(plan: Plan) -> list[str]:
    """The finds of a campaign that gave every reader its share."""
    finished = Campaign(plan, list(READERS.values()), print)
    finds = list(notes(finished.run()))
    share = plan.inputs // len(READERS)
    late = [told.reader for told in finished.told.values() if told.inputs < share]
    return [*finds, *(f"{reader} did not have all its inputs" for reader in late)]


def test_some_thousand_inputs(tmp_path: Path) -> None:
    assert tried(Plan(tmp_path, FEW, SEED)) == []


@pytest.mark.whole
def test_a_million_inputs() -> None:
    assert tried(Plan(KEPT, MANY, SEED, 3600, processes=2, guided=can_be_guided())) == []


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


BAD = Reader("bad", bad, (ValueError,), (b"good",), ())


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
