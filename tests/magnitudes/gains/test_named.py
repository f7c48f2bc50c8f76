import statistics

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from magnitudes.agreement.opinions import Names, Opinions
from magnitudes.gains import GainError
from magnitudes.gains.catalogue import GAINS
from magnitudes.gains.disagreement import disagreement
from magnitudes.gains.level_weights import level_weights
from magnitudes.gains.named import GainNameError, forms, offered, parse
from magnitudes.gains.scores import Scores
from tests.magnitudes.gains.making import made_up, of_documents

SEEDS = st.integers(0, 2**32 - 1)
NAN = float("nan")


@given(SEEDS)
def test_levels_are_medians_of_labels(seed):
    said = made_up(seed)
    found = parse("linear").gains(said), parse("exponential").gains(said)
    for item, (linear, exponential) in enumerate(zip(*found, strict=True)):
        labels = said.levels[(said.items == item) & (said.levels >= 0)].tolist()
        level = statistics.median(labels) if labels else NAN
        assert linear == pytest.approx(level, nan_ok=True)
        assert exponential == pytest.approx(2**level - 1, nan_ok=True)


def test_levels_may_be_given_as_they_are():
    assert parse("linear").gains([0, 2, -2]).tolist() == [0, 2, 0]
    assert parse("exponential").gains([3, NAN]).tolist() == pytest.approx([7, NAN], nan_ok=True)


def test_every_gain_of_levels_is_one_function_of_the_level():
    levels = [0, 1, 2.5, -2, NAN]
    for name, expected in {
        "binary": [0, 1, 1, 0, NAN],
        "C": [0, 1, 2.5, 0, NAN],
        "10+C": [10, 11, 12.5, 10, NAN],
        "2^(1+C)": [2, 4, 2**3.5, 2, NAN],
    }.items():
        assert parse(name).gains(levels).tolist() == pytest.approx(expected, nan_ok=True)
    assert parse("binary").gains(magnitudes([[1, 4, 8], [2, 2, 1]])).tolist() == [1, 0]


def test_what_is_offered_is_what_pages_have_shown_so_far():
    assert list(offered()) == [
        "magnitude",
        "linear",
        "exponential",
        "udm:1/3",
        "raw",
        "weighted",
        "unanimity:0.2",
    ]
    assert all(parse(name).name == name for name in offered())


@pytest.mark.parametrize("word", GAINS)
def test_every_gain_is_listed_and_can_be_asked_for(word):
    option = GAINS[word].option
    gain = parse(f"{word}:{option.usual}" if option else word)
    assert gain.of == GAINS[word].of
    assert word in forms().replace(":", ", ").split(", ")
    assert (word in forms("levels", "opinions").replace(":", ", ").split(", ")) == (
        gain.of != "scores"
    )


def test_magnitudes_are_what_they_are():
    assert parse("magnitude").gains([2.5, NAN]).tolist() == pytest.approx([2.5, NAN], nan_ok=True)


@given(SEEDS)
def test_udm_is_the_mean_weight_of_an_items_labels(seed):
    said = made_up(seed, said=80)
    weights = level_weights(disagreement(said).p, 2, 4)
    if np.isnan(weights)[said.given.levels].any():
        with pytest.raises(GainError, match=r"level \d: no document with two judges has it"):
            parse("udm:2/4").gains(said)
        return
    for item, gain in enumerate(parse("udm:2/4").gains(said)):
        labels = said.levels[(said.items == item) & (said.levels >= 0)]
        expected = weights[labels].mean() if len(labels) else NAN
        assert gain == pytest.approx(expected, nan_ok=True)


def test_a_level_without_a_weight_is_an_error():
    said = of_documents([0, 1], [1, 1], [2], n_levels=4)
    with pytest.raises(GainError, match="level 2: no document with two judges has it, so that it"):
        parse("udm:1/3").gains(said)


@pytest.mark.parametrize("name", ["udm:1/3", "udm:2/3", "udm:3/3"])
def test_where_nobody_finds_the_best_udm_is_refused(name):
    """All gains would be 0, whatever was said."""
    said = of_documents([0, 1], [1, 1], [1, 0], n_levels=3)
    with pytest.raises(GainError, match="no opinion has the level 2, so that the gain of every"):
        parse(name).gains(said)
    assert parse("raw").gains(said).tolist() == [1, 2, 1]


def test_unanimity_as_its_paper_has_it():
    """Table 1 of Sakai (EVIA 2017): five ratings up to 3 of each item."""
    said = of_documents([1, 1, 2, 3, 3], [2, 2, 2, 2, 2], [0, 0, 0, 0, 3], [0] * 5, n_levels=4)
    assert parse("raw").gains(said).tolist() == [10, 10, 3, 0]
    assert parse("unanimity:0.2").gains(said).tolist() == pytest.approx([11, 13, 3, 0])
    assert parse("weighted").gains(said).tolist() == pytest.approx([10 / 3, 10, 0, 0])
    assert parse("unanimity:0").gains(said).tolist() == parse("raw").gains(said).tolist()


def test_items_with_fewer_labels_than_most_are_scaled_up():
    said = of_documents([1, 2, 2], [1, 1, 1], [2], [2, 2, 2, 2])
    assert parse("raw").gains(said).tolist() == [5, 3, 6, 6]
    assert parse("raw").gains(of_documents([1], [1, 2])).tolist() == [2, 3]


def test_fewer_ratings_than_count_are_told():
    said = of_documents([1, 2, 2], [1, 1, 1], [2], [2, 2, 2, 2])
    told = (
        "1 of 4 documents has fewer than 3 ratings: RawG is scaled up to 3, and D may be too small"
    )
    for name in ("raw", "weighted", "unanimity:0.5"):
        assert parse(name).remark(said) == told
        assert "3 of 4 documents have fewer than 4 ratings" in parse(name, 4).remark(said)
        assert parse(name, 1).remark(said) == "documents count with 1 rating each, so that D is 0"
        assert parse(name).remark(of_documents([1, 1], [2, 2])) == ""
        assert parse(name).remark(Opinions([], [], [], 3, [0, 0])) == ""
    assert "1 of 2 documents has fewer than 3" in parse("raw").remark(
        magnitudes([[1, 4, 8], [32, 16]])
    )
    assert parse("linear").remark(said) == parse("udm:1/3").remark(said) == ""


def test_messages_name_levels_and_judges():
    names = Names(["No", "Rel", "Key"], ["anna", "ben"].__getitem__)
    alone = Opinions([0, 0], [1, 2], [1, 1], 3, [0], names)
    with pytest.raises(GainError, match="all labels are of judge ben"):
        parse("udm:1/3").gains(alone)
    said = Opinions([0, 0, 1], [0, 2, 1], [0, 1, 0], 3, [0, 0], names)
    with pytest.raises(GainError, match="level Rel: no document with two judges has it, so"):
        parse("udm:1/3").gains(said)


def test_where_nothing_was_said_there_is_no_gain():
    for name in ("linear", "raw", "unanimity:0.2"):
        assert np.isnan(parse(name).gains(Opinions([], [], [], 3, [0, 0]))).all()


@pytest.mark.parametrize(
    ("name", "spelled", "of"),
    [
        ("magnitude", "magnitude", "scores"),
        ("linear", "linear", "levels"),
        ("exponential", "exponential", "levels"),
        ("udm:1/3", "udm:1/3", "opinions"),
        ("udm:01/3", "udm:1/3", "opinions"),
        ("raw", "raw", "opinions"),
        ("weighted", "weighted", "opinions"),
        ("unanimity:0.20", "unanimity:0.2", "opinions"),
        ("unanimity:.2", "unanimity:0.2", "opinions"),
        ("unanimity:1", "unanimity:1", "opinions"),
        ("unanimity:.000000000015", "unanimity:1.5e-11", "opinions"),
        ("udm:1/10000", "udm:1/10000", "opinions"),
        ("binary", "binary", "levels"),
        ("10^(1+C)", "10^(1+C)", "levels"),
    ],
)
def test_one_spelling_for_each(name, spelled, of):
    gain = parse(name)
    assert (gain.name, gain.of) == (spelled, of)
    assert parse(gain.name).name == spelled


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("Linear", "no gain is called 'Linear'; there are magnitude, linear, exponential, udm:M/N"),
        ("", "no gain is called ''"),
        ("udm", "no gain is called 'udm'"),
        ("udm:1/3 ", "no gain"),
        ("raw:", "no gain is called 'raw:'"),
        ("binary:2", "no gain is called 'binary:2'"),
        ("unanimity:-0.1", "unanimity:-0.1: expected p from 0 to 1"),
        ("unanimity:nan", "expected p from 0 to 1"),
        ("unanimity:", "expected p from 0 to 1"),
        ("unanimity:1e400", "expected p from 0 to 1"),
        ("udm:1/10001", "udm:1/10001: M and N are at most 10,000 users"),
        ("udm:99999999999999999999/999999999999999999999", "are at most 10,000 users"),
        ("udm:1/" + "9" * 5000, "are at most 10,000 users"),
        ("udm:4/3", "needs 1 <= M <= N"),
        ("udm:0/3", "needs 1 <= M <= N"),
        ("unanimity:1.1", "expected p from 0 to 1"),
    ],
)
def test_no_such_gain(name, message):
    with pytest.raises(GainNameError, match=message):
        parse(name)


@pytest.mark.parametrize("name", ["udm:1/3", "raw", "weighted", "unanimity:0.2"])
def test_a_gain_of_opinions_cannot_be_had_of_one_number(name):
    with pytest.raises(GainError, match=f"{name} needs opinions"):
        parse(name).gains([1, 2])


def test_a_magnitude_cannot_be_had_of_levels():
    with pytest.raises(GainError, match="magnitude needs aggregated scores"):
        parse("magnitude").gains(of_documents([1, 2]))


def magnitudes(values, n_k=2.0, h_k=16.0):
    """Scores of documents, one list each, in one topic; `linear` has four levels, at 2 4 8 16."""
    items = np.repeat(np.arange(len(values)), [len(of) for of in values])
    judges = np.concatenate([np.arange(len(of)) for of in values])
    flat = np.array([value for of in values for value in of], dtype=float)
    whole = np.array([statistics.median(of) for of in values])
    topics = np.zeros(len(values), dtype=int)
    return Scores(items, flat, judges, topics, np.array([n_k]), np.array([h_k]), whole)


def test_magnitudes_of_several_judges():
    said = magnitudes([[1, 4, 8], [32, 16, 16], [2, 2, 1]])
    assert parse("magnitude").gains(said).tolist() == [4, 16, 2]
    assert parse("linear").gains(said).tolist() == [1, 3, 0]
    assert parse("exponential").gains(said).tolist() == pytest.approx([1, 7, 0])
    as_levels = of_documents([0, 1, 2], [3, 3, 3], [0, 0, 0], n_levels=4)
    assert parse("udm:1/3").gains(said).tolist() == parse("udm:1/3").gains(as_levels).tolist()
    assert parse("raw").gains(said).tolist() == pytest.approx([1, 3, 0])
    assert parse("weighted").gains(said).tolist() == pytest.approx([1 / 3, 3, 0])
    aware = parse("unanimity:0.5").gains(said).tolist()
    assert aware == pytest.approx([1 + 0.5 * 3 * (1 - 2 / 3), 3 + 0.5 * 3, 0])


def test_where_anchors_are_in_no_order_magnitudes_alone_are_gains():
    said = magnitudes([[1, 4], [3, 3]], n_k=4.0, h_k=4.0)
    assert parse("magnitude").gains(said).tolist() == [2.5, 3]
    for name in ("linear", "exponential", "raw", "weighted", "unanimity:0.2"):
        assert np.isnan(parse(name).gains(said)).all()
    with pytest.raises(GainError, match="no document"):
        parse("udm:1/3").gains(said)


def test_how_many_ratings_count_may_be_given() -> None:
    """Of an item with more, the first; one with fewer is scaled up; otherwise as most have."""
    said = Opinions([0, 0, 0, 1, 1], [2, 1, 0, 1, 2], [0, 1, 2, 0, 1], 3, [0, 0])
    assert parse("raw").gains(said).tolist() == [3, 4.5]
    assert parse("raw", 2).gains(said).tolist() == [3, 3]
    assert parse("weighted", 2).gains(said).tolist() == [1.5, 1.5]
    assert parse("unanimity:0.5", 2).gains(said).tolist() == [4, 4]
    assert parse("raw", 4).gains(said).tolist() == [4, 6]
