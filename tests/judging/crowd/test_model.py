"""What artificial workers feel: the published moments, and draws that depend on their key alone."""

import math
from collections import Counter
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crowd import model
from crowd.model import HABITS, Pair, person, written
from judging.numbers import parse_score

MANY = 4000


def pair(log_gain: float = 0.0, *, doc_id: str = "D1", anchor: bool = False) -> Pair:
    return Pair("401", doc_id, log_gain, anchor, 1.0)


def gains(label: float | None, highest: float) -> np.ndarray:
    return np.array([model.log_gain(1, "401", f"D{n}", label, highest) for n in range(MANY)])


@pytest.mark.parametrize(
    ("label", "highest", "mean"),
    [
        *((level, 3, gain) for level, gain in enumerate(model.LEVELS)),
        (4, 4, 1.61),
        (2, 4, (0.69 + 1.10) / 2),
        (-2, 3, 0.0),
        (0, 1, 0.0),
        (1, 1, 0.50 * 0.69 + 0.34 * 1.10 + 0.16 * 1.61),
        (None, 3, 0.03 * 0.69),
    ],
)
def test_true_gains_go_with_labels(label: float | None, highest: float, mean: float) -> None:
    found = gains(label, highest)
    assert found.mean() == pytest.approx(mean, abs=0.05)
    level_sd = found.std()
    assert 0.65 < level_sd < 0.85


def test_a_score_depends_on_its_key_alone() -> None:
    one, again = person(7, 3, 18), person(7, 3, 18)
    assert one == again
    documents = [pair(0.5, doc_id=f"D{n}") for n in range(20)]
    forth = [one.score(d, 0) for d in documents]
    back = [again.score(d, 0) for d in reversed(documents)]
    assert forth == back[::-1]
    assert [one.score(d, 1) for d in documents] != forth
    assert [person(7, 4, 18).score(d, 0) for d in documents] != forth
    assert [person(8, 3, 18).score(d, 0) for d in documents] != forth
    assert person(8, 3, 18).pseudonym != one.pseudonym


def test_the_crowd_is_as_published() -> None:
    people = [person(1, n, 18) for n in range(MANY)]
    moduli = np.array([p.modulus for p in people])
    assert (moduli.mean(), moduli.std()) == pytest.approx((1.0, 1.25), abs=0.05)
    assert np.mean([p.is_careless for p in people]) == pytest.approx(0.10, abs=0.02)
    assert np.mean([p.has_ceiling for p in people]) == pytest.approx(0.90, abs=0.02)
    assert np.mean([p.writes_tiny for p in people]) == pytest.approx(0.015, abs=0.006)
    habits = Counter(p.habit for p in people)
    assert habits["series"] / MANY == pytest.approx(0.42, abs=0.03)
    assert habits["two figures"] / MANY == pytest.approx(0.15, abs=0.02)
    units = Counter(p.units for p in people)
    assert set(units) == set(range(1, 19))
    assert units[1] / units[2] == pytest.approx(2**1.1, rel=0.15)
    seconds = np.array([p.seconds(pair()) for p in people])
    assert seconds.min() > 20
    assert seconds.mean() == pytest.approx(78, abs=4)


def test_the_anchors_are_told_apart_by_the_careful() -> None:
    careful = [p for n in range(800) if not (p := person(1, n, 18)).is_careless]
    high, low = pair(1.61, doc_id="H", anchor=True), pair(0.0, doc_id="N", anchor=True)
    scores = [(float(p.score(high, 0)), float(p.score(low, 0))) for p in careful]
    wrong = np.mean([h <= n for h, n in scores])
    assert 0 < wrong < 0.08
    assert 4 <= np.median([h / n for h, n in scores]) <= 6


@given(st.floats(1e-6, 1e9))
def test_habits_give_round_numbers(value: float) -> None:
    for name, habit in HABITS.items():
        kept = habit(value)
        digits = Decimal(written(kept)).normalize().as_tuple().digits
        assert len(digits) <= (2 if name == "two figures" else 1)
        assert abs(math.log(kept / value)) <= math.log(1.6)
    assert f"{HABITS['series'](value):e}"[0] in "125"


def test_tiny_numbers_are_powers_of_ten() -> None:
    tiny = [p for n in range(MANY) if (p := person(1, n, 18)).writes_tiny]
    assert {p.score(pair(0.0), 0) for p in tiny} == {"0.01", "0.001", "0.0001", "0.00001"}


@given(st.floats(1e-9, 1e12))
def test_numbers_are_written_as_people_may_type_them(value: float) -> None:
    assert parse_score(written(float(f"{value:.1e}"))) == float(f"{value:.1e}")


# --- levels -------------------------------------------------------------------------------------
def test_cuts_of_four_levels_are_the_models_and_others_are_spread_evenly() -> None:
    assert model.cuts(4) == (0.35, 0.90, 1.35)
    assert model.cuts(2) == [0.35]
    assert model.cuts(5) == pytest.approx([0.35, 0.35 + 1 / 3, 0.35 + 2 / 3, 1.35])
    assert len(model.cuts(10)) == 9


def test_a_level_is_the_number_of_cuts_at_or_below_what_is_felt() -> None:
    for number in range(1, 200):
        one = person(3, number, 1)
        of = pair(0.9, doc_id=f"D{number}", anchor=number % 2 == 0)
        draw = model.draws(3, number, "401", of.doc_id, 0).normal()
        spread = max(0.3, 0.6 - 0.2 * 0.9) * (0.7 if of.is_anchor else 1)
        felt = draw if one.is_careless else 0.9 + spread * draw
        assert one.level(of, 0, 4) == str((felt >= 0.35) + (felt >= 0.9) + (felt >= 1.35))
        assert one.level(of, 0, 2) == str(int(felt >= 0.35))


def test_levels_follow_the_truth_and_anchors_are_told_apart() -> None:
    people = [one for one in (person(5, n, 1) for n in range(1, 400)) if not one.is_careless]

    def mean(log_gain: float) -> float:
        return float(np.mean([int(one.level(pair(log_gain), 0, 4)) for one in people]))

    means = [mean(gain) for gain in model.LEVELS]
    assert means == sorted(means)
    assert means[0] < 0.6
    assert means[-1] > 2.2


def test_another_attempt_is_another_draw() -> None:
    one = person(3, 1, 1)
    levels = {one.level(pair(0.9), attempt, 10) for attempt in range(30)}
    assert len(levels) > 3
