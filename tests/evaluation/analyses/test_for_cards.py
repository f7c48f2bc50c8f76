"""The numbers that analyses keep for the cards of the overview, counted the plain way."""

from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from tests.factory.arrays import analysed, make_study, make_topic, part, random_study


def test_gains_are_held_against_labels_without_the_anchors() -> None:
    data = random_study(topics=3)
    shares = []
    for topic in data.topics:
        right = []
        for one, other in combinations(range(len(topic.gains)), 2):
            if {one, other} & {topic.h_k, topic.n_k}:
                continue
            gains, labels = (
                np.diff(np.asarray(column)[[one, other]])[0]
                for column in (topic.gains, topic.labels)
            )
            if labels and not np.isnan(gains * labels):
                right.append(gains * labels >= 0)
        shares.append(np.mean(right))
    numbers = analysed("labels", data).numbers
    low, high = stats.t.interval(0.95, 2, np.mean(shares), stats.sem(shares))
    assert numbers["pairs_in_order"] == pytest.approx(np.mean(shares))
    assert numbers["pairs_in_order_low"] == pytest.approx(low)
    assert numbers["pairs_in_order_high"] == pytest.approx(high)
    assert numbers["pairs_topics"] == 3


def test_workers_at_or_below_0_are_those_with_enough_judgments() -> None:
    data = random_study(topics=4)
    found = analysed("workers", data)
    names = part(found, "workers").columns
    rows = [dict(zip(names, row, strict=True)) for row in part(found, "workers").rows]
    enough = [r["agreement"] for r in rows if r["judgments"] >= 16 and r["agreement"] is not None]
    enough = [agreement for agreement in enough if not np.isnan(agreement)]
    assert found.numbers["workers_with_enough"] == len(enough)
    assert found.numbers["workers_at_or_below_0"] == sum(agreement <= 0 for agreement in enough)


def test_the_documents_to_read_are_those_of_the_list() -> None:
    data = random_study(topics=3)
    found = analysed("differences", data)
    rows = part(found, "documents").rows
    assert [each[:2] for each in found.numbers["documents"]] == [[*row[:2]] for row in rows]
    same = make_topic([[1, 2, 4, 8]] * 3, [[0, 1, 2, 3]] * 3, [0, 1, 2, 3])
    assert analysed("differences", make_study(same)).numbers["documents"] == []


def test_every_choice_has_its_tau() -> None:
    data = random_study(topics=6)
    found = analysed("sensitivity", data)
    rows = part(found, "tau").rows
    for measure, choice, *taus, _ in rows:
        ends = [found.numbers[f"{end}_{measure}_{choice}"] for end in ("tau", "low", "high")]
        np.testing.assert_array_equal(ends, taus)
    leave_out = {"max / min below 10,000", "two-figure ratios", "no failed finish"}
    leave_out |= {"first unit of a worker"}
    banded = {name.removeprefix("p_") for name in found.numbers if name.startswith("p_")}
    assert {"no failed finish", "first unit of a worker"} <= banded <= leave_out
    for name in {row[1] for row in rows} - leave_out:
        assert np.isnan(found.numbers[f"band_low_{name}"])
    taus = analysed("rankings", data).numbers
    assert taus["tau_nDCG_binary_low"] <= taus["tau_nDCG_binary"] <= taus["tau_nDCG_binary_high"]
