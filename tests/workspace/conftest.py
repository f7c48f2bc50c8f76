"""A folder for uploads, and people who upload."""

import pytest

from accounts.models import User
from tests.desks import at_desk
from tests.judging.importing.files import Files


@pytest.fixture(autouse=True)
def upload_dir(settings, tmp_path):
    settings.UPLOAD_DIR = str(tmp_path / "uploads")
    return tmp_path / "uploads"


@pytest.fixture
def files(tmp_path):
    return Files(tmp_path)


@pytest.fixture
def rosa(db):
    """A researcher who is no admin."""
    return User.objects.create_user("rosa")


@pytest.fixture
def otto(db):
    """Another."""
    return User.objects.create_user("otto")


@pytest.fixture
def desk(rosa):
    """Rosa's browser."""
    return at_desk(rosa)
