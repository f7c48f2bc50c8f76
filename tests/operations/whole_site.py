"""The supervisor's site as one machine runs it, with all that it says in files."""

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from itertools import takewhile
from pathlib import Path

import psycopg2

from embedded import sharing
from embedded.postgres import DATABASE, PORT, USER
from tests.config.helpers import ROOT, environment
from tests.config.test_processes import free_port
from tests.doubles.prolific import Prolific

# What holds people's data, and is no log.
DATA = ("postgres/base", "postgres/global", "postgres/pg_", "valkey/", "uploads/", "emails/")
AWAY = "ALTER TABLE {0} RENAME TO {0}_away"
BACK = "ALTER TABLE {0}_away RENAME TO {0}"


class Site:
    """The supervisor's site, with the demo; everything that it says goes to files."""

    def __init__(self, folder: Path, platform: Prolific) -> None:
        self.folder, self.platform, port = folder, platform, free_port()
        self.address = f"http://localhost:{port}"
        self.given = environment(
            folder,
            PORT=f"{port}",
            DJANGO_SETTINGS_MODULE="config.settings",
            TICK_SECONDS="0.5",
            EMAIL_URL=f"filemail:///{folder}/emails",
            EMAIL_FROM="site@example.org",
            ERRORS_TO="rosa@example.org",
            PROLIFIC_API_URL=platform.address,
            LOG_LEVEL="INFO",
        )
        with (folder / "supervisor.log").open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "embedded", "--demo"],
                cwd=ROOT,
                env=self.given,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )
        assert self.process.stdout
        texts = list(takewhile("ready\n".__ne__, self.process.stdout))
        assert self.process.poll() is None, (texts, (folder / "supervisor.log").read_text())

    @property
    def password(self) -> str:
        """Of the user `demo`."""
        return (self.folder / "demo-password").read_text().strip()

    def do(self, statement: str) -> None:
        """Change the database, as somebody who reaches it by its socket."""
        connection = psycopg2.connect(
            host=str(sharing.socket_folder(self.folder)), port=PORT, dbname=DATABASE, user=USER
        )
        with closing(connection), connection, connection.cursor() as cursor:
            cursor.execute(statement)

    @contextmanager
    def without(self, table: str) -> Iterator[None]:
        self.do(AWAY.format(table))
        try:
            yield
        finally:
            self.do(BACK.format(table))

    def manage(self, *arguments: str) -> str:
        done = subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=ROOT,
            env=self.given,
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout.strip()

    def log(self, name: str) -> str:
        return (self.folder / "log" / f"{name}.log").read_text(errors="replace")

    def texts(self) -> dict[str, str]:
        """All files but the data, and the emails about errors."""
        texts = {}
        for path in self.folder.rglob("*"):
            name = path.relative_to(self.folder).as_posix()
            if path.is_file() and not name.startswith(DATA):
                texts[name] = path.read_text(errors="replace")
        emails = (path.read_text() for path in self.folder.glob("emails/*"))
        texts["emails"] = "\n".join(text for text in emails if "] ERROR" in text)
        return texts

    def stop(self) -> None:
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise
