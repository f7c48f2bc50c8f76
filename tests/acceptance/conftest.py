"""The product on a folder of its own, for the tests that come over HTTP."""

from collections.abc import Iterator

import pytest

from tests.acceptance.cranfield import Site


@pytest.fixture(scope="package")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    site = Site(tmp_path_factory.mktemp("var"))
    yield site
    assert site.stop() == []
