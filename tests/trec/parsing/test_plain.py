import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trec.parsing.plain import _ends, has_repeated_pair

ids = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=30)
# Of these, some differ in their first, middle or last bytes only, and some are the end of others.
near = st.sampled_from([end[-n:] for end in ("a" * 40, "ba" * 20, "b" * 40) for n in range(1, 41)])
pairs = st.lists(st.tuples(st.integers(0, 2), ids | near), max_size=30)


@given(pairs, st.integers(0, 3))
def test_a_pair_that_comes_twice_is_found_and_no_other(given_pairs, skipped):
    left = np.array([number for number, _ in given_pairs], np.int32)[skipped:]
    right = pa.array([text for _, text in given_pairs], pa.string())[skipped:]
    rest = given_pairs[skipped:]
    assert has_repeated_pair(left, right) == (len(set(rest)) < len(rest))


@given(st.lists(ids | near, max_size=20))
def test_equal_strings_have_equal_numbers_wherever_they_stand(texts):
    numbers = _ends(pa.array([*texts, *reversed(texts)], pa.string())).tolist()
    assert numbers == numbers[::-1]


@pytest.mark.parametrize("length", [1, 5, 8, 11, 16])
def test_strings_of_up_to_sixteen_bytes_have_numbers_of_their_own(length):
    rng = np.random.default_rng(length)
    texts = {bytes(row).decode() for row in rng.integers(97, 123, (20_000, length), np.uint8)}
    assert len(np.unique(_ends(pa.array(texts, pa.string())))) == len(texts)
