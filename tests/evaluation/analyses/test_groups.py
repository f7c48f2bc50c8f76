"""Magnitudes from elsewhere: what analyses compute within groups of different sizes, by loops."""

from fractions import Fraction
from itertools import combinations, permutations

import numpy as np
import pytest

from evaluation.analyses.agreement import agreeing_units
from evaluation.analyses.gain import ratios
from evaluation.analyses.scores import extremes
from evaluation.analyses.systems import best_units
from evaluation.study.data import StudyData
from evaluation.study.scoring import KINDS
from magnitudes.spread.ratio_rule import _few_figures
from tests.factory.opinions import magnitudes_elsewhere

Unit = list[tuple[float, float]]  # score and label


@pytest.fixture(scope="module")
def data() -> StudyData:
    return magnitudes_elsewhere(3)


def units(data: StudyData) -> list[Unit]:
    """Topic by topic, group by group, in the order in which scores were given."""
    every = []
    for topic in data.topics:
        rows = list(
            zip(topic.groups, topic.scores[:, 0], topic.labels[topic.places[:, 0]], strict=True)
        )
        for group in range(topic.groups.max() + 1):
            every.append([(score, label) for number, score, label in rows if number == group])
    return every


def agreement(unit: Unit) -> list[bool]:
    """Of each pair with different labels, whether it is not in the wrong order."""
    return [
        first[0] == second[0] or (first[0] < second[0]) == (first[1] < second[1])
        for first, second in combinations(unit, 2)
        if first[1] != second[1]
    ]


def test_units_have_different_sizes(data):
    sizes = np.bincount(data.judgments.units).tolist()
    assert sizes == [len(unit) for unit in units(data)]
    assert sorted(set(sizes)) == [1, 2, 3, 5, 8, 12]
    in_order = np.lexsort((data.judgments.positions, data.judgments.units))
    assert data.judgments.scores[in_order].tolist() == [s for unit in units(data) for s, _ in unit]


def test_agreement_of_units_with_labels(data):
    shares = [np.mean(pairs) for unit in units(data) if (pairs := agreement(unit))]
    (whole,) = agreeing_units.compute(data)  # there are no anchors
    assert (len(whole.shares), len(whole.known)) == (len(units(data)), len(shares))
    assert whole.known.mean() == pytest.approx(np.mean(shares))


def test_ratios_of_levels(data):
    expected = [
        higher[0] / lower[0]
        for unit in units(data)
        for higher, lower in permutations(unit, 2)
        if (higher[1], lower[1]) == (3, 2)
    ]
    box = ratios.compute(data)["all"].boxes
    assert box.counts[0] == len(expected)
    assert box.median[0] == pytest.approx(np.median(expected))


@pytest.mark.parametrize("figures", [1, 2])
def test_the_ratio_rule(data, figures):
    followed = [
        all(
            any(
                _few_figures(Fraction(str(later)) / Fraction(str(before)), figures)
                for before, _ in unit[:place]
            )
            for place, (later, _) in enumerate(unit)
            if place
        )
        for unit in units(data)
    ]
    assert len(set(followed)) == 2
    assert data.judgments.typed.ratios_followed(data.judgments.units, figures).tolist() == followed


def test_how_far_units_reach(data):
    reach = [max(unit)[0] / min(unit)[0] for unit in units(data) if len(unit) > 1]
    within = extremes.within_units(data)
    assert np.sort(within[~np.isnan(within)]) == pytest.approx(np.sort(reach))


def test_the_three_best_units_of_a_document(data):
    topic = data.topics[0]
    of_topic = units(data)[: topic.groups.max() + 1]
    shares = [np.mean(pairs) if (pairs := agreement(unit)) else -1 for unit in of_topic]
    gains = best_units.gains(topic, KINDS["graded"])
    for place in range(len(topic.doc_ids)):
        rows = np.flatnonzero(topic.places[:, 0] == place)
        ranked = sorted(
            (-round(shares[g], 12), g, row) for row, g in zip(rows, topic.groups[rows], strict=True)
        )
        best = [row for *_, row in ranked[:3]]
        assert gains[place] == pytest.approx(np.median(topic.normalised[best, 0]))
