"""Bytes that hypothesis makes, for every reader: what one falls over it makes small by itself."""

import pytest
from django.conf import LazySettings
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fuzzing.mutations import ODD
from tests.fuzzing.readers import READERS
from tests.fuzzing.watching import Watch

EXAMPLES = 50  # for a reader
MOST = 64  # bytes that are put in


@st.composite
def changed(draw: st.DrawFn, seeds: tuple[bytes, ...], words: tuple[bytes, ...]) -> bytes:
    """What a reader takes, with some of it gone and something else in its place."""
    data = draw(st.sampled_from(seeds))
    for _ in range(draw(st.integers(0, 3))):
        start = draw(st.integers(0, len(data)))
        gone = draw(st.integers(0, len(data) - start))
        put = draw(st.sampled_from((*ODD, *words)) | st.binary(max_size=MOST))
        data = data[:start] + put + data[start + gone :]
    return data


@pytest.fixture(autouse=True)
def _any_host(settings: LazySettings) -> None:
    """Requests are read beyond the name of the host."""
    settings.ALLOWED_HOSTS = ["*"]


@pytest.mark.nightly
@pytest.mark.parametrize("name", READERS)
def test_a_reader_raises_its_own_errors_alone(name: str) -> None:
    reader = READERS[name]
    watch = Watch(reader)

    @settings(max_examples=EXAMPLES, derandomize=True, database=None)
    @given(st.binary() | changed(reader.seeds, reader.words))
    def read(data: bytes) -> None:
        assert watch.give(data) is None

    read()
