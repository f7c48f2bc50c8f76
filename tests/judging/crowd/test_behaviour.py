"""What artificial workers do: as often as published, and in an order that leads to the end."""

from collections import Counter

import pytest

from crowd.behaviour import Action, Behaviour, PageView, Unit
from crowd.model import Pair, person

LEAVE = ("leave",)
UNIT = Unit("401", "right", [Pair("401", f"D{n}", 0.5, n < 2, 1.0) for n in range(8)])
OPTIONS = ["wrong", "right", "false", "no"]
MANY = 2000


def behaviour(number: int = 1, units: int = 18) -> Behaviour:
    return Behaviour(person(5, number, units), minimum=20.0)


def walk(who: Behaviour) -> list[tuple[int, Action]]:
    """Page after page of one unit, until they leave or finish."""
    position, done = 1, []
    while True:
        act = who.act(PageView("document", LEAVE, position=position), UNIT)
        assert act
        done.append((position, act))
        if act.action in ("leave", "finish"):
            return done
        position += -1 if act.action == "back" else 1
        assert 1 <= position <= 8


def test_they_do_what_each_page_asks_for() -> None:
    who = next(m for n in range(99) if not (m := behaviour(n))._fails_practice)
    assert who.act(PageView("welcome")).action == "continue"
    assert who.act(PageView("practice")).action == "continue"
    scores = [float(who.act(PageView("practice", line=line)).score) for line in (50, 120, 220)]
    assert scores == sorted(scores)
    assert who.act(PageView("instructions")).action == "continue"
    assert who.act(PageView("topic"), UNIT).answer == "right"
    assert who.act(PageView("no-work")) is None
    assert who.act(PageView("left")) is None


def test_some_fail_by_their_own_choice() -> None:
    found = Counter()
    for number in range(MANY):
        who = behaviour(number)
        scores = [float(who.act(PageView("practice", line=line)).score) for line in (50, 120, 220)]
        found["lines"] += scores != sorted(scores)
        found["question"] += who.choose_option(OPTIONS, "right") != "right"
        found["leave"] += who.act(PageView("welcome", LEAVE)).action == "leave"
    assert found["lines"] / MANY == pytest.approx(0.05, abs=0.015)
    assert found["question"] / MANY == pytest.approx(0.10, abs=0.02)
    assert found["leave"] / MANY == pytest.approx(0.01, abs=0.006)


def test_steps_back_and_hurry_are_as_rare_as_published() -> None:
    walks = [w for n in range(MANY) if (w := walk(behaviour(n)))[-1][1].action == "finish"]
    back = Counter(sum(act.action == "back" for _, act in w) for w in walks)
    assert set(back) <= {0, 1, 2}
    assert back[1] / len(walks) == pytest.approx(0.015, abs=0.007)
    hurried = [w for w in walks if min(act.seconds for _, act in w[:8]) < 20 and not back_in(w)]
    assert len(hurried) / len(walks) == pytest.approx(0.02, abs=0.008)


def back_in(walked: list[tuple[int, Action]]) -> bool:
    return any(act.action == "back" for _, act in walked)


def test_after_a_failed_finish_everything_is_scored_anew_and_what_was_missing_is_made_up() -> None:
    for number in range(200):
        who = behaviour(number)
        first = walk(who)
        if first[-1][1].action == "leave":
            continue
        assert who.act(PageView("revise")).action == "back"
        second, position = [], 8
        while True:
            act = who.act(PageView("document", position=position), UNIT)
            second.append((position, act))
            if act.action == "finish":
                break
            position -= 1
        assert [at for at, _ in second] == list(range(8, 0, -1))
        assert min(who.spent.values()) >= 20
        before = {at: act.score for at, act in first}
        assert any(before[at] != act.score for at, act in second)


def test_they_come_for_so_many_units_and_go_home() -> None:
    for number in range(50):
        who = behaviour(number)
        for _ in range(who.person.units - 1):
            assert who.act(PageView("done", ("again",))).action == "again"
        assert who.act(PageView("failed", ("again",))).action == "again"
        assert who.act(PageView("left", ("again",))).action == "again"
        assert who.act(PageView("done", ("again",))) is None
    assert behaviour().act(PageView("failed")) is None
