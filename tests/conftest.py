"""What holds for all tests."""

import pytest
from django.conf import settings

# What takes longest comes first, so that no worker is left alone with it in the end.
FIRST = ("acceptance", "browser", "faults", "config")


def pytest_configure() -> None:
    # The usual one takes half a second for each password, on purpose.
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    def place(item: pytest.Item) -> int:
        folders = item.path.parts
        return next((n for n, name in enumerate(FIRST) if name in folders), len(FIRST))

    items.sort(key=place)
