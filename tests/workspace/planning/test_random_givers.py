"""What share of random givers passes check (c)."""

import numpy as np
import pytest

from accounts.models import User
from crowd import model, vectorised
from crowd.model import Pair, person
from judging.checks import anchors_in_order
from judging.numbers import parse_score
from tests.factory import GRADED, make_study
from workspace.planning.random_givers import pass_rate, pass_rates, tries_needed

ANCHORS = [Pair("t", doc_id, gain, is_anchor=True, length=1.0) for doc_id, gain in
           (("h", model.LEVELS[-1]), ("n", model.LEVELS[0]))]  # fmt: skip


def first_pass(number: int) -> int:
    """The try by which a worker of the model passes, with what they type as the pages read it."""
    worker = person(7, number, 1)
    return next(
        n + 1
        for n in range(99)
        if anchors_in_order(*(parse_score(worker.score(pair, n)) for pair in ANCHORS))
    )


def test_independent_numbers_pass_with_a_half_at_each_try(monkeypatch):
    """With numbers that are never equal, 1 - 1/2^n pass within n tries: the closed form."""
    monkeypatch.setattr(vectorised, "_magnitudes", lambda draw, workers, gains, *_: np.exp(
        draw.normal(size=gains.shape)))  # fmt: skip
    tries = tries_needed.__wrapped__(1.0, 0)
    for limit in (1, 2, 3, 4):
        low, high = pass_rate(limit, tries).interval
        assert low < 1 - 0.5**limit < high
    assert pass_rate(None, tries).share == 1


def test_levels_pass_as_often_as_two_draws_differ():
    """Of a scale of levels the chance of equal ones is known, too."""
    levels = vectorised.as_levels(model.draws("levels").normal(size=200_000), 4)
    equal = (np.bincount(levels.astype(int)) ** 2).sum() / len(levels) ** 2
    low, high = pass_rate(1, tries_needed(1.0, 4)).interval
    assert low < (1 - equal) / 2 < high


def test_many_at_once_pass_as_one_by_one_by_the_rules_of_the_pages():
    one_by_one = [first_pass(n) for n in range(3000) if person(7, n, 1).is_careless]
    assert len(one_by_one) > 200
    for limit in (1, 2):
        share = np.mean([needed <= limit for needed in one_by_one])
        margin = 3 * np.sqrt(0.25 / len(one_by_one))
        assert pass_rate(limit, tries_needed(1.0, 0)).share == pytest.approx(share, abs=margin)


@pytest.mark.django_db
def test_the_plan_says_it_for_the_study_s_limit_and_others(client):
    study = make_study(most_failed_finishes=5)
    rows = pass_rates(study)
    assert [(row.limit, row.is_own) for row in rows] == [
        *((None, False), (5, True), (3, False), (2, False), (1, False))
    ]
    shares = [row.random.share for row in rows]
    assert shares == sorted(shares, reverse=True)
    assert shares[0] > 0.99 > 0.5 > shares[-1]
    assert all(row.careful.share > row.random.share for row in rows[1:])
    client.force_login(User.objects.create_user("rita", is_superuser=True))
    text = client.get(f"/studies/{study.slug}/set-up/cost/").content.decode()
    assert "5 times at most" in text
    assert rows[-1].random.percent in text
    assert [row.limit for row in pass_rates(make_study(**GRADED))] == [None, 3, 2, 1]
