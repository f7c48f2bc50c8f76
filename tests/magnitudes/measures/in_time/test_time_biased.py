"""TBG: the published numbers, plain loops over the formulas, and properties."""

import math
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from magnitudes.gains import GainError
from magnitudes.measures.in_time import time_biased
from magnitudes.measures.in_time.reader import BOUNDS, LONGEST, Reader
from magnitudes.measures.in_time.time_biased import tbg
from magnitudes.measures.in_time.time_norms import ideal, unlimited

H, T_S, A, B = 224, 4.4, 0.018, 7.8
CLICK, SAVE = {1: 0.64, 0: 0.39}, 0.77
documents = st.lists(
    st.tuples(st.sampled_from([0, 1, 3.5]), st.integers(0, 3000), st.booleans()),
    min_size=1,
    max_size=12,
)


def by_hand(listed, rel=0.5, k=None, nothing=False):
    """Equations (3), (4) and (6), one document after the other: (gain, words, repeat)."""
    value = time = 0.0
    for gain, words, repeat in listed[:k]:
        r = int(gain >= rel)
        if r and not (nothing and repeat):
            value += CLICK[1] * SAVE * math.exp(-time * math.log(2) / H)
        time += T_S + (A * (0 if repeat else words) + B) * CLICK[r]
    return value


def arrays(listed):
    gains, words, repeats = zip(*listed, strict=True)
    return {
        "ranked": gains,
        "judged": gains,
        "words": np.array(words, dtype=float),
        "repeats": np.array(repeats),
    }


def test_the_numbers_of_the_paper():
    """A relevant document is worth 0.64 · 0.77; N is printed as 17.1, and is 17.204."""
    assert float(Reader().gain) == pytest.approx(0.4928, abs=1e-15)
    assert float(tbg([1], [1], words=[800])) == pytest.approx(0.4928, abs=1e-15)
    assert float(unlimited(Reader())) == pytest.approx(17.204, abs=5e-4)
    by_sum = sum(
        0.4928 * math.exp(-k * (4.4 + 7.8 * 0.64) * math.log(2) / 224) for k in range(9000)
    )
    assert float(unlimited(Reader())) == pytest.approx(by_sum, rel=1e-12)
    endless = tbg(np.ones(5000), [1], words=np.zeros(5000), norm="unlimited")
    assert float(endless) == pytest.approx(1, abs=1e-12)


@given(documents, st.sampled_from([None, 1, 2]), st.sampled_from([None, 1, 5]), st.booleans())
def test_the_definition(listed, rel, k, nothing):
    value = tbg(**arrays(listed), rel=rel, k=k, duplicates="nothing" if nothing else "gain")
    assert float(value) == pytest.approx(by_hand(listed, rel or 1e-9, k, nothing), rel=1e-12)


def test_many_rankings_at_once_are_each_alone_to_the_last_bit():
    rng = np.random.default_rng(5)
    judged = rng.integers(0, 3, (4, 12)).astype(float)
    ranked = np.stack([rng.permuted(judged, axis=1)[:, :9] for _ in range(5)])
    words = rng.integers(0, 900, ranked.shape).astype(float)
    repeats = rng.random(ranked.shape) < 0.2
    slopes = np.array([0.01, 0.02, 0.03, 0.0])
    given = {"norm": "unlimited", "words": words, "repeats": repeats, "slope": slopes}
    together = tbg(ranked, judged, **given)
    assert together.shape == (5, 4)
    for run in range(5):
        for topic in range(4):
            one = (run, topic)
            alone = tbg(
                np.append(ranked[one], 0),
                judged[topic],
                norm="unlimited",
                words=np.append(words[one], 77),
                repeats=np.append(repeats[one], False),
                slope=slopes[topic],
            )
            assert together[one] == alone


def test_longer_documents_before_a_relevant_one_cost_and_behind_it_do_not():
    given = {"ranked": [0, 1, 0], "judged": [1]}
    plain = tbg(**given, words=[100, 100, 100])
    assert tbg(**given, words=[200, 100, 100]) < plain
    assert tbg(**given, words=[100, 200, 900]) == plain


def test_an_unknown_length_matters_only_before_a_relevant_document():
    nan = math.nan
    assert float(tbg([1, 0], [1], words=[nan, nan])) == pytest.approx(0.4928)
    assert math.isnan(tbg([0, 1], [1], words=[nan, 10]))
    assert float(tbg([0, 1], [1], words=[nan, 10], repeats=[True, False])) > 0
    assert float(tbg([0, 1], [1], k=1, words=[nan, 10])) == 0


@given(documents, st.lists(st.integers(0, 3), min_size=12, max_size=12), st.booleans())
def test_the_ideal_is_the_best_order(listed, classes, nothing):
    """All orders of up to five relevant documents; some are near duplicates."""
    listed = listed[:5]
    gains, words, _ = (np.array(column, dtype=float) for column in zip(*listed, strict=True))
    kinds = np.array(classes[: len(listed)])
    relevant = [(1, words[n], kinds[n]) for n in range(len(listed)) if gains[n] > 0]

    def value(order):
        seen = set()
        row = []
        for gain, length, kind in order:
            row.append((gain, length, kind in seen))
            seen.add(kind)
        return by_hand(row, nothing=nothing)

    best = max(map(value, permutations(relevant)))
    option = "nothing" if nothing else "gain"
    found = ideal(gains, words, kinds, Reader(), duplicates=option)
    if nothing:  # a list need not have the repeats at all
        distinct = {}
        for row in sorted(relevant, key=lambda row: row[1]):
            distinct.setdefault(row[2], row)
        best = value(sorted(distinct.values(), key=lambda row: row[1]))
    assert float(found) == pytest.approx(best, rel=1e-12)


@pytest.mark.parametrize("nobody", ["click", "save"])
@pytest.mark.parametrize("norm", ["none", "unlimited", "ideal"])
def test_readers_who_never_click_or_save_have_nothing(nobody, norm):
    lists = {"ranked": [1, 0], "judged": [1, 0], "words": [300, 20], "judged_words": [300, 20]}
    assert float(tbg(**lists, norm=norm, **{nobody: 0})) == 0


def test_a_negative_class_is_none():
    words = [900, 100, 400]
    alone = ideal([1, 1, 1], words, None, Reader())
    assert float(ideal([1, 1, 1], words, [-1, -1, -1], Reader())) == float(alone)
    assert float(ideal([1, 1, 1], words, [-1, 4, -1], Reader())) == float(alone)
    assert float(ideal([1, 1, 1], words, [4, -1, 4], Reader())) > float(alone)


def test_ideals_of_several_topics_and_what_has_none():
    judged = np.array([[1, 0, 2, 0], [0, 0, 0, 0], [1, 1, 0, 0]], dtype=float)
    words = np.array([[900, 5, 30, 0], [1, 2, 3, 4], [10, np.nan, 7, 7]])
    found = ideal(judged, words, None, Reader())
    assert found[0] == ideal([2, 1], [30, 900], None, Reader())
    assert found[1] == 0
    assert np.isnan(found[2])
    given = {"norm": "ideal", "judged_words": words, "words": words}
    values = tbg(judged, judged, **given)
    assert values[1] == 0
    assert np.isnan(values[2])
    best = tbg([2, 1], judged[0], norm="ideal", words=[30, 900], judged_words=words[0])
    assert float(best) == pytest.approx(1, abs=1e-15)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"norm": "other"}, "unknown norm"),
        ({"duplicates": "other"}, "unknown duplicates"),
        ({"norm": "ideal"}, "needs judged_words"),
        ({"words": [1, 2, 3]}, "words"),
        ({"words": [1, -2]}, "length does not lie from 0"),
        ({"words": [1, math.inf]}, "length does not lie from 0"),
        ({"words": [math.nan, -2]}, "length does not lie from 0"),
        ({"repeats": [0, 1]}, "repeats must be true or false"),
        ({"repeats": [True]}, "repeats"),
        ({"half_life": 0.0}, "half_life"),
        ({"click": 1.5}, "click"),
        ({"slope": math.nan}, "slope"),
        ({"slope": np.array([0.1, 0.2])}, r"slope has the shape \(2,\), and the topics have"),
        ({"ranked": [1, -1]}, "gain"),
        ({"k": 0}, "cutoff"),
    ],
)
def test_bad_input(change, message):
    given = {"ranked": [1, 0], "judged": [1, 0], "words": [10.0, 20.0]} | change
    with pytest.raises(GainError, match=message):
        tbg(**given)
    with pytest.raises(GainError, match="take no time"):
        unlimited(Reader(summary=0.0, intercept=0.0))


@given(st.data())
def test_no_number_within_bounds_overflows(data):
    """pytest makes an error of any warning."""
    numbers = {
        name: data.draw(st.sampled_from([least, default, most]))
        for (name, (least, most)), default in zip(BOUNDS.items(), Reader(), strict=True)
    }
    words = data.draw(st.lists(st.sampled_from([0, 500, LONGEST]), min_size=4, max_size=4))
    for norm in ("none", "ideal"):
        value = tbg(
            [1, 0, 1, 1], [1, 1, 1, 0], norm=norm, words=words, judged_words=words, **numbers
        )
        assert 0 <= value <= 3


def test_blocks_do_what_the_whole_does(monkeypatch):
    rng = np.random.default_rng(6)
    judged = rng.integers(0, 3, (4, 30)).astype(float)
    ranked = np.stack([rng.permuted(judged, axis=1)[:, :20] for _ in range(7)])
    given = {
        "words": rng.integers(0, 900, ranked.shape).astype(float),
        "repeats": rng.random(ranked.shape) < 0.2,
        "slope": np.array([0.01, 0.02, 0.03, 0.0]),
    }
    whole = tbg(ranked, judged, rel=2, k=15, duplicates="nothing", **given)
    monkeypatch.setattr(time_biased, "CHUNK_SIZE", 160)
    assert (tbg(ranked, judged, rel=2, k=15, duplicates="nothing", **given) == whole).all()
    with pytest.raises(GainError, match="judged"):
        tbg(ranked, -judged, **given)
