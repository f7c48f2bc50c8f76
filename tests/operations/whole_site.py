"""The supervisor's site as one machine runs it, with all that it says in files."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import psycopg2

from tests.config.helpers import ROOT
from tests.doubles.prolific import Prolific
from tests.faults import site

# What holds people's data, and is no log.
DATA = ("postgres/base", "postgres/global", "postgres/pg_", "valkey/", "uploads/", "emails/")
AWAY = "ALTER TABLE {0} RENAME TO {0}_away"
BACK = "ALTER TABLE {0}_away RENAME TO {0}"


class Site(site.Site):
    """The supervisor's site, with the demo; everything that it says goes to files."""

    def __init__(self, folder: Path, platform: Prolific) -> None:
        self.platform = platform
        super().__init__(
            folder,
            "--demo",
            DJANGO_SETTINGS_MODULE="config.settings",
            EMAIL_URL=f"filemail:///{folder}/emails",
            EMAIL_FROM="site@example.org",
            ERRORS_TO="rosa@example.org",
            PROLIFIC_API_URL=platform.address,
            LOG_LEVEL="INFO",
        )
        self.wait_until_ready()

    @property
    def password(self) -> str:
        """Of the user `demo`."""
        return (self.folder / "demo-password").read_text().strip()

    def do(self, statement: str) -> None:
        """Change the database, as somebody who reaches it by its socket."""
        connection = psycopg2.connect(**self.database)
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
