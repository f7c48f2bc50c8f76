"""What docs/operations/backups.md has people type: its commands, options and parts are there."""

import re
import shlex
from pathlib import Path

import pytest
import yaml
from django.conf import settings
from django.core.management import get_commands, load_command_class

from tests.config import compose
from tests.config.compose import GIVEN

PAGE = (Path(settings.BASE_DIR) / "docs/operations/backups.md").read_text()
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```$", PAGE, re.M | re.S)
TYPED = [line for kind, text in BLOCKS if not kind for line in text.splitlines()]
(OVERRIDE,) = (yaml.safe_load(text) for kind, text in BLOCKS if kind == "yaml")
COMPOSE = re.compile(
    r"docker compose (?P<verb>build|exec|run|stop|up)(?P<options>(?: --?[\w-]+)*)(?P<words>[^<>)]*)"
)
MANAGE = re.compile(r"python manage\.py (?P<name>\w+)(?P<words>[^<>)]*)")
STORING = {"operations.backup.tasks", "operations.record.tasks"}  # what writes to BACKUP_URL


def words_of(pattern: re.Pattern[str]) -> list[re.Match[str]]:
    return [found for line in TYPED if (found := pattern.search(line))]


@pytest.mark.parametrize("typed", words_of(MANAGE), ids=lambda found: found[0])
def test_every_command_takes_its_options(typed: re.Match[str]) -> None:
    command = load_command_class(get_commands()[typed["name"]], typed["name"])
    command.create_parser("manage.py", typed["name"]).parse_args(shlex.split(typed["words"]))


@pytest.mark.parametrize("typed", words_of(COMPOSE), ids=lambda found: found[0])
def test_every_part_is_one_of_the_containers(typed: re.Match[str]) -> None:
    words = typed["words"].split()
    parts = words[:1] if typed["verb"] in ("exec", "run") else words
    assert set(parts) <= compose.read(GIVEN).keys()
    if typed["verb"] == "run":  # what is read or written past the container; and not all parts
        assert {"-T", "--no-deps"} <= set(typed["options"].split())


def test_every_part_that_writes_backups_has_the_folder() -> None:
    parts = compose.read(GIVEN)
    writing = {name for name in parts if STORING & set(settings.TASKS_OF_QUEUES.get(name, ()))}
    typed = {
        found["words"].split()[0]
        for found in words_of(COMPOSE)
        if re.search(r"manage\.py (backup|restore)", found["words"])
    }
    assert len(writing) == 2
    assert typed
    assert writing | typed == OVERRIDE["services"].keys()
    (folders,) = {tuple(part["volumes"]) for part in OVERRIDE["services"].values()}
    (folder,) = folders
    inside = folder.rpartition(":")[2]
    assert f"BACKUP_URL=file://{inside}" in TYPED
