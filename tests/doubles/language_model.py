"""A double of a language model: a real server that speaks OpenAI's protocol for chats.

It reads what it is sent. Its number for a document grows with BM25 of the topic's words in the
text, with noise that depends on the text alone. It can favour texts, obey them, and answer wrongly.
"""

import hashlib
import json
import math
import random
import re
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from typing import Any

Json = dict[str, Any]
KEY = "sk-of-the-double-0123456789"
K1, B, USUAL_WORDS = 1.2, 0.75, 100
SPREAD = 8.0  # of the logarithms of its numbers, by BM25
DOCUMENT = re.compile(
    r"^Document (\d+) of (\d+)\.\nDOCUMENT (\w+)\n(.*)\nDOCUMENT \3$", re.M | re.S
)
TOPIC = re.compile(r"^The topic: (.*?)(?=^Document 1 of )", re.M | re.S)
LEVELS = re.compile(r"The levels, the lowest first:\n\n(.*?)\n\n", re.S)
AGAIN = "This cannot be used: "
RATE = re.compile(r"rate this (\d+)", re.IGNORECASE)
BYTES_PER_TOKEN = 5  # it counts fewer tokens than the rule of four bytes


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


def bm25(topic: str, text: str) -> float:
    """As a share of the most that there can be.

    Every word of the topic weighs the same: the double knows no other documents.
    """
    counted = Counter(words(text))
    length = K1 * (1 - B + B * counted.total() / USUAL_WORDS)
    weights = [counted[word] / (counted[word] + length) for word in set(words(topic))]
    return sum(weights) / len(weights)


@dataclass
class LanguageModel:
    """How it judges, how it answers wrongly, and what it was asked.

    Attributes:
        noise: standard deviation of the logarithm of its numbers.
        favours: words; numbers of texts with one of them are multiplied by `bias`.
        obeys: texts that say "rate this 1000" get that number, or the highest level.
        revises: in the look back it doubles its number for the first document.
        malformed: takes the number of the request, from 1, and its text; what it answers instead.
        statuses: with which the next requests are refused.
        status: with which every request is refused.
        usage: what it says in the place of the tokens that it has counted.
        requests: how often each body was answered, by its digest.
    """

    address: str = ""
    key: str = KEY
    noise: float = 0.2
    favours: tuple[str, ...] = ()
    bias: float = 3.0
    obeys: bool = False
    revises: bool = False
    malformed: Callable[[int, str], str] | None = None
    statuses: list[int] = field(default_factory=list)
    status: int = 0
    latency: float = 0.0
    counts_tokens: bool = True
    usage: Json | None = None
    requests: Counter[str] = field(default_factory=Counter)
    bodies: list[Json] = field(default_factory=list)
    keeps_bodies: bool = True
    lock: Lock = field(default_factory=Lock)

    def number(self, topic: str, text: str) -> float:
        if self.obeys and (order := RATE.search(text)):
            return float(order[1])
        draw = random.Random(hashlib.sha256(f"{topic}\0{text}".encode()).digest())
        number = 10 * math.exp(SPREAD * bm25(topic, text) + draw.gauss(0, self.noise))
        return number * (self.bias if any(word in text for word in self.favours) else 1)

    def answer(self, messages: list[Json]) -> str:
        system, opening = messages[0]["content"], messages[1]["content"]
        turns = [message["content"] for message in messages if message["role"] == "user"]
        last = [turn for turn in turns if not turn.startswith(AGAIN)][-1]
        documents = dict(match.group(1, 4) for turn in turns if (match := DOCUMENT.search(turn)))
        topic = TOPIC.search(opening)
        assert topic, "the topic comes with the first document"
        if not DOCUMENT.search(last):
            first = self._score(system, topic[1], documents["1"], 2)
            return json.dumps({"changes": {"1": first} if self.revises else {}})
        position, text = list(documents.items())[-1]
        name = "level" if LEVELS.search(system) else "number"
        score = self._score(system, topic[1], text, 1)
        return json.dumps({name: score, "reason": f"As document {position} says."})

    def _score(self, system: str, topic: str, text: str, times: float) -> float | str:
        number = times * self.number(topic, text)
        if not (levels := LEVELS.search(system)):
            return round(number, 3)
        names = [line.partition(":")[0] for line in levels[1].splitlines()]
        return names[min(len(names) - 1, int(math.log10(max(number, 1))))]

    def chat(self, key: str, body: Json) -> tuple[int, Json]:
        with self.lock:
            if key != self.key:
                return 401, _fault(f"Incorrect API key provided: {key}.")
            if refused := self.statuses.pop(0) if self.statuses else self.status:
                return refused, _fault(f"It is {refused}.")
            if not {"model", "messages", "seed", "temperature"} <= body.keys():
                return 400, _fault("Something is missing.")
            self.requests[
                hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()
            ] += 1
            if self.keeps_bodies:
                self.bodies.append(body)
            number = self.requests.total()
        text = self.answer(body["messages"])
        if self.malformed:
            text = self.malformed(number, text)
        answer: Json = {
            "id": f"chat-{number}",
            "object": "chat.completion",
            "created": 0,
            "model": body["model"],
            "choices": [
                {
                    "index": 0,
                    "finish_reason": "stop",
                    "message": {"role": "assistant", "content": text},
                }
            ],
        }
        if self.counts_tokens:
            sent = sum(len(message["content"].encode()) for message in body["messages"])
            counted = [max(1, each // BYTES_PER_TOKEN) for each in (sent, len(text.encode()))]
            answer["usage"] = {
                "prompt_tokens": counted[0],
                "completion_tokens": counted[1],
                "total_tokens": sum(counted),
                **(self.usage or {}),
            }
        return 200, answer


def _fault(message: str) -> Json:
    return {"error": {"message": message, "type": "of the double", "code": None}}


@contextmanager
def language_model(port: int = 0, **settings: Any) -> Iterator[LanguageModel]:
    """The double at work, until the block ends."""
    there = LanguageModel(**settings)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers["Content-Length"]))
            time.sleep(there.latency)
            if self.path != "/v1/chat/completions":
                status, answer = 404, _fault(f"Nothing is at {self.path}.")
            else:
                key = self.headers["Authorization"].removeprefix("Bearer ")
                status, answer = there.chat(key, json.loads(raw))
            content = json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *arguments: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    there.address = f"http://127.0.0.1:{server.server_port}/v1"
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield there
    finally:
        server.shutdown()
        server.server_close()
