"""Gains from the first scores of documents, beside a plain loop over them."""

import numpy as np
import pytest

from evaluation.analyses.gain.growth import CLOSE, MIN_DOCUMENTS, grown
from evaluation.presentation.frame import Frame
from tests.factory.arrays import analysed, random_study, table


def plainly(scores: np.ndarray, items: np.ndarray, n: int) -> list[float]:
    """The factors of the documents that have more than n scores."""
    factors = []
    for item in np.unique(items):
        own = scores[items == item]
        if len(own) > n:
            ratio = np.median(own[:n]) / np.median(own)
            factors.append(max(ratio, 1 / ratio))
    return factors


def random_scores(seed: int, documents: int = 40) -> tuple[np.ndarray, np.ndarray]:
    """Documents with 4 to 12 scores each, which come in any order."""
    rng = np.random.default_rng(seed)
    items = np.repeat(np.arange(documents), rng.integers(4, 13, documents))
    rng.shuffle(items)
    return rng.lognormal(size=len(items)), items


@pytest.mark.parametrize("seed", range(3))
def test_factors_are_those_of_a_plain_loop(seed: int) -> None:
    scores, items = random_scores(seed)
    growth = grown(scores, items, "median")
    for row in growth:
        factors = plainly(scores, items, row.scores)
        assert row.documents == len(factors) >= MIN_DOCUMENTS
        assert row.median == pytest.approx(np.median(factors))
        assert row.highest == pytest.approx(np.quantile(factors, 0.95))
        assert row.close == pytest.approx(np.mean(np.array(factors) <= CLOSE))
    assert len(plainly(scores, items, len(growth) + 1)) < MIN_DOCUMENTS


def test_documents_on_which_all_agree_are_settled_at_once() -> None:
    items = np.repeat(np.arange(20), 6)
    growth = grown(items + 1.0, items, "median")
    assert growth["highest"].tolist() == [1, 1, 1, 1, 1]
    assert growth["close"].tolist() == [1, 1, 1, 1, 1]


def test_it_does_not_depend_on_the_scale() -> None:
    scores, items = random_scores(7)
    once, more = grown(scores, items, "median"), grown(1000 * scores, items, "median")
    assert np.allclose(np.array(more.rows, float), np.array(once.rows, float))


def test_a_study_says_from_how_many_scores_on_gains_are_close() -> None:
    result = analysed("growth", random_study(topics=6, units=30))
    rows = Frame.of_rows(table(result, "growth").columns, table(result, "growth").rows)
    first = result.numbers["half_close_from"]
    assert (rows["close"][rows["scores"] >= first] >= 0.5).all()
    assert (rows["close"][rows["scores"] == first - 1] < 0.5).all()
