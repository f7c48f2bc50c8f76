"""The whole site, as one machine runs it: people come, errors are provoked, and no log has them."""

import json
import random
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import httpx
import pytest

from tests.config.helpers import ROOT, until
from tests.doubles.prolific import TOKEN, Wrong, prolific
from tests.http_worker import HttpWorker
from tests.operations.whole_site import Site

pytestmark = pytest.mark.whole
TIMEOUT = 120  # seconds: a busy machine is slow
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
NAMES = ("web", "io", "compute", "supervisord", "postgres", "valkey")
KEPT = {"demo-password"}  # a secret in a file, for its owner alone
# What cannot be done as long as it is there.
FORBIDS = "ALTER TABLE judging_judgment ADD CONSTRAINT nothing CHECK (position < 0) NOT VALID"
ALLOWS = "ALTER TABLE judging_judgment DROP CONSTRAINT nothing"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with prolific() as platform:
        running = Site(tmp_path_factory.mktemp("all-logs"), platform)
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
            "demo-live",
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
    last = {"Connection": "close"}  # gunicorn closes it, with the rest of the body unread
    assert worker.http.post(worker.page.address, data=long, headers=last).status_code == 413
    wrong = {**worker.page.form("next").fields, "csrfmiddlewaretoken": PLANTED}
    assert worker.http.post(worker.page.address, data=wrong).status_code == 403
    many = {f"{PLANTED}{number}": PLANTED for number in range(1500)}
    assert worker.http.post(worker.page.address, data=many).status_code in (400, 403)
    assert worker.http.get(f"/study/nowhere/?{PLANTED}={PLANTED}").status_code == 404
    assert worker.http.get("/", headers={"Host": f"{PLANTED}.example"}).status_code == 400
    worker.http.post("/study/demo-live/me/", data={"code": f"{PLANTED}", "action": "withdraw"})
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


def work_as_a_team(site: Site) -> list[str]:
    """Somebody is invited, has the name of an e-mail address, and leaves; what of it is secret."""
    token, other = (
        site.manage("create_token", "demo", "--name", name) for name in ("of-a-program", MAIL)
    )
    team = f"/api/v1/studies/demo/team/{PLANTED}~40example.org/"
    bearer = {"Authorization": f"Token {token}"}
    with httpx.Client(base_url=site.address, headers={**HEADERS, **bearer}, timeout=60) as owner:
        asked = {"note": PLANTED, "role": "viewer"}
        link = owner.post("/api/v1/studies/demo/invitations/", json=asked).json()["link"]
        come_to_a_team(site, link)
        assert owner.patch(team, json={"role": "editor"}).status_code == 200
        with client_of(site) as page:
            fields = {"role": "viewer", "csrfmiddlewaretoken": page.cookies["csrftoken"]}
            address = f"/studies/demo/share/team/{PLANTED}~40example.org/"
            assert page.post(address, data=fields).status_code == 302
            assert page.post(address.replace("demo", "gone"), data=fields).status_code == 404
            ends = f"/account/tokens/{PLANTED}~40example.org/delete/"
            assert page.post(ends, data=fields).status_code == 302
        with site.without("judging_membership"):
            assert owner.patch(team, json={"role": "viewer"}).status_code == 500
        assert owner.delete(team).status_code == 204
    return [token, other, link.rstrip("/").rpartition("/")[2]]


def come_to_a_team(site: Site, link: str) -> None:
    with httpx.Client(base_url=site.address, headers=HEADERS, timeout=60) as guest:
        path = httpx.URL(link).path
        guest.get(path)
        fields = {
            "username": MAIL,
            "email": MAIL,
            "csrfmiddlewaretoken": guest.cookies["csrftoken"],
        }
        fields |= dict.fromkeys(("password1", "password2"), f"{PLANTED}-a-long-password")
        assert guest.post(path, data=fields).status_code == 302


@contextmanager
def client_of(site: Site) -> Iterator[httpx.Client]:
    """The user `demo`, logged in."""
    with httpx.Client(base_url=site.address, headers=HEADERS, timeout=60) as client:
        client.get("/login/")
        fields = {"login": "demo", "password": site.password}
        fields["csrfmiddlewaretoken"] = client.cookies["csrftoken"]
        assert client.post("/login/", data=fields).status_code == 302
        client.get("/studies/demo/share/team/")
        yield client


def recruit_and_fail(site: Site) -> list[str]:
    """Prolific refuses to tell of a study, and names a participant."""
    token = site.manage("create_token", "demo", "--name", "of-a-program-2")
    site.do("UPDATE judging_study SET demo = false, crowd = 'people' WHERE slug = 'demo-live'")
    headers = {**HEADERS, "Authorization": f"Token {token}"}
    with httpx.Client(base_url=site.address, headers=headers, timeout=60) as client:
        asked = {"token": TOKEN}
        answer = client.post("/api/v1/studies/demo-live/prolific/connect/", json=asked)
        assert answer.status_code == 200, answer.text

    def refuse(*asked: object) -> None:
        raise Wrong({"submissions": [f"{PLANTED} is not of this study"]}, 400)

    site.platform.answer = refuse  # type: ignore[assignment, method-assign]
    site.do("UPDATE workspace_prolificstudy SET prolific_id = 'there', status = 'ACTIVE'")
    until(lambda: any("on Prolific: Refused" in text for text in site.texts().values()), TIMEOUT)
    return [token, TOKEN]


def fail_in_the_background(site: Site) -> None:
    """Tasks that cannot do their work, one that nobody knows, and what is no request at all."""
    with site.without("judging_tick"):
        until(lambda: "UndefinedTable" in site.log("io"), TIMEOUT)
    script = f"app.send_task('{PLANTED}', args=['{PLANTED}'], queue='compute')"
    subprocess.run(
        [sys.executable, "-c", f"from config.celery import app; {script}"],
        cwd=ROOT,
        env=site.given,
        check=True,
    )
    until(lambda: "unregistered" in site.log("compute"), TIMEOUT)
    port = int(site.address.rpartition(":")[2])
    with socket.create_connection(("127.0.0.1", port)) as line:
        line.sendall(f"{PLANTED} {PLANTED}\r\n\r\n".encode())
        line.recv(1024)


def test_no_log_of_any_process_has_what_people_brought(site: Site) -> None:
    secrets = work_and_fail(site) + log_in_and_fail(site)
    secrets += work_as_a_team(site) + recruit_and_fail(site)
    fail_in_the_background(site)
    web = site.log("web")
    for status in (400, 401, 403, 404, 413, 500):
        assert re.search(rf" {status} \d", web), status
    assert "CheckViolation (23514" in web
    assert "UndefinedTable" in web
    time.sleep(1)
    texts = site.texts()
    assert {"supervisor.log", *(f"log/{name}.log" for name in NAMES)} <= set(texts)
    assert "500 at /study/" in texts["emails"]
    planted = [PLANTED, MAIL, "203.0.113.77", "my lighthouse"]
    for word in {*planted, *(secret for secret in secrets if len(secret) > 7)}:
        assert [name for name, text in texts.items() if word in text and name not in KEPT] == [], (
            word
        )
