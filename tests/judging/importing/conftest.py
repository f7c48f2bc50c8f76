"""A folder of files to import."""

import pytest

from tests.judging.importing.files import Files


@pytest.fixture
def files(tmp_path) -> Files:
    return Files(tmp_path)
