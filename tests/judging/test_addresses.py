"""Ids with any letters in them, in addresses."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from web.urls import IdConverter

CONVERTER = IdConverter()


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1))
def test_any_id_comes_back_from_one_part_of_an_address(name: str) -> None:
    written = CONVERTER.to_url(name)
    assert not set(written) & set("/%?#\\")
    assert written.isascii()
    assert written not in (".", "..")
    assert CONVERTER.to_python(written) == name


def test_usual_ids_stay_as_they_are() -> None:
    for name in ("401", "FT934-4848", "clueweb12-0000tw-00-00001", "en.wikipedia_1"):
        assert CONVERTER.to_url(name) == name


@pytest.mark.parametrize("written", ["a~", "a~2", "~zz", "~FF", "~00", "a~C3"])
def test_what_no_id_is_written_as(written: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        CONVERTER.to_python(written)
