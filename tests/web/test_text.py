"""The order in which people expect names."""

from hypothesis import given
from hypothesis import strategies as st

from web.text import natural


def test_digits_count_as_numbers_wherever_they_stand() -> None:
    names = ["q10b2", "q2", "", "67", "219", "q10b10", "a", "23", "q10"]
    expected = ["", "23", "67", "219", "a", "q2", "q10", "q10b2", "q10b10"]
    assert sorted(names, key=natural) == expected


@given(st.lists(st.text("0019aé٣", max_size=6)))
def test_any_names_have_one_order(names: list[str]) -> None:
    turned = names[::-1]
    assert sorted(names, key=natural) == sorted(turned, key=natural)


@given(st.lists(st.integers(0, 10**40)))
def test_numbers_stand_in_the_order_of_numbers(numbers: list[int]) -> None:
    assert sorted(map(str, numbers), key=natural) == list(map(str, sorted(numbers)))
