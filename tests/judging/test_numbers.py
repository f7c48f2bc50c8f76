"""What may be typed as a score."""

import re
from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from judging.numbers import (
    MAX_LENGTH,
    MAX_SCORE,
    MIN_SCORE,
    InvalidScore,
    PossibleRating,
    displayed_reading,
    exact_score,
    parse_score,
)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("12", 12.0),
        ("0.5", 0.5),
        (".5", 0.5),
        ("5.", 5.0),
        (" 7 ", 7.0),
        ("\u00a07\t", 7.0),
        ("0,5", 0.5),
        (",25", 0.25),
        ("1,5000", 1.5),
        ("0.500", 0.5),
        ("0,500", 0.5),
        ("1234,567", 1234.567),
        ("1234.567", 1234.567),
        ("1/10", 0.1),
        ("3/20", 0.15),
        ("1/3", 1 / 3),
        ("1 / 3", 1 / 3),
        ("2 1/2", 2.5),
        ("½", 0.5),
        ("2½", 2.5),
        ("1⁄4", 0.25),
        ("⅟3", 1 / 3),
        ("2 3/2", 3.5),
        ("٣", 3.0),
        ("３．５", 3.5),
        ("१२", 12.0),
        ("007", 7.0),
        ("0.000000001", 1e-9),
        ("1000000000000", 1e12),
        ("1/1000000000", 1e-9),
    ],
)
def test_accepted(text, value):
    assert parse_score(text) == value


@pytest.mark.parametrize(
    "text",
    [
        *("", "  ", "0", "0.0", "0/4", "-1", "+1", "−3", "1e3", "1E3", "inf", "∞", "nan", "ten"),
        *("1/0", "5²", "1.2.3", "1,2,3", "1 500", "1/2/3", "0.5/2", "12cm", "50%", "1_000"),
        *("0x10", "\x00", ".", ",", "1" * (MAX_LENGTH + 1), "1,500.5", "1 2", "½½", "1,500/3"),
        *("0.000", "0,0", "00", "\u2028", "1\u200b", "Ⅷ", "1//2", "/2", "1/", "1 1/"),
        *("9" * MAX_LENGTH, "1000000000000.1", "1000000000001", "0.0000000009", "1/1000000001"),
        *(
            "1.500",
            "1,500",
            "12.345",
            "999,000",
            "１.５００",
            "8/10",
            "10/10",
            "90/100",
            "+3",
            "1.500 cm",
        ),
        *("1e-400", "0." + "0" * 61 + "1e", "１，５００", "--1", "1/-2", "0 0/1", "1'000"),
    ],
)
def test_refused(text):
    with pytest.raises(InvalidScore):
        parse_score(text)


@pytest.mark.parametrize("mark", [".", ","])
@pytest.mark.parametrize(
    ("text", "thousands", "decimal"),
    [("1~500", "1500", "1.5"), ("3~125", "3125", "3.1250"), ("20~000", "20000", "20.0")],
)
def test_a_mark_before_three_digits_shows_both_spellings(text, mark, thousands, decimal):
    with pytest.raises(InvalidScore) as refusal:
        parse_score(text.replace("~", mark))
    assert f"Write {thousands} or {decimal}," in str(refusal.value)
    before, after = text.split("~")
    assert parse_score(thousands) == int(before + after)
    assert parse_score(decimal) == float(f"{before}.{after}")


@pytest.mark.parametrize("text", ["8/10", "10/10", " 90 / 100 "])
def test_a_rating_is_asked_about_and_then_taken(text):
    with pytest.raises(PossibleRating):
        parse_score(text)
    with pytest.raises(PossibleRating):
        parse_score(text, confirmed="7/10")
    assert parse_score(text, confirmed=text.strip()) == float(exact_score(text))


@pytest.mark.parametrize(
    ("text", "mark", "read"),
    [
        *(("0.5", ".", ""), ("0.5", ",", "0.5"), ("0,5", ".", "0.5"), ("0,5", ",", "")),
        *(("8/10", ",", "0.8"), ("1/3", ".", ""), ("٣", ".", "3"), ("2½", ".", "2.5")),
        *(("12", ",", ""), ("Rel", ",", ""), ("Key, most", ".", "")),
    ],
)
def test_a_number_that_was_read_otherwise_than_typed(text, mark, read):
    assert displayed_reading(text, mark) == read


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ("1.000,5", "Write this number without marks between thousands: 1000.5"),
        ("1,000.5", "Write this number without marks between thousands: 1000.5"),
        ("1,000,000", "Write this number without marks between thousands: 1000000"),
        ("1.000.000", "Write this number without marks between thousands: 1000000"),
        ("12 500,25", "Write this number without marks between thousands: 12500.25"),
        ("1’000", "Write this number without marks between thousands: 1000"),
    ],
)
def test_a_number_of_another_country_is_told_how_to_be_written(text, advice):
    with pytest.raises(InvalidScore) as refusal:
        parse_score(text)
    assert str(refusal.value) == advice
    parse_score(advice.split(": ")[1])


DECIMALS = st.from_regex(r"(?:0|[1-9][0-9]{0,6})[.,](?:[0-9]{1,2}|[0-9]{4,8})", fullmatch=True)
MARKS = st.sampled_from([".", ",", " ", "'", "’"])


@given(DECIMALS)
def test_a_comma_that_can_only_be_a_decimal_comma_is_read_as_a_point(text):
    value = Fraction(text.replace(",", "."))
    assume(value)
    assert exact_score(text) == value


@given(st.integers(1, 10**12), MARKS, st.sampled_from(["", ".5", ",5", ".25", ",125"]))
def test_thousands_are_never_misread(number, mark, decimals):
    """They are refused, or mean what they say."""
    assume(not decimals.startswith(mark))
    text = f"{number:,}".replace(",", mark) + decimals
    meant = Fraction(f"{number}{decimals.replace(',', '.')}")
    try:
        assert exact_score(text) == meant
    except InvalidScore as refusal:
        advice = re.search(r"thousands: (.*)", str(refusal))
        assert not advice or Fraction(advice[1]) == meant


def test_messages_show_no_example_number():
    """An example would act as a modulus."""
    with pytest.raises(InvalidScore) as refusal:
        parse_score("")
    assert not any(char.isdigit() for char in str(refusal.value))


@given(st.integers(1, 10**9), st.integers(1, 10**9))
def test_a_fraction_is_its_nearest_double(over, under):
    assert parse_score(f"{over}/{under}") == float(Fraction(over, under))
    assert exact_score(f"{over}/{under}") == Fraction(over, under)


@pytest.mark.parametrize(("text", "value"), [("0,1", "1/10"), ("2 1/3", "7/3"), ("½", "1/2")])
def test_a_number_as_it_was_meant(text, value):
    assert exact_score(text) == Fraction(value)


@given(st.floats(min_value=1.1e-9, max_value=1e12))
def test_a_decimal_is_its_nearest_double(value):
    assert parse_score(f"{value:.40f}"[:60]) == float(f"{value:.40f}"[:60])


@given(st.text(max_size=80))
def test_any_text_gives_a_positive_double_or_a_refusal(text):
    try:
        value = parse_score(text)
    except InvalidScore:
        return
    assert MIN_SCORE <= value <= MAX_SCORE
