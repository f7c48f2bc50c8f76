"""Commands of an operator are killed in their midst, while the site is at work.

`tests.faults.cut` kills more of them, on databases of their own.
"""

import itertools
import os
import signal
import subprocess
import sys
import time
from abc import abstractmethod
from contextlib import closing, suppress
from random import Random
from typing import Any

import psycopg2

from operations.backup import manifests
from operations.backup.restoring import validate_file
from operations.backup.stores import BackupFault, Folder
from tests.config.helpers import ROOT
from tests.faults.fault import Fault, Make
from tests.faults.site import DOCUMENTS, RUNS, Site, variables, write_collection

STARTS = 60.0  # seconds until it has loaded what it needs, on a busy machine
WORKS = 1.5  # seconds of its work in which it is killed, at most
TRIES = 4  # to meet one at work: each time it is struck sooner than the one that had ended
ENDS = 300.0
TOPICS = 60  # of the collection that is imported
LISTENS = "SELECT 1 FROM pg_stat_activity WHERE application_name = %s"
STUDY = "SELECT slug FROM judging_study WHERE stage = 'open' ORDER BY id DESC LIMIT 1"
COLLECTION = """
    SELECT (SELECT count(*) FROM judging_topic WHERE collection_id = c.id),
        (SELECT count(*) FROM judging_document WHERE collection_id = c.id),
        (SELECT count(*) FROM judging_run WHERE collection_id = c.id),
        (SELECT count(*) FROM judging_label l JOIN judging_labelset s ON s.id = l.label_set_id
            WHERE s.collection_id = c.id)
    FROM judging_collection c WHERE c.slug = %s
"""
# A ranking that is published as a whole agrees with what it was made of, at every moment.
HALF_RANKED = """
    SELECT e.number, e.topics, e.units, e.judgments, made.*
    FROM evaluation_evaluation e JOIN judging_study s ON s.id = e.study_id
    CROSS JOIN LATERAL (
        SELECT count(*) FILTER (WHERE t.units > 0) AS topics, coalesce(sum(t.units), 0) AS units,
            coalesce(sum(t.judgments), 0) AS judgments
        FROM evaluation_topicevaluation t WHERE t.evaluation_id = e.id) made
    WHERE s.slug = %s AND ((e.topics, e.units, e.judgments)
            <> (made.topics, made.units, made.judgments)
        OR EXISTS (SELECT FROM evaluation_ranking r
            WHERE r.evaluation_id = e.id AND cardinality(r.query_ids) <> e.topics))
"""
COMPLETED = """
    SELECT count(*) FROM judging_assignment a JOIN judging_study s ON s.id = a.study_id
    WHERE s.slug = %s AND a.state = 'completed'
"""
RANKED = """
    SELECT e.units FROM evaluation_evaluation e JOIN judging_study s ON s.id = e.study_id
    WHERE s.slug = %s
"""
_numbers = itertools.count(1)


class Killed(Fault):
    """A command is killed; nobody else notices. It is called again then, to its end."""

    ready = True

    def __init__(self, site: Site, draw: Random) -> None:
        super().__init__(site, draw)
        self.failed = ""  # how, where it failed before it was killed

    @abstractmethod
    def words(self) -> list[str]:
        """What follows manage.py; none: it cannot be called now."""

    @abstractmethod
    def half(self) -> list[str]:
        """What is half done, in words."""

    @abstractmethod
    def is_done(self) -> bool:
        """Whether all is there."""

    def begin(self) -> str:
        """Call it, and kill it and what it has started once it is at work.

        Empty: there was nothing to call, or each one had ended before it could be killed.
        """
        most = WORKS
        for _ in range(TRIES):
            self._take_a_name()
            self.called = self.words()
            if not self.called:
                return ""
            seconds = self.draw.uniform(0, most)
            status = self._kill(seconds)
            if status not in (0, -signal.SIGKILL):
                self.failed = f"{self.called[0]} ended with {status}: {self._said()}"
            if status:
                return f"{self.called[0]}, {seconds:.2f} s at work; it ended with {status}"
            most = seconds
        return ""

    def _take_a_name(self) -> None:
        """Of this call alone: of its connections, its folder, and of what it makes."""
        self.name = f"command-{os.getpid()}-{next(_numbers)}"
        self.folder = self.site.folder / "commands" / self.name
        self.folder.mkdir(parents=True)
        self.log = self.folder / "log"

    def _kill(self, seconds: float) -> int:
        """Call it, and kill it so long after it has connected; how it ended."""
        process = self._call()
        ends = time.monotonic() + STARTS
        while process.poll() is None and time.monotonic() < ends:
            if self.ask(LISTENS, self.name):
                with suppress(subprocess.TimeoutExpired):
                    process.wait(seconds)
                break
            time.sleep(0.01)
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        return process.wait()

    def _said(self) -> str:
        return self.log.read_text()[-2000:]

    def _call(self) -> subprocess.Popen[bytes]:
        backups = {"BACKUP_URL": self.place.root.as_uri()}
        with self.log.open("ab") as log:
            return subprocess.Popen(
                [sys.executable, "manage.py", *self.called],
                cwd=ROOT,
                env=os.environ | variables(self.site.folder) | backups | {"PGAPPNAME": self.name},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    @property
    def place(self) -> Folder:
        """Where backups go."""
        return Folder(self.folder / "store")

    def ask(self, question: str, *arguments: Any) -> list[tuple[Any, ...]]:
        """The rows that answer it."""
        with (
            closing(psycopg2.connect(**self.site.database)) as connection,
            connection.cursor() as cursor,
        ):
            cursor.execute(question, arguments)
            return cursor.fetchall()

    def wrong(self) -> list[str]:
        """What it has left half done, and what is missing once it was called again."""
        found = [self.failed] if self.failed else []
        found += [f"after {self.called[0]} was killed {what}" for what in self.half()]
        if self._call().wait(ENDS):
            found.append(f"{self.called[0]} fails the second time: {self._said()}")
        elif not self.is_done():
            found.append(f"{self.called[0]} has not done its work the second time")
        return found + self.half()


class Import(Killed):
    """A collection that no study uses."""

    def words(self) -> list[str]:
        files = write_collection(self.folder / "files", TOPICS, self.draw.randrange(1000))
        return ["import_collection", self.name, *files]

    def half(self) -> list[str]:
        rows = self.ask(COLLECTION, self.name)
        documents = TOPICS * DOCUMENTS
        whole = [(TOPICS, documents, RUNS, documents)]
        return [] if rows in ([], whole) else [f"a collection has {rows}"]

    def is_done(self) -> bool:
        return bool(self.ask(COLLECTION, self.name))


class Recompute(Killed):
    """The rankings of the study that is being judged; in the end all are held against others."""

    def words(self) -> list[str]:
        rows = self.ask(STUDY)
        if not rows:
            return []
        self.slug = rows[0][0]
        ((self.completed,),) = self.ask(COMPLETED, self.slug)
        return ["recompute", self.slug]

    def half(self) -> list[str]:
        rows = self.ask(HALF_RANKED, self.slug)
        return [f"a ranking is not of what it was made of: {rows}"] if rows else []

    def is_done(self) -> bool:
        return any(units >= self.completed for (units,) in self.ask(RANKED, self.slug))


class Backup(Killed):
    """A backup of the site at work."""

    def words(self) -> list[str]:
        return ["backup"]

    def half(self) -> list[str]:
        found = []
        for manifest in manifests.backups(self.place):
            try:
                validate_file(self.place, manifest)
            except BackupFault as fault:
                found.append(str(fault))
        return found

    def is_done(self) -> bool:
        return bool(manifests.names(self.place))


KINDS: dict[str, Make] = {
    "command import": Import,
    "command recompute": Recompute,
    "command backup": Backup,
}
