"""Commands that are killed in their midst: a few every night, and many of each (`whole`)."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.db import connection

from tests.faults.cut.commands import Command
from tests.faults.cut.cutting import WAYS, cuts, learnt
from tests.faults.cut.sites import commands

pytestmark = [pytest.mark.nightly, pytest.mark.django_db]
SEED = 1
NAMES = ("migrate", "import_collection", "recompute", "backup", "restore")
MANY = 20


@pytest.fixture(scope="module", params=[2])
def known(
    request, django_db_setup, django_db_blocker, tmp_path_factory
) -> Iterator[dict[str, Command]]:
    folder = tmp_path_factory.mktemp("cut")
    with django_db_blocker.unblock(), commands(folder, request.param) as made:
        yield {command.name: command for command in made}


SPOILED = {
    "migrate": "DELETE FROM django_migrations WHERE app = 'workspace'",
    "import_collection": "DELETE FROM judging_label WHERE id = (SELECT min(id) FROM judging_label)",
    "recompute": "UPDATE evaluation_ranking SET ranks = means",
    "restore": "UPDATE judging_judgment SET score = score + 1",
}


def spoil(name: str, folder: Path) -> None:
    if name in SPOILED:
        with connection.cursor() as cursor:
            cursor.execute(SPOILED[name])
    else:
        (file,) = folder.glob("store/backups/*.age")
        os.truncate(file, file.stat().st_size - 1)


@pytest.mark.parametrize("name", NAMES)
def test_what_is_killed_in_its_midst_is_whole_or_not_there(
    known: dict[str, Command], name: str, tmp_path: Path
) -> None:
    command = known[name]
    with learnt(command, tmp_path / "whole"):
        assert list(command.half()) == []
        spoil(name, tmp_path / "whole")
        assert len(list(command.half())) == 1
    (cut,) = cuts(command, 1, SEED, tmp_path)
    assert not cut.wrong, cut


@pytest.mark.whole
@pytest.mark.parametrize("known", [20], indirect=True)
@pytest.mark.parametrize("name", NAMES)
def test_each_is_whole_however_often_it_is_killed(
    known: dict[str, Command], name: str, tmp_path: Path
) -> None:
    with learnt(known[name], tmp_path / "whole"):
        pass
    made = list(cuts(known[name], MANY, SEED, tmp_path))
    assert not [cut for cut in made if cut.wrong]
    assert {cut.way for cut in made} == {*WAYS}
