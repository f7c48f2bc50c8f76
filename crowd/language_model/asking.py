"""One request to the endpoint of a run: from the stored answers, or at the run's pace and cost."""

import json
import threading
import time
from collections.abc import Sequence
from decimal import Decimal
from hashlib import sha256
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import F
from django.db.models.functions import Greatest

from crowd.language_model.conversation import Message
from crowd.models import ModelRun, StoredAnswer
from judging.models import Unit
from web import clock
from web.background import leases
from web.lazy import openai

TIMEOUT = 120.0  # seconds
MAX_TOKENS = 2**31 - 1  # of one answer: whatever counts more counts nonsense
MAX_RETRIES = 3  # of one request, by the client, where it may succeed later
MAX_FAULT_LENGTH = 300  # characters of what an endpoint says
BYTES_PER_TOKEN = 4  # as a rule, in English
MIN_BYTES_PER_TOKEN = 2  # by which money is reserved
WAIT = 0.2  # seconds until it is seen whether money that others reserved is free again
State = ModelRun.State


class Interrupted(Exception):
    """The slice is over, or the run is to ask nothing more now."""


class CannotAsk(Exception):
    """The run cannot go on as it is; the message says why."""


def number_of_bytes(messages: Sequence[Message]) -> int:
    return sum(len(message["content"].encode(errors="replace")) for message in messages)


class Pace:
    """A limit of requests a minute that the threads of a run share."""

    def __init__(self, requests_per_minute: int) -> None:
        self.requests_per_minute = requests_per_minute
        self._next, self._lock = 0.0, threading.Lock()

    def take(self, until: float) -> float | None:
        """The seconds until the next request may be sent; None: not before `until`."""
        with self._lock:
            now = time.monotonic()
            at = max(now, self._next)
            if at > until:
                return None
            self._next = at + 60 / self.requests_per_minute
            return at - now

    @classmethod
    def of(cls, run: ModelRun) -> "Pace":
        """The same from slice to slice."""
        pace = _PACES.get(run.pk)
        if pace is None or pace.requests_per_minute != run.requests_per_minute:
            pace = _PACES[run.pk] = cls(run.requests_per_minute)
        return pace


_PACES: dict[int, Pace] = {}


def _without(reserved: Decimal) -> Greatest:
    """Nothing may be left to take away, where another process has taken over meanwhile."""
    return Greatest(F("reserved") - reserved, Decimal(0))


class Asker:
    """Asks for one run, in any number of threads, until a time or until it is stopped."""

    def __init__(self, run: ModelRun, until: float) -> None:
        if run.endpoint not in settings.MODEL_ENDPOINTS:
            raise CannotAsk(f"The site has no endpoint {run.endpoint} any more.")
        self.run, self.until = run, until
        self.address: str = settings.MODEL_ENDPOINTS[run.endpoint]
        self.stopped = threading.Event()
        self.pace = Pace.of(run)
        self.client = openai.OpenAI(
            api_key=run.key or "none",
            base_url=self.address,
            timeout=TIMEOUT,
            max_retries=MAX_RETRIES,
            # Nobody else than the endpoint is asked, wherever it would send us.
            http_client=openai.DefaultHttpx2Client(follow_redirects=False),
        )

    def close(self) -> None:
        self.client.close()

    def ask(
        self, unit: Unit, messages: list[Message], previous: StoredAnswer | None, added: int
    ) -> StoredAnswer:
        """The stored answer to these messages, or the endpoint's. Raises Interrupted, CannotAsk."""
        self._check()
        sent = self.run.settings_sent | {"seed": self.run.seed_of(unit)}
        whole = json.dumps([self.address, sent, messages], sort_keys=True).encode()
        row = StoredAnswer(
            run=self.run,
            unit=unit,
            previous=previous,
            digest=sha256(whole).hexdigest(),
            added=messages[added:],
        )
        if stored := self._stored(row):
            return stored
        self._wait(self.pace.take(self.until))
        n_bytes = number_of_bytes(messages)
        most = self.run.price(n_bytes / MIN_BYTES_PER_TOKEN, self.run.max_answer_tokens)
        self._reserve(most)
        began = time.monotonic()
        try:
            row.text, usage = self._request(sent, messages)
        except BaseException:
            self._run().update(reserved=_without(most))
            raise
        row.seconds, row.at = time.monotonic() - began, clock.now()
        row.is_estimated = usage is None
        row.tokens_in, row.tokens_out = usage or (
            -(-n_bytes // BYTES_PER_TOKEN),
            -(-len(row.text.encode()) // BYTES_PER_TOKEN),
        )
        row.cost = self.run.price(row.tokens_in, row.tokens_out)
        self._store(row, most)
        return row

    def _stored(self, row: StoredAnswer) -> StoredAnswer | None:
        """Answers of this run, or a copy of another run's, which has paid for it."""
        same = StoredAnswer.objects.filter(digest=row.digest)
        if own := same.filter(run=self.run).first():
            return own
        other = same.first()
        if other is None:
            return None
        for name in ("text", "tokens_in", "tokens_out", "is_estimated", "seconds"):
            setattr(row, name, getattr(other, name))
        row.cost, row.at = Decimal(0), clock.now()
        row.save()
        return row

    def _store(self, row: StoredAnswer, reserved: Decimal) -> None:
        with transaction.atomic():
            row.save()
            self._run().update(
                requests=F("requests") + 1,
                tokens_in=F("tokens_in") + row.tokens_in,
                tokens_out=F("tokens_out") + row.tokens_out,
                cost=F("cost") + row.cost,
                reserved=_without(reserved),
            )

    def _run(self) -> Any:
        return ModelRun.objects.filter(pk=self.run.pk)

    def _reserve(self, most: Decimal) -> None:
        """Nothing is asked that could cost more than is left, or after the run was paused."""
        left = F("max_cost") - F("cost") - F("reserved")
        while True:
            self._check()
            running = self._run().filter(state=State.RUNNING)
            if (
                running.annotate(left=left)
                .filter(left__gte=most)
                .update(reserved=F("reserved") + most)
            ):
                return
            now = running.values_list("max_cost", "cost", "reserved").first()
            if now is None:
                self.stopped.set()
                raise Interrupted
            if not now[2]:  # else requests under way may cost less than was reserved
                raise CannotAsk(
                    f"The next request could exceed the maximum cost of {now[0]:,.2f}: "
                    f"{now[1]:,.2f} are spent, and it may cost {most:,.4f}."
                )
            self._wait(WAIT)

    def _check(self) -> None:
        leases.check_lease()
        if self.stopped.is_set() or time.monotonic() > self.until:
            raise Interrupted

    def _wait(self, seconds: float | None) -> None:
        if seconds is None or self.stopped.wait(seconds):
            raise Interrupted

    def _request(
        self, sent: dict[str, Any], messages: list[Message]
    ) -> tuple[str, tuple[int, int] | None]:
        try:
            answer = self.client.chat.completions.create(**sent, messages=messages)  # type: ignore[arg-type]
            text = (answer.choices[0].message.content or "").replace("\0", "\ufffd")
            text = text.encode(errors="replace").decode()  # PostgreSQL stores no half a character
            usage = answer.usage
            counted = (usage.prompt_tokens, usage.completion_tokens) if usage else None
        except openai.APIStatusError as fault:
            body = fault.body if isinstance(fault.body, dict) else {}
            said = self._redacted(str(body.get("message") or fault.message))
            raise CannotAsk(f"{self.run.endpoint} answered {fault.status_code}: {said}") from fault
        except openai.APIConnectionError as fault:  # timeouts are some of them
            said = self._redacted(str(fault.__cause__ or fault))
            raise CannotAsk(f"{self.run.endpoint} does not answer: {said}") from fault
        except (openai.OpenAIError, ValueError, TypeError, AttributeError, IndexError) as fault:
            why = "what it answers is not of OpenAI's protocol"
            raise CannotAsk(f"{self.run.endpoint} cannot be used: {why}") from fault
        if counted and all(type(n) is int and 0 <= n <= MAX_TOKENS for n in counted):
            return text, counted
        return text, None

    def _redacted(self, text: str) -> str:
        """An endpoint may quote the key that it refuses."""
        said = text.replace(self.run.key, "[the key]") if self.run.key else text
        return said.replace("\0", "")[:MAX_FAULT_LENGTH]
