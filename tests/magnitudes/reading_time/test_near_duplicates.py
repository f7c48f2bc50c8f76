"""Near duplicates: what is found is what comparing all pairs finds."""

from itertools import combinations

import numpy as np
import pytest

from magnitudes.reading_time.near_duplicates import near_duplicates


def texts(seed=0, documents=60, length=200):
    """Documents, some of them copies with some words changed."""
    rng = np.random.default_rng(seed)
    made = []
    for n in range(documents):
        words = [f"w{w}" for w in rng.integers(0, 3000, length)]
        made.append(words)
        for _ in range(n % 3):
            copy = list(words)
            for place in rng.choice(length, n % 7, replace=False):
                copy[place] = "changed"
            made.append(copy)
    return {f"d{n}": " ".join(words) for n, words in enumerate(made)}


def by_hand(found, threshold):
    """Pairs, by sets of shingles written out."""
    sets = {}
    for doc_id, text in found.items():
        words = text.lower().split()
        sets[doc_id] = {tuple(words[n : n + 5]) for n in range(max(len(words) - 4, 1))}
    return {
        (one, other)
        for one, other in combinations(found, 2)
        if len(sets[one] & sets[other]) / len(sets[one] | sets[other]) >= threshold
    }


@pytest.mark.parametrize("threshold", [1, 0.95, 0.9, 0.7])
@pytest.mark.parametrize("seed", [0, 1])
def test_every_pair_that_comparing_all_would_find(threshold, seed):
    given = texts()
    found = near_duplicates(given.items(), threshold, seed)
    expected = by_hand(given, threshold)
    assert found.pairs == len(expected) > 10
    assert all(found.classes[one] == found.classes[other] for one, other in expected)
    assert set(found.classes) == {doc_id for pair in expected for doc_id in pair}
    assert found == near_duplicates(given.items(), threshold, seed)


def test_chains_are_one_class_named_by_its_first():
    words = [f"w{n}" for n in range(100)]
    chain = {str(n): " ".join(words[n : n + 90]) for n in range(0, 10, 2)}
    found = near_duplicates({"x": "alone", **chain}.items(), 0.9)
    assert set(found.classes.values()) == {"0"}
    assert "x" not in found.classes
    assert by_hand(chain, 0.9) != set(combinations(chain, 2))


def test_short_and_empty_documents():
    found = near_duplicates([("a", ""), ("b", "  "), ("c", "Two, words"), ("d", "two words")])
    assert found.classes == {"c": "c", "d": "c"}
    assert near_duplicates([]).classes == {}
    with pytest.raises(ValueError, match="threshold"):
        near_duplicates([], 0)
