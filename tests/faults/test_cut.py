"""Commands that are killed in their midst: a few every night, and many of each (`whole`)."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.db import connection

from tests.faults.cut.commands import Command
from tests.faults.cut.cutting import Cut, cuts, learnt
from tests.faults.cut.sites import commands

pytestmark = [pytest.mark.nightly, pytest.mark.django_db]
SEED = 1
NAMES = ("migrate", "import_collection", "recompute", "backup", "restore")
MANY, LARGE = 20, 20


@pytest.fixture(scope="module")
def small(django_db_setup, django_db_blocker, tmp_path_factory) -> Iterator[dict[str, Command]]:
    """The commands on a small site."""
    with django_db_blocker.unblock(), commands(tmp_path_factory.mktemp("cut"), 2) as known:
        yield {command.name: command for command in known}


SPOILED = {
    "migrate": "DELETE FROM django_migrations WHERE app = 'workspace'",
    "import_collection": "DELETE FROM judging_label WHERE id = (SELECT min(id) FROM judging_label)",
    "recompute": "UPDATE evaluation_ranking SET ranks = means",
    "restore": "UPDATE judging_judgment SET score = score + 1",
}


def spoil(name: str, folder: Path) -> None:
    """Have what a command has done half done."""
    if name in SPOILED:
        with connection.cursor() as cursor:
            cursor.execute(SPOILED[name])
    else:
        (file,) = folder.glob("store/backups/*.age")
        os.truncate(file, file.stat().st_size - 1)


@pytest.mark.parametrize("name", NAMES)
def test_what_is_killed_in_its_midst_is_whole_or_not_there(
    small: dict[str, Command], name: str, tmp_path: Path
) -> None:
    command = small[name]
    with learnt(command, tmp_path / "whole"):
        assert list(command.half()) == []
        spoil(name, tmp_path / "whole")
        assert len(list(command.half())) == 1
    (cut,) = cuts(command, 1, SEED, tmp_path)
    assert not cut.wrong, cut


@pytest.fixture(scope="module")
def large(django_db_setup, django_db_blocker, tmp_path_factory) -> Iterator[dict[str, Command]]:
    """The commands on a larger site."""
    folder = tmp_path_factory.mktemp("cut")
    with django_db_blocker.unblock(), commands(folder, LARGE) as known:
        yield {command.name: command for command in known}


@pytest.mark.whole
@pytest.mark.parametrize("name", NAMES)
def test_each_is_whole_however_often_it_is_killed(
    large: dict[str, Command], name: str, tmp_path: Path
) -> None:
    made: list[Cut] = []
    with learnt(large[name], tmp_path / "whole"):
        pass
    for cut in cuts(large[name], MANY, SEED, tmp_path):
        print(cut)  # noqa: T201 - shown by pytest -s
        made.append(cut)
    assert not [cut for cut in made if cut.wrong]
    assert {cut.way for cut in made} == {"the command", "its connections"}
