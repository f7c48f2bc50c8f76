import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from magnitudes.files.ids import codes, decoded, encoded, has_repeated_pair, pair_hashes

ids = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=30)
# Of these, some differ in their first, middle or last bytes only, and some are the end of others.
near = st.sampled_from([end[-n:] for end in ("a" * 40, "ba" * 20, "b" * 40) for n in range(1, 41)])
pairs = st.lists(st.tuples(st.integers(0, 2), ids | near), max_size=30)


@given(pairs, st.integers(0, 3))
def test_a_pair_that_comes_twice_is_found_and_no_other(given_pairs, skipped):
    left = np.array([number for number, _ in given_pairs], np.int32)[skipped:]
    right = encoded(text for _, text in given_pairs)[skipped:]
    rest = given_pairs[skipped:]
    assert has_repeated_pair(left, right) == (len(set(rest)) < len(rest))


@given(pairs)
def test_pairs_with_one_hash_are_told_apart(given_pairs):
    left = np.array([number for number, _ in given_pairs], np.int32)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("magnitudes.files.ids._MIXER", np.uint64(0))
        found = has_repeated_pair(left, encoded(text for _, text in given_pairs))
    assert found == (len(set(given_pairs)) < len(given_pairs))


@pytest.mark.parametrize("length", [1, 5, 8, 11, 16, 40])
def test_different_ids_hardly_ever_have_one_hash(length):
    rng = np.random.default_rng(length)
    texts = {bytes(row).decode() for row in rng.integers(97, 123, (20_000, length), np.uint8)}
    hashes = pair_hashes(np.zeros(len(texts), np.int32), encoded(texts))
    assert len(np.unique(hashes)) == len(texts)


@given(st.lists(ids | near, min_size=1))
def test_equal_ids_have_equal_hashes_in_arrays_of_any_width(texts):
    left = np.arange(len(texts))
    hashes = pair_hashes(left, encoded(texts))
    wider = pair_hashes(np.append(left, 0), encoded([*texts, "c" * 50]))
    assert hashes.tolist() == wider[:-1].tolist()


@given(st.lists(ids | st.sampled_from("ab"), max_size=20))
def test_codes_count_by_first_appearance(texts):
    numbers, distinct = codes(encoded(texts))
    assert numbers.dtype == np.int32
    assert decoded(distinct) == list(dict.fromkeys(texts))
    assert [decoded(distinct)[number] for number in numbers] == texts
