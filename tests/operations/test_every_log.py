"""The whole site, as one machine runs it: people come, errors are provoked, and no log has them."""

import json
import random
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from itertools import takewhile
from pathlib import Path

import httpx
import psycopg2
import pytest

from config.embedded import sharing
from config.embedded.postgres import DATABASE, PORT, USER
from tests.config.helpers import ROOT, environment, until
from tests.config.test_processes import free_port
from tests.http_worker import HttpWorker

pytestmark = pytest.mark.whole
PATIENCE = 120  # seconds: a busy machine is slow
PLANTED = "planted7f3b"  # a part of all that people bring
HEADERS = {
    "User-Agent": f"{PLANTED}-browser",
    "Referer": f"https://{PLANTED}.example/",
    "X-Forwarded-For": "203.0.113.77",
    "X-Request-ID": f"{PLANTED} {PLANTED}",
    "Accept-Language": PLANTED,
}
COMES = {"PROLIFIC_PID": f"{PLANTED}pid", "STUDY_ID": f"{PLANTED}st", "SESSION_ID": f"{PLANTED}se"}
REASON = f"{PLANTED}, because the keeper of my lighthouse says so"
MAIL = f"{PLANTED}@example.org"
# What holds people's data, and is no log.
DATA = ("postgres/base", "postgres/global", "postgres/pg_", "valkey/", "uploads/", "letters/")
NAMES = ("web", "worker", "expiry", "imports", "clock", "postgres", "valkey")
KEPT = {"demo-password"}  # a secret in a file, for its owner alone
# What cannot be done as long as it is there; and what the table is called meanwhile.
FORBIDS = "ALTER TABLE judging_judgment ADD CONSTRAINT nothing CHECK (position < 0) NOT VALID"
ALLOWS = "ALTER TABLE judging_judgment DROP CONSTRAINT nothing"
AWAY = "ALTER TABLE {0} RENAME TO {0}_away"
BACK = "ALTER TABLE {0}_away RENAME TO {0}"


class Site:
    """The supervisor's site, with the demo; everything that it says goes to files."""

    def __init__(self, folder: Path) -> None:
        self.folder, port = folder, free_port()
        self.address = f"http://localhost:{port}"
        self.given = environment(
            folder,
            PORT=f"{port}",
            DJANGO_SETTINGS_MODULE="config.settings",
            TICK_SECONDS="0.5",
            EMAIL_URL=f"filemail:///{folder}/letters",
            EMAIL_FROM="site@example.org",
            ERRORS_TO="rosa@example.org",
            LOG_LEVEL="INFO",
        )
        with (folder / "supervisor.log").open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "config.embedded.processes", "--demo"],
                cwd=ROOT,
                env=self.given,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )
        assert self.process.stdout
        said = list(takewhile("ready\n".__ne__, self.process.stdout))
        assert self.process.poll() is None, (said, (folder / "supervisor.log").read_text())

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
        """A database that is broken."""
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

    def said(self) -> dict[str, str]:
        """All files but the data, and the letters about errors."""
        found = {}
        for path in self.folder.rglob("*"):
            name = path.relative_to(self.folder).as_posix()
            if path.is_file() and not name.startswith(DATA):
                found[name] = path.read_text(errors="replace")
        letters = (path.read_text() for path in self.folder.glob("letters/*"))
        found["letters"] = "\n".join(text for text in letters if "] ERROR" in text)
        return found

    def stop(self) -> None:
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    running = Site(tmp_path_factory.mktemp("all-logs"))
    try:
        yield running
    finally:
        running.stop()


def come_to_documents(site: Site) -> HttpWorker:
    """Somebody whom a platform sent, and who answers the question until the answer is right."""
    for tried in range(20):
        comes = {**COMES, "PROLIFIC_PID": f"{COMES['PROLIFIC_PID']}{tried}"}
        worker = HttpWorker(
            site.address,
            "demo",
            lambda seen: "5",
            lambda asked, options: random.choice(options),
            parameters=comes,
            reason=REASON,
        )
        worker.http.headers.update(HEADERS)
        worker.come()
        if worker.go_on_to("document", "failed", "no-work").step == "document":
            return worker
        worker.http.close()
    raise AssertionError("nobody comes to the documents")


def judge(worker: HttpWorker, action: str = "next") -> httpx.Response:
    """The answer to a judgment, or a note on the document, whatever it is."""
    form = worker.page.form("next")
    typed = {**form.fields, "score": "7", "justification": REASON, "action": action}
    typed |= {"kind": "other", "note": REASON}
    return worker.http.post(worker.page.address, data=typed)


def secrets_of(client: httpx.Client) -> list[str]:
    """What somebody's cookies say."""
    return [cookie.value for cookie in client.cookies.jar if cookie.value]


def work_and_fail(site: Site) -> list[str]:
    """A worker's unit, amid errors; what of it is secret."""
    worker = come_to_documents(site)
    secrets = [*secrets_of(worker.http), *worker.page.form("next").fields.values()]
    site.do(FORBIDS)
    assert judge(worker).status_code == 500
    site.do(ALLOWS)
    with site.without("judging_visit"):
        assert judge(worker).status_code == 500
    with site.without("judging_documentnote"):
        assert judge(worker, "report").status_code == 500
    assert judge(worker).status_code == 200
    worker.come()
    long = {**worker.page.form("next").fields, "justification": REASON * 9000, "action": "next"}
    assert worker.http.post(worker.page.address, data=long).status_code == 413
    wrong = {**worker.page.form("next").fields, "csrfmiddlewaretoken": PLANTED}
    assert worker.http.post(worker.page.address, data=wrong).status_code == 403
    many = {f"{PLANTED}{number}": PLANTED for number in range(1500)}
    assert worker.http.post(worker.page.address, data=many).status_code in (400, 403)
    assert worker.http.get(f"/study/nowhere/?{PLANTED}={PLANTED}").status_code == 404
    assert worker.http.get("/", headers={"Host": f"{PLANTED}.example"}).status_code == 400
    worker.http.post("/study/demo/me/", data={"code": f"{PLANTED}", "action": "withdraw"})
    worker.go_on_to("done", "revise")
    worker.http.close()
    return [*secrets, *secrets_of(worker.http), *worker.page.codes]


def log_in_and_fail(site: Site) -> list[str]:
    """Staff, with passwords, addresses and tokens; what of it is secret."""
    with httpx.Client(base_url=site.address, headers=HEADERS, timeout=60) as client:

        def send(address: str, **fields: str) -> httpx.Response:
            client.get(address)
            fields["csrfmiddlewaretoken"] = client.cookies["csrftoken"]
            return client.post(address, data=fields)

        send("/login/", login=f"{PLANTED}-user", password=f"{PLANTED}-password")
        send("/password/", email=MAIL)
        with site.without("cache"):
            send("/login/", login="demo", password=f"{PLANTED}-password")
        assert send("/login/", login="demo", password=site.password).status_code == 302
        secrets = [site.password, *secrets_of(client)]
        with site.without("evaluation_ranking"):
            assert client.get(f"/studies/demo/?measure={PLANTED}").status_code == 500
        client.get(f"/studies/demo/?gains={PLANTED}")
        client.get(f"/studies/demo/systems/nowhere/?{PLANTED}")
    token = site.manage("create_token", "demo", "--name", PLANTED)
    with httpx.Client(base_url=site.address, headers=HEADERS, timeout=60) as client:
        bearer = {"Authorization": f"Token {token}"}
        assert client.get("/api/v1/studies/", headers=bearer).status_code == 200
        wrong = {"Authorization": f"Token {PLANTED}"}
        assert client.get("/api/v1/studies/", headers=wrong).status_code == 401
        for body in ("{", json.dumps({"slug": PLANTED, "title": [PLANTED]})):
            answer = client.post(
                "/api/v1/studies/",
                content=body,
                headers={**bearer, "Content-Type": "application/json"},
            )
            assert answer.status_code == 400
        with site.without("judging_study"):
            assert client.get("/api/v1/studies/", headers=bearer).status_code == 500
    return [*secrets, token]


def fail_in_the_background(site: Site) -> None:
    """Tasks that cannot do their work, one that nobody knows, and what is no request at all."""
    with site.without("judging_tick"):
        until(lambda: "UndefinedTable" in site.log("expiry"), PATIENCE)
    script = f"app.send_task('{PLANTED}', args=['{PLANTED}'], queue='celery')"
    subprocess.run(
        [sys.executable, "-c", f"from config.celery import app; {script}"],
        cwd=ROOT,
        env=site.given,
        check=True,
    )
    until(lambda: "unregistered" in site.log("worker"), PATIENCE)
    port = int(site.address.rpartition(":")[2])
    with socket.create_connection(("127.0.0.1", port)) as line:
        line.sendall(f"{PLANTED} {PLANTED}\r\n\r\n".encode())
        line.recv(1024)


def test_no_log_of_any_process_has_what_people_brought(site: Site) -> None:
    secrets = work_and_fail(site) + log_in_and_fail(site)
    fail_in_the_background(site)
    web = site.log("web")
    for status in (400, 401, 403, 404, 413, 500):
        assert re.search(rf" {status} \d", web), status
    assert "CheckViolation (23514" in web
    assert "UndefinedTable" in web
    time.sleep(1)
    said = site.said()
    assert {"supervisor.log", *(f"log/{name}.log" for name in NAMES)} <= set(said)
    assert "500 at /study/" in said["letters"]
    planted = [PLANTED, MAIL, "203.0.113.77", "my lighthouse"]
    for word in {*planted, *(secret for secret in secrets if len(secret) > 7)}:
        assert [name for name, text in said.items() if word in text and name not in KEPT] == [], (
            word
        )
