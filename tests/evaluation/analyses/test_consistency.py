"""Whether judges agree with each other and with themselves, against plain Python."""

from itertools import combinations

import numpy as np
import pytest

from tests.factory.arrays import analysed, table
from tests.factory.opinions import imported_study, labels_by_judge, random_opinions


def test_overlap_of_any_two_judges() -> None:
    data = random_opinions(7)
    found = analysed("consistency", data)
    for level in (1, 2):
        both = either = 0.0
        for labels in labels_by_judge(data).values():
            first = [given[0] for given in labels.values()]
            pairs = list(combinations(first, 2))
            for pair in pairs:
                both += (min(pair) >= level) / len(pairs)
                either += (max(pair) >= level) / len(pairs)
        assert found.numbers[f"overlap_{level}"] == pytest.approx(both / either)


def test_inconsistent_judges_do_not_disagree() -> None:
    """All labels are drawn alike: the same judge is as far from themself as from others."""
    found = analysed("consistency", random_opinions(2, topics=10, documents=40, judges=4, times=3))
    assert found.numbers["own"] > found.numbers["cross"] + 0.1  # labels held against themselves
    rows = {row[:3]: row[3] for row in table(found, "repeats").rows}
    once = rows[("the same judge", "two different ones", "HRel")]
    assert once == pytest.approx(rows[("another judge", "one of each", "HRel")], abs=0.05)


def test_consistent_judges_who_disagree() -> None:
    rng = np.random.default_rng(8)
    taste = rng.integers(0, 3, (2, 30)).tolist()
    rows = [
        [(document, judge, taste[judge][document]) for document in range(30) for judge in (0, 1)]
        * 2
        for _ in range(6)
    ]
    found = analysed("consistency", imported_study(rows))
    assert found.numbers["own"] == 1


def test_nobody_repeats_without_being_asked() -> None:
    found = analysed("consistency", random_opinions())
    assert not [part for part in found.parts if part.name == "repeats"]
