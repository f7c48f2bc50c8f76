"""Cranfield, as it lies in the folder DATA, and the product on a folder of its own."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from functools import cached_property
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command

from tests.config.helpers import ROOT
from tests.faults import site

pytestmark = [
    pytest.mark.acceptance,
    pytest.mark.skipif("DATA" not in os.environ, reason="DATA names no folder"),
]
DATA = Path(os.environ.get("DATA", "")).resolve() / "cranfield"
FILES = (
    *("--topics", DATA / "topics.trec", "--documents", DATA / "documents.trec"),
    *("--qrels", DATA / "qrels.txt", "--runs", DATA / "runs"),
)
TOPICS, PAIRS, RUNS = 12, 734, 34
Run = Callable[..., str]
QUESTION = "What is asked for?"
TOPIC = """
[topics.{number}]
question = "{question}"
options = ["{title}", "The price of coal", "The habits of whales", "None of these"]
answer = "{title}"
"""


def titles() -> dict[str, str]:
    found = re.findall(r"<num> Number: (\S+)\s+<title>(.*)", (DATA / "topics.trec").read_text())
    return {number: " ".join(title.split()) for number, title in found}


def questions() -> str:
    """What a study.toml says of the topics: a question on each."""
    return "".join(
        TOPIC.format(number=number, title=title, question=QUESTION)
        for number, title in titles().items()
    )


def here(*arguments: object) -> str:
    """Run a command in this process; what it prints."""
    out = StringIO()
    call_command(*map(str, arguments), stdout=out, stderr=StringIO())
    return out.getvalue()


def open_study(run: Run, slug: str, collection: str, settings: str, folder: Path, seed: int) -> int:
    """Create, plan and open a study of all topics; how many units it has.

    run: runs a command of the product, here or at a site.
    """
    config = folder / f"{slug}.toml"
    config.write_text(settings + questions())
    run("create_study", slug, "--collection", collection, "--config", config)
    planned = run("plan_units", slug, "--seed", seed)
    run("open_study", slug)
    pairs, units = re.match(r"(\d+) documents, (\d+) units, ", planned).groups()
    assert int(pairs) == PAIRS
    return int(units)


class Site(site.Site):
    """The product, running on a folder and a port of its own."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, DJANGO_SUPERUSER_PASSWORD="over-the-rosy-hills")
        assert self.wait_until_ready() == [f"url: {self.address}/"]

    @cached_property
    def _commands(self) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "tests.acceptance.commands"],
            cwd=ROOT,
            env=self.given,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def manage(self, *arguments: object) -> str:
        """Run a command; what it prints."""
        commands = self._commands
        assert commands.stdin
        assert commands.stdout
        print(json.dumps([*map(str, arguments)]), file=commands.stdin, flush=True)
        answer = commands.stdout.readline()
        assert answer, f"{arguments[0]} failed"
        printed: str = json.loads(answer)
        return printed

    def stop(self) -> list[str]:
        self._commands.communicate(timeout=30)
        return super().stop()
