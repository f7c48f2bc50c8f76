"""What holds for all tests."""

from pathlib import Path

import pytest
from django.conf import settings

# What takes longest comes first, so that no worker is left alone with it in the end.
TESTS = Path(__file__).parent
FIRST = ("browser", "acceptance", "faults", "config")


def pytest_configure() -> None:
    # The usual one takes half a second for each password, on purpose.
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    def place(item: pytest.Item) -> int:
        folder = item.path.relative_to(TESTS).parts[0]
        return FIRST.index(folder) if folder in FIRST else len(FIRST)

    items.sort(key=place)
