"""The table of moves: what must hold of it, and that nothing else is permitted."""

from contextlib import nullcontext
from itertools import product

import pytest
from django.conf import settings

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

ENDS = {
    *(State.FAILED, State.LEFT, State.EXPIRED, State.EXHAUSTED, State.RELEASED),
    *(State.RETURNED, State.WITHDRAWN),
}


def test_what_the_table_does_not_have_is_refused():
    rows = {(t.move, t.source, t.target, t.by) for t in TRANSITIONS}
    for row in product({t.move for t in TRANSITIONS}, [None, *State], State, Actor):
        with nullcontext() if row in rows else pytest.raises(NotPermitted):
            check(*row)


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
    assert {(t.move, t.by) for t in TRANSITIONS if t.target == State.COMPLETED} == {
        ("finish", Actor.WORKER),
        ("judge all", Actor.MODEL),
    }
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


def test_the_page_names_every_move():
    page = PAGE.read_text(encoding="utf-8")
    for t in TRANSITIONS:
        assert f"| {t.source or '–'} | {t.move} | {t.by} | {t.target} | {t.when} |" in page
