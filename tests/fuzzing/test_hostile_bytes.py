"""Hostile bytes for every reader: some thousand each time, a million where everything is tried."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.fuzzing.campaign import Campaign, Plan, can_be_guided, notes
from tests.fuzzing.child import Board, in_a_fork, keep
from tests.fuzzing.reader import Reader
from tests.fuzzing.readers import READERS
from tests.fuzzing.watching import MEMORY, Watch, smaller

SEED = 7
FEW, MANY = 20_000, 1_000_000
SOME = 96 << 20  # bytes, more than a process keeps of what it needs no more
KEPT = Path("var/fuzzing")


def tried(plan: Plan) -> list[str]:
    """The finds of a campaign that gave every reader its share."""
    finished = Campaign(plan, list(READERS.values()), print)
    finds = list(notes(finished.run()))
    share = plan.inputs // len(READERS)
    late = [told.reader for told in finished.told.values() if told.inputs < share]
    return [*finds, *(f"{reader} did not have all its inputs" for reader in late)]


@pytest.mark.nightly
def test_some_thousand_inputs(tmp_path: Path) -> None:
    assert tried(Plan(tmp_path, FEW, SEED)) == []


@pytest.mark.whole
def test_a_million_inputs() -> None:
    assert can_be_guided(), "atheris is not installed"
    assert tried(Plan(KEPT, MANY, SEED, 3600, processes=2, guided=True)) == []


def test_every_reader_takes_something() -> None:
    for reader in READERS.values():
        assert any(is_taken(reader, seed) for seed in reader.seeds), reader.name


def is_taken(reader: Reader, data: bytes) -> bool:
    try:
        reader.read(data)
    except reader.refuses:
        return False
    return True


def test_what_is_left_to_do_depends_on_what_is_tried(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = Plan(tmp_path, FEW, SEED)
    begun = Campaign(plan, [BAD], print)
    begun._add("bad", FEW, 1.0, 0.1, 0)
    keep(begun.folder / "finds", "bad", "KeyError", "", b"raise")

    def beginning(plan: Plan) -> tuple[int, int]:
        campaign = Campaign(plan, [BAD], print)
        return campaign.told["bad"].inputs, len(campaign.finds())

    assert beginning(plan) == (FEW, 1)
    assert beginning(replace(plan, seed=SEED + 1)) == (0, 0)
    assert beginning(replace(plan, guided=True)) == (0, 0)
    monkeypatch.setattr("tests.fuzzing.campaign.product_digest", lambda: "another product")
    assert beginning(plan) == (0, 0)
    # What was found is given all the same, before anything else.
    again = Campaign(plan, [BAD], print)._task(BAD, FEW)["found"]
    assert [Path(found).read_bytes() for found in again] == [b"raise"]


def test_memory_that_one_reader_has_had_does_not_hide_that_of_the_next(tmp_path: Path) -> None:
    b"." * (2 * SOME)
    board = Board(tmp_path / "now")
    task = {"inputs": 2, "skip": 0, "seed": SEED, "found": []}
    wasteful = Reader("wasteful", lambda data: b"." * SOME, (), (b"good",), ())
    told = in_a_fork(wasteful, tmp_path, board, task, is_guided=False)
    assert told["inputs"] == 2
    assert told["growth"] > SOME / 2


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
