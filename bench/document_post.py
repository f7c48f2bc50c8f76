"""How much longer the product takes for a document's form than a bare view for one INSERT.

    python -m bench.document_post

One gunicorn, as the product runs it, serves both behind the same middleware; both get the same
form and cookies from 64 clients at once, each on a connection of its own. Every worker goes
through a unit of 8 documents, page by page: a round of the product's forms, one of the bare
view's, one of the pages that follow, one of the bare view's. The time of a request is from its
first byte sent to its last byte received. What counts is the median over rounds of a round's
median and of its 99th percentile, since a busy moment of the machine meets some rounds only.
Ends with 1 when the product's forms take more than 4 times as long, at either; the ratio of pages
has no limit.
"""

import asyncio
import re
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

import numpy as np
from django.db import connection
from django.utils import timezone
from tqdm import tqdm

from bench.site.command import options, verdict
from bench.site.running import HOST, scratch_database, web_server
from bench.site.urls import TABLE
from judging.flow.admission import Arrival
from judging.models import Study
from judging.pages import identity
from tests.cast import Person
from tests.factory import make_study

OPTIONS = options(__doc__)
CLIENTS = 64
TURNS = 6  # workers that each client is, one after the other
LIMIT = 4.0
KINDS = ("form", "bare form", "page", "bare page")
TOPICS, DOCUMENTS, WORDS = 10, 50, 500
REASON = "It answers the question in part, and names its source."


@dataclass
class Session:
    """One worker in one browser."""

    slug: str
    cookies: str
    csrf: str = ""
    page: str = ""

    def path(self, position: int) -> str:
        return f"/study/{self.slug}/{position}/"

    def get(self, path: str) -> bytes:
        return f"GET {path} HTTP/1.1\r\nHost: localhost\r\nCookie: {self.cookies}\r\n\r\n".encode()

    def form(self, position: int) -> dict[str, str]:
        return {
            "csrfmiddlewaretoken": self.csrf,
            "page": self.page,
            "visible_seconds": "17.25",
            "score": str(position * 10),
            "justification": REASON,
            "action": "next",
        }

    def post(self, path: str, position: int) -> bytes:
        body = urlencode(self.form(position))
        return (
            f"POST {path} HTTP/1.1\r\nHost: localhost\r\nCookie: {self.cookies}\r\n"
            "Content-Type: application/x-www-form-urlencoded\r\n"
            f"Content-Length: {len(body)}\r\n\r\n{body}"
        ).encode()


@dataclass(frozen=True)
class Answer:
    """What came back, and after how many seconds."""

    head: str
    body: str
    seconds: float


def admitted(study: Study, number: int) -> Session:
    """A new worker, brought to the first document."""
    name = f"worker-{number}"
    Person(study, name, now=timezone.now()).come_to_documents()
    cookie = identity.signed_cookie(study.pk, Arrival(name))
    return Session(study.slug, f"{identity.cookie_name(study.pk)}={cookie}")


async def ask_all(port: int, requests: Sequence[Sequence[bytes]]) -> list[Answer]:
    """Send each client's requests one after the other, all clients at once."""
    connections = [await asyncio.open_connection(HOST, port) for _ in requests]
    answers = await asyncio.gather(
        *(ask(*streams, own) for streams, own in zip(connections, requests, strict=True))
    )
    for _, writer in connections:
        writer.close()
        await writer.wait_closed()
    return [answer for own in answers for answer in own]


async def ask(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, requests: Sequence[bytes]
) -> list[Answer]:
    answers = []
    for request in requests:
        begin = time.perf_counter()
        writer.write(request)
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        length = re.search(r"\r\ncontent-length: (\d+)", head, re.IGNORECASE)
        body = await reader.readexactly(int(length[1]))
        answers.append(Answer(head, body.decode(), time.perf_counter() - begin))
    return answers


def seconds(port: int, wanted: Sequence[tuple[bytes, str]]) -> list[float]:
    """Send requests, each with a text expected in its answer, from all clients; their seconds."""
    by_client = [wanted[at::CLIENTS] for at in range(CLIENTS)]
    requests = [[request for request, _ in own] for own in by_client]
    expected = [text for own in by_client for _, text in own]
    answers = asyncio.run(ask_all(port, requests))
    for answer, text in zip(answers, expected, strict=True):
        if text not in answer.head + answer.body:
            raise RuntimeError(f"expected {text} in an answer, which begins {answer.head}")
    return [answer.seconds for answer in answers]


def open_first_page(port: int, sessions: Sequence[Session]) -> None:
    """As a browser does: with the page come the CSRF cookie and what the form has to say."""
    requests = [[session.get(session.path(1))] for session in sessions]
    for at in range(0, len(requests), CLIENTS):
        answers = asyncio.run(ask_all(port, requests[at : at + CLIENTS]))
        for session, answer in zip(sessions[at : at + CLIENTS], answers, strict=True):
            session.cookies += "; " + re.search(r"csrftoken=\w+", answer.head)[0]
            session.csrf = re.search(r'csrfmiddlewaretoken" value="(\w+)', answer.body)[1]
            session.page = re.search(r'name="page" value="([^"]+)', answer.body)[1]


def measure(port: int, sessions: Sequence[Session], last: int) -> dict[str, list[list[float]]]:
    """The seconds of every request, by kind and round; the kinds take turns."""
    taken: dict[str, list[list[float]]] = {kind: [] for kind in KINDS}
    half = len(sessions) // 2
    for at in tqdm(range(1, last), desc="pages"):
        for some in (sessions[:half], sessions[half:]):
            wanted = (
                [(s.post(s.path(at), at), f"Location: {s.path(at + 1)}") for s in some],
                [(s.post("/bare/", at), "done") for s in some],
                [(s.get(s.path(at + 1)), f'data-position="{at + 1}"') for s in some],
                [(s.get("/bare/"), "done") for s in some],
            )
            for kind, requests in zip(KINDS, wanted, strict=True):
                taken[kind].append(seconds(port, requests))
    return taken


def main() -> int:
    OPTIONS.parse_args()
    with scratch_database(), web_server() as port:
        with connection.cursor() as cursor:
            cursor.execute(TABLE)
        study = make_study(topics=TOPICS, documents=DOCUMENTS, words=WORDS, redundancy=10)
        numbers = tqdm(range(CLIENTS * TURNS), desc="workers")
        sessions = [admitted(study, number) for number in numbers]
        open_first_page(port, sessions)
        taken = measure(port, sessions, study.unit_size)
    summary = {}
    for kind, rounds in taken.items():
        summary[kind] = np.median(np.quantile(rounds, [0.5, 0.99], axis=1), axis=1) * 1000
        median, high = summary[kind]
        count = f"{len(rounds)} rounds of {len(rounds[0])}"
        print(f"{kind:9}: median {median:6.1f} ms, 99% {high:6.1f} ms ({count})")
    form, page = summary["form"] / summary["bare form"], summary["page"] / summary["bare page"]
    print(f"page / bare page: median {page[0]:.2f}, 99% {page[1]:.2f}")
    print(f"form / bare form: median {form[0]:.2f}, 99% {form[1]:.2f}")
    return verdict(max(form), LIMIT)


if __name__ == "__main__":
    sys.exit(main())
