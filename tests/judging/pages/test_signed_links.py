"""Links that Prolific signs, with real keys, published by a server of our own."""

import json
import threading
import time
from collections.abc import Iterator
from functools import partial
from http.server import BaseHTTPRequestHandler, HTTPServer

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from jwt.algorithms import RSAAlgorithm

from judging.models import Worker
from judging.platforms import participant_from, prolific
from judging.platforms.prolific import PublishedKeys, published_keys
from tests.judging.browsing import Browser

pytestmark = pytest.mark.django_db
HOST = "testserver"
IDS = {"PROLIFIC_PID": "5f1e", "STUDY_ID": "s", "SESSION_ID": "t"}
OURS = rsa.generate_private_key(public_exponent=65537, key_size=2048)
FOREIGN = rsa.generate_private_key(public_exponent=65537, key_size=2048)


class Publisher(HTTPServer):
    """A server that publishes keys, and counts how often it is asked."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.keys = {"k1": OURS}
        self.status, self.asked = 200, 0
        self.address = f"http://127.0.0.1:{self.server_port}/jwks.json"


class Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.server.asked += 1
        published = [
            {**RSAAlgorithm.to_jwk(key.public_key(), as_dict=True), "kid": name, "use": "sig"}
            for name, key in self.server.keys.items()
        ]
        self.send_response(self.server.status)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps({"keys": published}).encode())

    def log_message(self, *parts) -> None:
        """The server of a test says nothing."""


@pytest.fixture
def publisher(settings) -> Iterator[Publisher]:
    with Publisher() as server:
        thread = threading.Thread(target=server.serve_forever, args=[0.01])
        thread.start()
        settings.PROLIFIC_KEYS_URL = server.address
        yield server
        server.shutdown()
        thread.join()
    published_keys.cache_clear()


def token(key=OURS, key_id="k1", algorithm="RS256", **claims) -> str:
    given = {
        "iss": "https://www.prolific.com",
        "aud": f"https://{HOST}",
        "exp": time.time() + 300,
        "prolific": {**IDS, "workspace_id": "w"},
        **claims,
    }
    given = {name: claim for name, claim in given.items() if claim is not None}
    return jwt.encode(given, key, algorithm=algorithm, headers={"kid": key_id})


@pytest.mark.parametrize("plain", [{}, {"PROLIFIC_PID": "somebody else"}])
def test_a_signed_link_says_who_comes_whatever_is_plain(publisher, plain):
    for _ in range(3):
        participant = participant_from({**plain, "prolific_token": token()}, HOST)
        assert participant
        assert (participant.platform, participant.external_id) == ("prolific", "5f1e")
        assert participant.ids == {"STUDY_ID": "s", "SESSION_ID": "t"}
        assert participant.signed
    assert publisher.asked == 1


@pytest.mark.parametrize(
    "audience", [HOST, f"https://{HOST}/study/x/", f"http://{HOST}:8000", ["a.example", HOST]]
)
def test_a_site_is_named_in_several_ways(publisher, audience):
    participant = participant_from({"prolific_token": token(aud=audience)}, f"{HOST}:8000")
    assert participant
    assert participant.signed


def unsigned() -> str:
    return jwt.encode({"prolific": IDS, "aud": HOST}, None, algorithm="none")


def by_the_public_key() -> str:
    """As if what is public were a secret that both sides share."""
    public = json.dumps(RSAAlgorithm.to_jwk(OURS.public_key()))
    return token(public, algorithm="HS256")


FORGERIES = {
    "by another key": partial(token, FOREIGN),
    "by a key that is not published": partial(token, FOREIGN, key_id="k2"),
    "ended": partial(token, exp=1),
    "without an end": partial(token, exp=None),
    "for another site": partial(token, aud="https://elsewhere.example"),
    "for a site whose name contains ours": partial(token, aud=f"https://{HOST}.example"),
    "for no site": partial(token, aud=None),
    "without ids": partial(token, prolific=None),
    "with ids that are none": partial(token, prolific="5f1e"),
    "not signed": unsigned,
    "signed by the public key": by_the_public_key,
    "no token": lambda: "a.b.c",
    "changed": lambda: token().replace(".", ".e", 1),
}


@pytest.mark.parametrize("forge", FORGERIES.values(), ids=FORGERIES)
def test_a_forged_link_proves_nothing(publisher, forge):
    parameters = {**IDS, "prolific_token": forge()}
    participant = participant_from(parameters, HOST)
    assert participant
    assert (participant.external_id, participant.signed) == ("5f1e", False)
    assert participant_from({"prolific_token": parameters["prolific_token"]}, HOST) is None


def test_invented_keys_are_asked_for_at_most_every_minute(publisher, monkeypatch):
    for n in range(5):
        assert participant_from({"prolific_token": token(FOREIGN, key_id=f"x{n}")}, HOST) is None
    assert publisher.asked == 1
    publisher.keys["k2"] = FOREIGN
    monkeypatch.setattr(published_keys(publisher.address), "fetched_at", time.monotonic() - 61)
    participant = participant_from({"prolific_token": token(FOREIGN, key_id="k2")}, HOST)
    assert participant
    assert participant.signed


def test_a_key_that_is_withdrawn_is_forgotten_within_a_day(publisher, monkeypatch):
    participant_from({"prolific_token": token()}, HOST)
    publisher.keys = {"k2": FOREIGN}
    long_ago = time.monotonic() - prolific.A_DAY - 1
    monkeypatch.setattr(published_keys(publisher.address), "fetched_at", long_ago)
    assert participant_from({"prolific_token": token()}, HOST) is None


def test_where_no_keys_are_published_nothing_is_signed(publisher, caplog):
    publisher.status = 500
    assert participant_from({"prolific_token": token()}, HOST) is None
    assert "cannot be fetched" in caplog.text
    assert PublishedKeys("http://127.0.0.1:1/").find("k1") is None


def test_a_signed_link_is_the_same_worker_on_a_second_device(study, clock, publisher):
    first, second = Browser(study), Browser(study)
    first.get(f"?PROLIFIC_PID=5f1e&prolific_token={token()}")
    first.press("continue")
    assert Worker.objects.get().verified
    assert Browser(study).get("?PROLIFIC_PID=5f1e").step == "resume"
    later = token(prolific={**IDS, "SESSION_ID": "another"})
    assert second.get(f"?prolific_token={later}").step == "practice"
    assert Worker.objects.count() == 1


def test_a_forged_link_shows_nobodys_pages(study, clock, publisher):
    first, second = Browser(study), Browser(study)
    first.get("?PROLIFIC_PID=5f1e")
    first.press("continue")
    assert not Worker.objects.get().verified, "by a plain link"
    forged = token(FOREIGN)
    assert second.get(f"?PROLIFIC_PID=5f1e&prolific_token={forged}").step == "resume"
