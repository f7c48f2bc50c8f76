"""nERR, nG and P+ as pyNTCIREVAL has them, whose gains are whole numbers; and in properties."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyNTCIREVAL.metrics import MSnDCG, PPlusMeasure, nDCG, nERR

from magnitudes.gains import GainError
from magnitudes.measures.by_rank.gain_at import gain_at
from magnitudes.measures.by_rank.nerr import nerr
from magnitudes.measures.by_rank.p_plus import p_plus
from magnitudes.measures.names import parse

GRADES = [1, 3, 7]  # the gains of levels 1 to 3
NAMES = ["nG@3", "nERR@7", "nERR", "P+", "P+@7"]
gains = st.one_of(st.integers(0, 4).map(float), st.floats(1e-3, 300))
topics = st.lists(gains, min_size=1, max_size=25)


@st.composite
def experiments(draw):
    """Levels of judged documents with one of the top level, and of a ranked list; in gains."""
    judged = [3, *draw(st.lists(st.integers(0, 3), max_size=15))]
    mixed = [*judged, *[0] * draw(st.integers(0, 6))]
    ranked = draw(st.permutations(mixed))[: draw(st.integers(1, len(mixed)))]
    per_level = [judged.count(level) for level in range(4)]
    worth = [0, *GRADES]
    return (
        [(str(rank), level) for rank, level in enumerate(ranked)],
        per_level,
        [worth[level] for level in ranked],
        [worth[level] for level in judged],
    )


@given(experiments(), st.integers(1, 20))
def test_nerr(drawn, k):
    levels, per_level, ranked, judged = drawn
    theirs = nERR(per_level, GRADES, k).compute(levels)
    assert float(nerr(ranked, judged, k)) == pytest.approx(theirs, rel=1e-12)
    assert nerr(ranked, judged, k, largest=7) == nerr(ranked, judged, k)


@given(experiments())
def test_nerr_of_the_highest_level_where_no_document_has_it(drawn):
    levels, per_level, ranked, judged = drawn
    theirs = nERR([*per_level, 0], [*GRADES, 15], None).compute(levels)
    assert float(nerr(ranked, judged, None, largest=15)) == pytest.approx(theirs, rel=1e-12)


@given(experiments(), st.sampled_from([0, 1, 2.5]), st.integers(1, 20))
def test_p_plus_of_a_list_that_is_cut_first(drawn, b, k):
    levels, per_level, ranked, judged = drawn
    theirs = PPlusMeasure(per_level, GRADES, b).compute(levels[:k])
    assert float(p_plus(ranked, judged, k, b)) == pytest.approx(theirs, rel=1e-12)


@given(experiments(), st.integers(1, 20))
def test_gain_at_is_ndcg_without_discounts_and_at_1_any_ndcg(drawn, k):
    levels, per_level, ranked, judged = drawn
    theirs = nDCG(per_level, GRADES, logb=1e9, cutoff=k).compute(levels)
    assert float(gain_at(ranked, judged, k)) == pytest.approx(theirs, rel=1e-12)
    theirs = MSnDCG(per_level, GRADES, cutoff=1).compute(levels)
    assert float(gain_at(ranked, judged)) == pytest.approx(theirs, rel=1e-12)


@given(topics, st.integers(1, 30))
def test_a_perfect_list_scores_exactly_1(judged, k):
    best = sorted(judged, reverse=True)
    for measure in (gain_at, nerr, p_plus):
        assert measure(best, judged, k) == float(max(judged) > 0)


@given(topics, st.randoms(), st.sampled_from([None, 1, 2.5]), st.sampled_from([0, 1, 0.3]))
def test_p_plus_with_a_threshold(judged, random, rel, b):
    ranked = random.sample(judged + [0.0] * 5, len(judged))
    hits = [gain > 0 if rel is None else gain >= rel for gain in ranked]
    ideal = sorted(judged, reverse=True)
    ratios = [
        (sum(hits[:r]) + b * sum(ranked[:r])) / (r + b * sum(ideal[:r]))
        for r in range(1, ranked.index(max(ranked)) + 2)
        if hits[r - 1]
    ]
    expected = sum(ratios) / len(ratios) if ratios else 0
    assert float(p_plus(ranked, judged, b=b, rel=rel)) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_many_rankings_at_once_are_each_alone_to_the_last_bit(name):
    rng = np.random.default_rng(2)
    judged = rng.integers(0, 3, (4, 12)) * rng.random((4, 12))
    ranked = np.stack([rng.permuted(judged, axis=1)[:, :9] for _ in range(5)])
    measure = parse(name)
    together = measure.evaluate(ranked, judged)
    assert together.shape == (5, 4)
    for run in range(5):
        for topic in range(4):
            padded = np.append(ranked[run, topic], [0, 0, 0])
            more = np.append(judged[topic], [0, 0])
            assert measure.evaluate(padded, more) == together[run, topic]


@pytest.mark.parametrize("name", NAMES)
def test_nothing_to_find_and_nothing_found(name):
    measure = parse(name)
    assert measure.evaluate([0, 0, 0], [0, 0]) == 0
    assert measure.evaluate([], []) == 0
    assert measure.evaluate([], [1]) == 0
    assert measure.evaluate(np.zeros((3, 0, 10)), np.zeros((0, 5))).shape == (3, 0)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("ranked", "judged", "said"),
    [
        ([-1], [1], "ranked gain -1.0"),
        ([1], [float("nan")], "judged gain nan"),
        ([2], [1], "above the largest"),
        ([[1], [1]], [[1], [1], [1]], "do not fit"),
    ],
)
def test_what_cannot_be_measured(name, ranked, judged, said):
    with pytest.raises(GainError, match=said):
        parse(name).evaluate(ranked, judged)


def test_options_out_of_range():
    with pytest.raises(GainError, match="b -1"):
        p_plus([1], [1], b=-1)
    with pytest.raises(GainError, match="b inf is not a finite number"):
        p_plus([1], [1], b=np.inf)
    with pytest.raises(GainError, match=r"gain 3\.0 is above the largest given"):
        nerr([1], [3], largest=2)
