"""What holds for all tests."""

import gc
import site
import sys
from pathlib import Path
from types import FrameType

import pytest
from django.conf import settings
from django.db.models.sql.compiler import SQLUpdateCompiler
from xdist.remote import Producer
from xdist.scheduler import LoadFileScheduling, Scheduling

from web import clock

# What takes longest comes first, so that no worker is left alone with it in the end.
TESTS = Path(__file__).parent
FIRST = ("browser", "acceptance", "faults", "config")


def pytest_configure() -> None:
    # The usual one takes half a second for each password, on purpose.
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    # Each client of a test would look through all static files first.
    settings.WHITENOISE_AUTOREFRESH = True
    # How many statements a page takes would depend on when PostgreSQL was asked for the time.
    clock.TRUSTED = 0.0
    refuse_updates_through_joins()


def refuse_updates_through_joins() -> None:
    """The product may make no UPDATE whose conditions stand in a subquery on its own rows.

    Django writes one for each `update()` through a join. When it has waited for another transaction
    PostgreSQL looks at the conditions of the UPDATE again, and not at those of the subquery, so
    that it decides on what the rows were. Lock the rows first, or ask for the other table in a
    subquery of its own.
    """
    prepare = SQLUpdateCompiler.pre_sql_setup

    def check(compiler: SQLUpdateCompiler) -> None:
        query = compiler.query
        query.get_initial_alias()
        joined = query.count_active_tables() > 1 and not _is_asked_by_a_test()
        assert not joined, f"UPDATE of {query.model} through a join"
        prepare(compiler)

    SQLUpdateCompiler.pre_sql_setup = check  # type: ignore[assignment, method-assign]


def _is_asked_by_a_test() -> bool:
    """Whether the code that asks the database is a test's own."""
    frame: FrameType | None = sys._getframe()
    libraries = {str(TESTS.parent / ".venv"), *site.getsitepackages()}
    own = str(TESTS.parent)
    while frame and (frame.f_code.co_filename == __file__ or not _is_ours(frame, own, libraries)):
        frame = frame.f_back
    return frame is None or frame.f_code.co_filename.startswith(str(TESTS))


def _is_ours(frame: FrameType, own: str, libraries: set[str]) -> bool:
    name = frame.f_code.co_filename
    return name.startswith(own) and not any(name.startswith(folder) for folder in libraries)


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
