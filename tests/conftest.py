"""What holds for all tests."""

import gc
from pathlib import Path

import pytest
from django.conf import settings
from xdist.remote import Producer
from xdist.scheduler import LoadFileScheduling, Scheduling

# What takes longest comes first, so that no worker is left alone with it in the end.
TESTS = Path(__file__).parent
FIRST = ("browser", "acceptance", "faults", "config")


def pytest_configure() -> None:
    # The usual one takes half a second for each password, on purpose.
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    # Each client of a test would look through all static files first.
    settings.WHITENOISE_AUTOREFRESH = True


def pytest_collection_finish() -> None:
    # What was imported and collected is there to stay, and a test leaves few cycles: the garbage
    # collector would look through all of it hundreds of times.
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    def place(item: pytest.Item) -> int:
        folder = item.path.relative_to(TESTS).parts[0]
        return FIRST.index(folder) if folder in FIRST else len(FIRST)

    items.sort(key=place)


class Together(LoadFileScheduling):
    """Each file in one process, and all that drives the browser too: one site serves them all."""

    def _split_scope(self, nodeid: str) -> str:
        return "browser" if "tests/browser/" in nodeid else super()._split_scope(nodeid)


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> Scheduling:
    return Together(config, log)
