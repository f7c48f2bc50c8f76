"""One request to the endpoint of a run: from the stored answers, or at the run's pace and cost."""

import json
import threading
import time
from decimal import Decimal
from hashlib import sha256
from typing import Any

from django.db import transaction
from django.db.models import F
from django.db.models.functions import Greatest

from crowd.language_model.prompts import BYTES_PER_TOKEN, Message, number_of_bytes
from crowd.models import ModelRun, StoredAnswer
from judging.models import Unit
from web import clock
from web.background import leases
from web.lazy import openai

TIMEOUT = 120.0  # seconds
MAX_TOKENS = 2**31 - 1  # of one answer: whatever counts more counts nonsense
MAX_RETRIES = 3  # of one request, by the client, where it may succeed later
MAX_FAULT_LENGTH = 300  # characters of what an endpoint says
MIN_BYTES_PER_TOKEN = 2  # by which money is reserved
WAIT = 0.2  # seconds until it is seen whether money that others reserved is free again


class Interrupted(Exception):
    """The slice is over, or the run is to ask nothing more now."""


class CannotAsk(Exception):
    """The run cannot go on as it is; the message says why."""


_lock = threading.Lock()
_next: dict[int, float] = {}  # when each run may send its next request


def take_turn(run: ModelRun, until: float) -> float:
    """The seconds until the run may send a request; Interrupted: not before `until`.

    The threads of a run share its pace, which holds from slice to slice.
    """
    with _lock:
        now = time.monotonic()
        at = max(now, _next.get(run.pk, now))
        if at > until:
            raise Interrupted
        _next[run.pk] = at + 60 / run.requests_per_minute
    return at - now


class Asker:
    """Asks for one run, in any number of threads, until a time or until it is stopped."""

    def __init__(self, run: ModelRun, until: float) -> None:
        if not run.address:
            raise CannotAsk(f"The site has no endpoint {run.endpoint} any more.")
        self.run, self.until, self.stopped = run, until, threading.Event()
        self.rows = ModelRun.objects.filter(pk=run.pk)
        self.client = openai.OpenAI(
            api_key=run.key or "none",
            base_url=run.address,
            timeout=TIMEOUT,
            max_retries=MAX_RETRIES,
            # Nobody else than the endpoint is asked, wherever it would send us.
            http_client=openai.DefaultHttpx2Client(follow_redirects=False),
        )

    def ask(self, unit: Unit, messages: list[Message]) -> str:
        """The stored answer to these messages, or the endpoint's. Raises Interrupted, CannotAsk."""
        self._check()
        sent = self.run.settings_sent(unit)
        whole = json.dumps([self.run.address, sent, messages], sort_keys=True).encode()
        digest = sha256(whole).hexdigest()
        if (stored := self._stored(unit, digest)) is not None:
            return stored
        self._wait(take_turn(self.run, self.until))
        n_bytes = number_of_bytes(messages)
        most = self.run.price(n_bytes / MIN_BYTES_PER_TOKEN, self.run.max_answer_tokens)
        # Nothing may be left to take away, where another process has taken over meanwhile.
        without = Greatest(F("reserved") - most, Decimal(0))
        self._reserve(most)
        try:
            text, counted = self._request(sent, messages)
        except BaseException:
            self.rows.update(reserved=without)
            raise
        tokens = counted or (-(-n // BYTES_PER_TOKEN) for n in (n_bytes, len(text.encode())))
        tokens_in, tokens_out = tokens
        cost = self.run.price(tokens_in, tokens_out)
        with transaction.atomic():
            StoredAnswer.objects.create(
                run=self.run,
                unit=unit,
                digest=digest,
                added=messages[-1:] if len(messages) > 2 else messages,
                text=text,
                tokens_in=tokens_in,
                tokens_out=tokens_out,
                is_estimated=counted is None,
                cost=cost,
                at=clock.now(),
            )
            self.rows.update(
                requests=F("requests") + 1,
                tokens_in=F("tokens_in") + tokens_in,
                tokens_out=F("tokens_out") + tokens_out,
                cost=F("cost") + cost,
                reserved=without,
            )
        return text

    def _check(self) -> None:
        leases.check_lease()
        if self.stopped.is_set() or time.monotonic() > self.until:
            raise Interrupted

    def _stored(self, unit: Unit, digest: str) -> str | None:
        """An answer of this run, or a copy of another run's, which has paid for it."""
        same = StoredAnswer.objects.filter(digest=digest)
        answer = max(same, key=lambda answer: answer.run_id == self.run.pk, default=None)
        if answer and answer.run_id != self.run.pk:
            answer.pk, answer.run, answer.unit = None, self.run, unit
            answer.cost, answer.at = Decimal(0), clock.now()
            answer.save(force_insert=True)
        return answer.text if answer else None

    def _wait(self, seconds: float) -> None:
        if self.stopped.wait(seconds):
            raise Interrupted

    def _reserve(self, most: Decimal) -> None:
        """Nothing is asked that could cost more than is left, or after the run was paused."""
        running = self.rows.filter(state=ModelRun.State.RUNNING)
        affordable = running.filter(max_cost__gte=F("cost") + F("reserved") + most)
        self._check()
        while not affordable.update(reserved=F("reserved") + most):
            run = running.first()
            if run is None:
                self.stopped.set()
                raise Interrupted
            if not run.reserved:  # else requests under way may cost less than was reserved
                raise CannotAsk(
                    f"The next request could exceed the maximum cost of {run.max_cost:,.2f}: "
                    f"{run.cost:,.2f} are spent, and it may cost {most:,.4f}."
                )
            self._wait(WAIT)
            self._check()

    def _request(
        self, sent: dict[str, Any], messages: list[Message]
    ) -> tuple[str, tuple[int, int] | None]:
        """The answer, and the tokens sent and answered if the endpoint counts them."""
        try:
            # `chat.completions.create` would walk through all messages of a conversation again and
            # again, by their types, which takes longer than all else that a request needs.
            answer = self.client.post(
                "/chat/completions",
                cast_to=openai.types.chat.ChatCompletion,
                body={**sent, "messages": messages},
            )
            text = (answer.choices[0].message.content or "").replace("\0", "\ufffd")
            text = text.encode(errors="replace").decode()  # PostgreSQL stores no half a character
            usage = answer.usage
            counted = (usage.prompt_tokens, usage.completion_tokens) if usage else None
        except openai.APIStatusError as fault:
            body = fault.body if isinstance(fault.body, dict) else {}
            words = self._redacted(str(body.get("message") or fault.message))
            raise CannotAsk(f"{self.run.endpoint} answered {fault.status_code}: {words}") from fault
        except openai.APIConnectionError as fault:  # timeouts are some of them
            words = self._redacted(str(fault.__cause__ or fault))
            raise CannotAsk(f"{self.run.endpoint} does not answer: {words}") from fault
        except (openai.OpenAIError, ValueError, TypeError, AttributeError, IndexError) as fault:
            why = "what it answers is not of OpenAI's protocol"
            raise CannotAsk(f"{self.run.endpoint} cannot be used: {why}") from fault
        if counted and all(type(n) is int and 0 <= n <= MAX_TOKENS for n in counted):
            return text, counted
        return text, None

    def _redacted(self, text: str) -> str:
        """An endpoint may quote the key that it refuses."""
        if self.run.key:
            text = text.replace(self.run.key, "[the key]")
        return text.replace("\0", "")[:MAX_FAULT_LENGTH]
