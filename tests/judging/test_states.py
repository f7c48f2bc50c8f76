"""Every state against every move, and who may make it."""

from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command

from judging.states import (
    LIVE,
    OCCUPYING,
    PAID,
    TRANSITIONS,
    Actor,
    NotPermitted,
    State,
    check,
    diagram,
    targets,
)

# Move -> who may make it, and from which state to which; written apart from the table it tests.
PERMITTED = {
    "admit": (Actor.WORKER, {None: {"practice", "instructions", "topic"}}),
    "practise": (Actor.WORKER, {"practice": {"practice", "instructions", "failed"}}),
    "read": (Actor.WORKER, {"instructions": {"topic"}}),
    "answer": (Actor.WORKER, {"topic": {"topic", "judging", "failed"}}),
    "judge": (Actor.WORKER, {"judging": {"judging"}, "revising": {"revising"}}),
    "finish": (
        Actor.WORKER,
        {
            "judging": {"completed", "revising", "exhausted"},
            "revising": {"completed", "revising", "exhausted"},
        },
    ),
    "leave": (
        Actor.WORKER,
        {s: {"left"} for s in ("practice", "instructions", "topic", "judging")}
        | {"revising": {"left", "exhausted"}},
    ),
    "expire": (
        Actor.TICK,
        {s: {"expired"} for s in ("practice", "instructions", "topic", "judging", "revising")},
    ),
    "release": (
        Actor.TEAM,
        {s: {"released"} for s in ("practice", "instructions", "topic", "judging", "revising")},
    ),
    "return": (
        Actor.PLATFORM,
        {s: {"returned"} for s in ("practice", "instructions", "topic", "judging", "revising")},
    ),
    "withdraw": (Actor.TEAM, {"completed": {"withdrawn"}}),
    "take back": (Actor.WORKER, {"completed": {"withdrawn"}}),
}
ENDS = {
    *(State.FAILED, State.LEFT, State.EXPIRED, State.EXHAUSTED, State.RELEASED),
    *(State.RETURNED, State.WITHDRAWN),
}


@pytest.mark.parametrize("by", Actor)
@pytest.mark.parametrize("source", [None, *State])
@pytest.mark.parametrize("move", PERMITTED)
def test_each_move_from_each_state_by_each_maker(move, source, by):
    maker, moves = PERMITTED[move]
    expected = moves.get(source, set()) if by == maker else set()
    assert targets(move, source, by) == expected
    for target in State:
        if target in expected:
            check(move, source, target, by)
        else:
            with pytest.raises(NotPermitted):
                check(move, source, target, by)


def test_there_are_no_other_moves():
    assert {t.move for t in TRANSITIONS} == set(PERMITTED)


def test_an_unknown_move_is_not_permitted():
    with pytest.raises(NotPermitted, match="worker may not fly from practice to topic"):
        check("fly", State.PRACTICE, State.TOPIC, Actor.WORKER)


def test_no_move_is_in_the_table_twice():
    keys = [(t.move, t.source, t.target, t.by) for t in TRANSITIONS]
    assert len(set(keys)) == len(keys)


def test_ends_are_final():
    assert {s for s in State if not any(t.source == s for t in TRANSITIONS)} == ENDS


def test_whatever_is_live_can_be_left_and_can_expire():
    assert all(State.LEFT in targets("leave", state, Actor.WORKER) for state in LIVE)
    assert all(targets("expire", state, Actor.TICK) == {State.EXPIRED} for state in LIVE)


def test_a_state_is_live_completed_or_an_end():
    assert {*LIVE} | {State.COMPLETED} | ENDS == {*State}
    assert not {*LIVE} & ENDS
    assert {*OCCUPYING} == {*LIVE, State.COMPLETED}
    assert {*PAID} == {State.COMPLETED, State.WITHDRAWN}


def test_every_state_can_be_reached():
    reached, grown = {None}, True
    while grown:
        more = {t.target for t in TRANSITIONS if t.source in reached} - reached
        reached |= more
        grown = bool(more)
    assert reached - {None} == {*State}


def test_only_finish_completes_and_the_team_or_the_worker_withdraws():
    assert {t.move for t in TRANSITIONS if t.target == State.COMPLETED} == {"finish"}
    assert {(t.move, t.by) for t in TRANSITIONS if t.target == State.WITHDRAWN} == {
        ("withdraw", Actor.TEAM),
        ("take back", Actor.WORKER),
    }


def test_the_diagram_draws_every_move_once():
    lines = diagram().splitlines()
    assert lines[0] == "stateDiagram-v2"
    for t in TRANSITIONS:
        arrow = f"    {t.source or '[*]'} --> {t.target}: {t.move} ({t.by}) - {t.when}"
        assert lines.count(arrow) == 1
    assert len(lines) == 1 + len(TRANSITIONS) + len(ENDS)


# --- docs/assignment-states.md ------------------------------------------------------------------
PAGE = settings.BASE_DIR / "docs" / "assignment-states.md"


def test_the_committed_page_is_as_the_command_draws_it():
    call_command("draw_states", "--check")


def test_the_page_names_every_move():
    page = PAGE.read_text(encoding="utf-8")
    for t in TRANSITIONS:
        assert f"| {t.source or '–'} | {t.move} | {t.by} | {t.target} | {t.when} |" in page


def test_the_command_writes_the_page_and_notices_a_stale_one(tmp_path: Path, capsys):
    page = tmp_path / "states.md"
    with pytest.raises(CommandError, match="stale"):
        call_command("draw_states", "--check", "--out", str(page))
    call_command("draw_states", "--out", str(page))
    call_command("draw_states", "--check", "--out", str(page))
    assert page.read_text(encoding="utf-8") == PAGE.read_text(encoding="utf-8")
    page.write_text("drawn by hand")
    with pytest.raises(CommandError, match=r"run manage\.py draw_states"):
        call_command("draw_states", "--check", "--out", str(page))
