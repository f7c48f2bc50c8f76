"""A folder for uploads, and people who upload."""

from pathlib import Path

import pytest
from django.test import Client

from accounts.models import User
from tests.judging.importing.files import Files


@pytest.fixture(autouse=True)
def upload_dir(settings, tmp_path: Path) -> Path:
    settings.UPLOAD_DIR = str(tmp_path / "uploads")
    return tmp_path / "uploads"


@pytest.fixture
def files(tmp_path: Path) -> Files:
    return Files(tmp_path)


@pytest.fixture
def rosa(db: None) -> User:
    """A researcher who is no admin."""
    return User.objects.create_user("rosa")


@pytest.fixture
def otto(db: None) -> User:
    """Another."""
    return User.objects.create_user("otto")


@pytest.fixture
def desk(rosa: User) -> Client:
    """Rosa's browser."""
    client = Client()
    client.force_login(rosa)
    return client
