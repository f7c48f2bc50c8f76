"""Systems by the chances of levels, against plain Python."""

import numpy as np
import pytest

from magnitudes.gains.disagreement import disagreement
from tests.acceptance import naive
from tests.factory.arrays import analysed, random_study, table
from tests.factory.opinions import (
    labels_by_judge,
    random_opinions,
    two_levels,
)


def test_systems_by_the_mean_weight_of_labels() -> None:
    data = random_opinions(11, topics=7, documents=30, runs=6)
    p = disagreement(data.opinions).p
    weight = [0.0, 1 - (1 - p[1]) ** 2, 1.0]
    pairs = labels_by_judge(data)
    means = []
    for run in range(len(data.runs)):
        values = []
        for number, topic in enumerate(data.topics):
            gains = [
                naive.mean([weight[level] for said in judges.values() for level in said])
                for place in range(len(topic.doc_ids))
                for judges in [pairs.get((number, place), {})]
            ]
            ranked = [gains[place] for place in topic.lists[run].tolist()]
            best = sorted(gains, reverse=True)[:10]
            values.append(_dcg(ranked) / _dcg(best))
        means.append(naive.mean(values))
    rows = {row[0]: row for row in table(analysed("users", data), "all-systems").rows}
    assert [rows[name][3] for name in data.runs] == pytest.approx(means)


def _dcg(gains: list[float]) -> float:
    return sum(gain / np.log2(rank + 1) for rank, gain in enumerate(gains, 1))


def test_gains_that_say_the_same_give_the_same_order() -> None:
    """Where judges agree on two levels, the chances are the levels."""
    found = analysed("users", two_levels())
    taus = [row[4] for row in table(found, "orders").rows]
    assert taus == pytest.approx([1.0] * 12)


def test_own_gains_stand_beside_the_chances() -> None:
    data = random_study(topics=7)
    rows = table(analysed("users", data), "orders").rows
    own = [row for row in rows if row[1] == "the study's own gains"]
    assert [row[2] for row in own] == ["reference labels"] * 4
    assert len(rows) == 4 + 3 * 4 * 2
