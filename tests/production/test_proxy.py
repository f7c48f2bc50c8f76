"""Debian's Caddy with the very deploy/Caddyfile: TLS, slow clients, limits, second tries."""

import json
import re
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest
from django.conf import settings

from tests.config.compose import HOST, Stack, free_ports
from tests.config.test_separate_servers import DONE, ROLES, SLUG, SPEEDUP, make_study
from tests.http_worker import HttpWorker, Seen, plain

from .recorder import recorder
from .servers import RELEASES, Proxy, proxy, site

SLOW = 200  # sockets
ORDINARY_SECONDS = 5  # that a page may take meanwhile, on a busy machine
DEMO_ANSWERS = "SELECT answer FROM judging_studytopic"
SCORES = {"h_k": "90", "n_k": "0.5"}


@pytest.fixture(scope="module", params=RELEASES)
def stack(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator:
    with site(tmp_path_factory.mktemp("site"), request.param) as stack:
        make_study(stack)
        yield stack


@pytest.fixture(scope="module")
def front(stack: Stack, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Proxy]:
    with proxy(tmp_path_factory.mktemp("proxy"), stack.ports) as front:
        yield front


def test_a_unit_is_judged_through_tls(stack: Stack, front: Proxy) -> None:
    roles = {plain(f"{title} {text}"): role for title, text, role in stack.query(ROLES)}
    answers = {answer for (answer,) in stack.query(DEMO_ANSWERS)}

    def score(seen: Seen) -> str:
        time.sleep(20 / SPEEDUP)
        return SCORES.get(roles[seen.text], "7")

    worker = HttpWorker(
        front.origin,
        SLUG,
        score,
        lambda _, options: next(option for option in options if option in answers),
        parameters={"PROLIFIC_PID": "somebody"},
    )
    worker.http.close()
    worker.http = front.client()
    with worker:
        code = worker.complete()
        cookies = list(worker.http.cookies.jar)
    assert code
    assert (code,) in stack.query(DONE)
    assert cookies
    assert all(cookie.secure for cookie in cookies)


def test_sheets_are_packed_and_kept_for_good(front: Proxy) -> None:
    with front.client() as client:
        sheets = re.findall(r'"(/static/css/page\.\w+\.css)"', client.get("/login/").text)
        assert len(sheets) == 1
        sheet = client.get(sheets[0])
        assert "immutable" in sheet.headers["Cache-Control"]
        assert sheet.headers["Content-Encoding"] == "gzip"


def test_who_comes_without_tls_is_led_to_it(front: Proxy) -> None:
    address = f"http://{HOST}:{front.variables['HTTP_PORT']}/study/{SLUG}/"
    answer = httpx.get(address, headers={"Host": "localhost"}, trust_env=False)
    assert answer.status_code == 308
    assert answer.headers["Location"].startswith("https://localhost")


@pytest.mark.parametrize(
    ("address", "headers"),
    [
        ("/api/v1/studies/", {}),
        ("/hooks/prolific/x/", {}),
        ("/status", {}),
        ("/studies/s/judgments.csv", {"Authorization": "Token of-somebody"}),
    ],
)
def test_programs_without_tls_are_refused(
    front: Proxy, address: str, headers: dict[str, str]
) -> None:
    address = f"http://{HOST}:{front.variables['HTTP_PORT']}{address}"
    answer = httpx.get(address, headers={"Host": "localhost", **headers}, trust_env=False)
    assert answer.status_code == 403
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert "in the clear" in answer.json()["detail"]


def test_slow_clients_hold_up_nobody(front: Proxy) -> None:
    head = f"POST /study/{SLUG}/ HTTP/1.1\r\nHost: localhost\r\n"
    with ExitStack() as everybody:
        for number in range(SLOW):
            line = everybody.enter_context(
                front.trust().wrap_socket(
                    socket.create_connection((HOST, front.port)), server_hostname="localhost"
                )
            )
            body = f"{head}Content-Length: 60000\r\n\r\na=" if number % 2 else f"{head}X-a: "
            line.sendall(body.encode())
        with front.client() as client:
            for _ in range(10):
                start = time.monotonic()
                assert client.get(f"/study/{SLUG}/").status_code == 200
                assert time.monotonic() - start < ORDINARY_SECONDS


@pytest.mark.parametrize(("address", "most"), settings.BODY_LIMITS.items())
def test_each_room_has_its_limit(front: Proxy, address: str, most: int) -> None:
    """The proxy says so of what it does not read, and else the site."""
    known = {"Authorization": "Bearer x"}
    with front.client() as client:
        refused = client.post(f"{address}x", content=bytes(most + 1), headers=known)
        assert refused.status_code == 413
        if address.startswith("/api/"):
            assert refused.json()["status"] == 413
        taken = client.post(f"{address}x", content=bytes(most), headers=known)
        assert taken.status_code < 500
        assert taken.status_code != 413


# --- what comes to a web process -------------------------------------------------------------


def test_what_a_client_says_of_itself_is_thrown_away(tmp_path: Path) -> None:
    (port,) = free_ports(1)
    spoofed = {
        "X-Forwarded-For": "6.6.6.6",
        "X-Forwarded-Proto": "http",
        "X-Forwarded-Host": "evil.example",
        "X-Forwarded-Prefix": "/evil",
        "Forwarded": "for=6.6.6.6",
        "X-Real-IP": "6.6.6.6",
    }
    with recorder(port) as web, proxy(tmp_path, [port]) as front, front.client() as client:
        client.get("/a", headers=spoofed)
    ((_, _, headers, _),) = web.seen
    told = {name: value for name, value in headers.items() if "orwarded" in name or "Real" in name}
    assert told == {
        "X-Forwarded-For": HOST,
        "X-Forwarded-Proto": "https",
        "X-Forwarded-Host": f"localhost:{front.port}",
    }


@pytest.mark.parametrize("method", ["POST", "DELETE"])
def test_what_may_have_been_done_is_not_sent_again(tmp_path: Path, method: str) -> None:
    """Two web processes, both of which die of the request: one of them has seen it."""
    first, second = free_ports(2)
    with (
        recorder(first, dies=True) as one,
        recorder(second, dies=True) as other,
        proxy(tmp_path, [first, second]) as front,
        front.client() as client,
    ):
        for number in range(1, 11):
            body = b"score=5" if method == "POST" else None
            answer = client.request(method, f"/{number}", content=body)
            assert answer.status_code == 502
            assert "try again" in answer.text
    paths = [path for _, path, _, _ in one.seen + other.seen]
    assert sorted(paths, key=lambda path: int(path[1:])) == [f"/{n}" for n in range(1, 11)]


KIB = 1024


@pytest.mark.parametrize(
    ("headers", "most"),
    [
        ({}, 64 * KIB),
        ({"Authorization": ""}, 64 * KIB),
        ({"Cookie": "notsessionid=a; xsessionid=a; sessionid="}, 64 * KIB),
        ({"Authorization": "Bearer a"}, 1024 * KIB),
        ({"Cookie": "text=large; sessionid=a"}, 1024 * KIB),
        ({"Cookie": "__Host-sessionid=a"}, 1024 * KIB),
    ],
)
def test_who_shows_a_session_or_a_token_may_send_more(
    tmp_path: Path, headers: dict[str, str], most: int
) -> None:
    (port,) = free_ports(1)
    with recorder(port) as web, proxy(tmp_path, [port]) as front, front.client() as client:
        assert client.post("/a", content=bytes(most), headers=headers).status_code == 200
        refused = client.post("/b", content=bytes(most + 1), headers=headers)
        assert refused.status_code == 413
        assert f"{most} bytes" in refused.text
        assert (
            client.post("/api/c", content=bytes(most + 1), headers=headers).json()["status"] == 413
        )
    assert [(path, len(body)) for _, path, _, body in web.seen] == [("/a", most)]


def test_a_body_of_no_known_length_is_refused(tmp_path: Path) -> None:
    (port,) = free_ports(1)
    with recorder(port) as web, proxy(tmp_path, [port]) as front, front.client() as client:
        for method in ("POST", "PUT", "PATCH"):
            assert client.request(method, "/a", content=iter([b"a"])).status_code == 411
        assert client.post("/api/a", content=iter([b"a"])).json()["status"] == 411
    assert web.seen == []


def test_a_form_waits_for_a_web_process_that_starts(tmp_path: Path) -> None:
    (port,) = free_ports(1)
    form = b"reason=" + b"x" * 50_000
    with ExitStack() as stack:
        with recorder(port):
            front = stack.enter_context(proxy(tmp_path, [port]))
        client = stack.enter_context(front.client())
        answers: list[httpx.Response] = []
        sender = threading.Thread(target=lambda: answers.append(client.post("/f", content=form)))
        sender.start()
        time.sleep(1)  # less than between two looks at its health
        web = stack.enter_context(recorder(port))
        sender.join(20)
        assert [answer.status_code for answer in answers] == [200]
        assert [(method, body) for method, _, _, body in web.seen] == [("POST", form)]


def test_half_a_body_never_comes_as_a_whole_one(tmp_path: Path) -> None:
    (port,) = free_ports(1)
    with recorder(port) as web, proxy(tmp_path, [port]) as front:
        line = front.trust().wrap_socket(
            socket.create_connection((HOST, front.port)), server_hostname="localhost"
        )
        line.sendall(b"POST /f HTTP/1.1\r\nHost: localhost\r\nContent-Length: 60\r\n\r\nscore")
        time.sleep(0.5)
        line.close()
        time.sleep(1)
    whole = [body for _, _, headers, body in web.seen if headers.get("Content-Length") == "5"]
    assert whole == []


def test_no_log_has_what_people_sent(tmp_path: Path) -> None:
    """Errors provoked, with the log at its most talkative: no query, cookie, referrer or body.

    Nor what stands in the paths that name somebody, or are secret.
    """
    (port,) = free_ports(1)
    with (
        recorder(port, dies=True),
        proxy(tmp_path, [port], CADDY_LOG="DEBUG") as front,
        front.client(cookies={"session": "planted1"}) as client,
    ):
        for path in ("/a?id=planted2", "/b?id=planted3#planted4"):
            client.post(path, content=b"planted5", headers={"Referer": "https://planted6/"})
    with (
        proxy(tmp_path / "none", free_ports(1), CADDY_LOG="DEBUG") as front,
        front.client(cookies={"session": "planted7"}) as client,
    ):
        private = ["/studies/s/share/team/planted9/", "/account/tokens/planted10/delete/"]
        private += ["/api/v1/studies/s/team/planted11/", "/invitation/planted12/"]
        for path in ("/c?id=planted8", *private):
            assert client.get(path).status_code in (502, 503)
        said = front.log.read_text()
    said += (tmp_path / "caddy.log").read_text()
    lines = [json.loads(line) for line in said.splitlines() if line.startswith("{")]
    errors = [line for line in lines if line.get("logger") == "http.log.error"]
    assert {line["request"]["method"] for line in errors} >= {"POST", "GET"}
    assert {line["request"]["uri"] for line in errors} >= {"/b…", "/studies/s/share/team/…/"}
    assert "planted" not in said


def test_no_log_has_the_address_of_a_client(tmp_path: Path) -> None:
    (port,) = free_ports(1)
    away = httpx.HTTPTransport(local_address="127.0.0.9", verify=False)
    with recorder(port, dies=True), proxy(tmp_path, [port]) as front:
        with httpx.Client(transport=away, base_url=front.origin) as client:
            assert client.post("/a", content=b"a").status_code == 502
        line = socket.create_connection((HOST, front.port), source_address=("127.0.0.9", 0))
        line.sendall(b"no TLS at all\r\n\r\n")
        line.close()
    assert "127.0.0.9" not in front.log.read_text()
