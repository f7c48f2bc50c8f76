"""The part of Prolific's API that the product uses; see docs/platforms/prolific-api.md.

Reads are repeated if no answer comes, changes are not.
"""

from __future__ import annotations  # which would load httpx

import ssl
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from time import sleep
from typing import Any

from django.conf import settings
from django.utils.dateparse import parse_datetime

from web.background.deadlines import check_deadline
from web.lazy import httpx
from workspace.recruiting.faults import Refused, Unreachable

TIMEOUT = 8.0  # seconds for each step of a request
TRIES = 3
FIRST_PAUSE = 0.5  # seconds before the second try; twice as long before the third
MAX_PAUSE = 5.0  # whatever Retry-After says
PAGE_SIZE = 200  # submissions of an answer
MAX_PAGES = 500
TOO_MANY_REQUESTS = 429
MAX_ANSWER_LENGTH = 300  # characters of it in a message
UNEXPECTED_ANSWER = "Prolific answers with something of another kind: its API may have changed."
Json = dict[str, Any]


@dataclass(frozen=True)
class Submission:
    """The part of a submission that is stored.

    The API has more: the address of the participant's computer, their sex and origin.
    """

    submission_id: str
    participant_id: str
    status: str
    code: str
    started_at: datetime | None
    return_requested_at: datetime | None


@dataclass(frozen=True)
class RemoteStudy:
    """reward: in hundredths of its currency."""

    prolific_id: str
    internal_name: str
    status: str
    places: int
    reward: int
    currency: str


@dataclass(frozen=True)
class Resource:
    key: str
    title: str


@dataclass
class Api:
    token: str = field(repr=False)
    address: str = field(default_factory=lambda: settings.PROLIFIC_API_URL)
    transport: httpx.BaseTransport | None = None

    # --- what is read -----------------------------------------------------------------------------
    def workspaces(self) -> list[Resource]:
        return [_resource(row) for row in _rows(self._get("workspaces/"))]

    def projects(self, workspace: str) -> list[Resource]:
        return [_resource(row) for row in _rows(self._get(f"workspaces/{workspace}/projects/"))]

    def study(self, study: str) -> RemoteStudy:
        return _study(self._get(f"studies/{study}/"))

    def studies(self, project: str) -> list[RemoteStudy]:
        newest = {"page": 1, "page_size": PAGE_SIZE, "ordering": "-date_created"}
        return [_study(row) for row in _rows(self._get(f"projects/{project}/studies/", newest))]

    def submissions(self, study: str) -> Iterator[Submission]:
        n_read = 0
        for page in range(1, MAX_PAGES + 1):
            parameters = {"study": study, "ordering": "started_at", "page": page}
            parameters["page_size"] = PAGE_SIZE
            answer = self._get("submissions/", parameters)
            rows = _rows(answer)
            yield from map(_submission, rows)
            n_read += len(rows)
            # Where Prolific does not say how many there are, a page that is not full is the last.
            meta = answer.get("meta")
            count = meta.get("count") if isinstance(meta, dict) else None
            total = None if count is None else _integer(count)
            if not rows or (len(rows) < PAGE_SIZE if total is None else n_read >= total):
                return

    def study_of(self, submission: str) -> tuple[str, tuple[int, ...]]:
        """The study of a submission, and its bonuses, in hundredths."""
        row = self._get(f"submissions/{submission}/")
        bonuses = row.get("bonus_payments") or ()
        return str(_required(row, "study_id")), tuple(map(_integer, _list_of(bonuses, int | float)))

    def cost(self, reward: int, places: int) -> int:
        """Of so many places with all fees and taxes, in hundredths."""
        body = {"reward": reward, "total_available_places": places}
        answer = self._send("POST", "study-cost-calculator/", body, tries=TRIES)
        return _integer(_required(answer, "total_cost"))

    # --- what changes something -------------------------------------------------------------------
    def create_study(self, draft: Json) -> RemoteStudy:
        """It costs nothing yet."""
        return _study(self._send("POST", "studies/", draft))

    def move(self, study: str, action: str) -> RemoteStudy:
        """PUBLISH, from when on it costs money, PAUSE, START again, or STOP, which is for good."""
        return _study(self._send("POST", f"studies/{study}/transition/", {"action": action}))

    def set_places(self, study: str, places: int) -> RemoteStudy:
        """Places are never fewer."""
        return _study(self._send("PATCH", f"studies/{study}/", {"total_available_places": places}))

    def approve(self, submissions: list[str]) -> None:
        """Pay submissions; at most 1,000 at once. Those that are approved already stay so."""
        self._send("POST", "submissions/bulk-approve/", {"submission_ids": submissions})

    def request_return(self, submission: str, reason: str) -> None:
        """Prolific writes to the participant."""
        body = {"request_return_reasons": [reason]}
        self._send("POST", f"submissions/{submission}/request-return/", body)

    def reject(self, submission: str, category: str, message: str) -> str:
        """Reject a submission, which is for good and not paid; returns its status.

        A second call changes nothing. The participant reads the message.
        """
        body = {"action": "REJECT", "rejection_category": category, "message": message}
        answer = self._send("POST", f"submissions/{submission}/transition/", body)
        return str(_required(answer, "status"))

    def set_up_bonuses(self, study: str, amounts: dict[str, int]) -> tuple[str, int]:
        """Set up bonuses, by submission, which pays nothing yet; amounts are in hundredths.

        Returns the id to pay them by, and the total with all fees and taxes.
        """
        lines = [f"{submission},{cents / 100:.2f}" for submission, cents in amounts.items()]
        body = {"study_id": study, "csv_bonuses": "\n".join(lines)}
        answer = self._send("POST", "submissions/bonus-payments/", body)
        return str(_required(answer, "id")), _integer(_required(answer, "total_amount"))

    def pay_bonuses(self, bulk: str) -> None:
        """Each call pays."""
        self._send("POST", f"bulk-bonus-payments/{bulk}/pay/", {})

    def make_secret(self, workspace: str) -> str:
        """Make the secret that signs events of a workspace; the one before is void."""
        answer = self._send("POST", "hooks/secrets/", {"workspace_id": workspace})
        return str(_required(answer, "value"))

    def subscribe(self, workspace: str, event: str, target: str) -> str:
        """Have events sent to an address; returns the id of the subscription."""
        body = {"workspace_id": workspace, "event_type": event, "target_url": target}
        response = self._request("POST", "hooks/subscriptions/", body)
        answer = _json(response)
        rows = _list_of(answer.get("results") or [], dict)
        subscription = answer if "id" in answer or not rows else rows[0]
        secret = response.headers.get("X-Hook-Secret", "")
        if not subscription.get("id") or not secret:
            raise Unreachable("Prolific did not say how to confirm that events are wanted.")
        self._send("POST", f"hooks/subscriptions/{subscription['id']}/", {"secret": secret})
        return str(subscription["id"])

    def unsubscribe(self, subscription: str) -> None:
        self._request("DELETE", f"hooks/subscriptions/{subscription}/", None)

    # --- how it is asked --------------------------------------------------------------------------
    def _client(self) -> httpx.Client:
        return httpx.Client(
            base_url=f"{self.address}/api/v1/",
            headers={"Authorization": f"Token {self.token}"},
            timeout=TIMEOUT,
            verify=_ssl_context(),
            transport=self.transport,
        )

    def _get(self, path: str, parameters: Json | None = None) -> Json:
        return self._send("GET", path, parameters=parameters, tries=TRIES)

    def _send(
        self,
        method: str,
        path: str,
        body: Json | None = None,
        *,
        parameters: Json | None = None,
        tries: int = 1,
    ) -> Json:
        return _json(self._request(method, path, body, parameters=parameters, tries=tries))

    def _request(
        self,
        method: str,
        path: str,
        body: Json | None,
        *,
        parameters: Json | None = None,
        tries: int = 1,
    ) -> httpx.Response:
        for attempt in range(1, tries + 1):
            check_deadline()
            pause = FIRST_PAUSE * 2 ** (attempt - 1)
            try:
                with self._client() as client:
                    response = client.request(method, path, json=body, params=parameters)
            except httpx.HTTPError as fault:
                why = f"Prolific does not answer ({type(fault).__name__}). Try again in a while."
            else:
                if response.is_success:
                    return response
                if response.is_client_error and response.status_code != TOO_MANY_REQUESTS:
                    raise _refusal(response)
                why = f"Prolific cannot do it just now (status {response.status_code})."
                pause = min(_seconds(response.headers.get("Retry-After"), pause), MAX_PAUSE)
            if attempt < tries:
                sleep(pause)
        raise Unreachable(why)


@cache
def _ssl_context() -> ssl.SSLContext:
    return httpx.create_ssl_context()


def _json(response: httpx.Response) -> Json:
    try:
        answer = response.json() if response.content else {}
    except (ValueError, RecursionError):
        answer = {}
    return answer if isinstance(answer, dict) else {}


def _required(answer: Json, name: str) -> Any:
    if answer.get(name) is None:
        raise Unreachable(f"Prolific answers without {name}: its API may have changed.")
    return answer[name]


def _rows(answer: Json) -> list[Json]:
    return _list_of(_required(answer, "results"), dict)


def _list_of(value: Any, kind: Any) -> list[Any]:
    if not isinstance(value, list | tuple) or not all(isinstance(each, kind) for each in value):
        raise Unreachable(UNEXPECTED_ANSWER)
    return list(value)


def _integer(value: Any) -> int:
    try:
        return round(value)
    except (TypeError, ValueError, OverflowError) as fault:
        raise Unreachable(UNEXPECTED_ANSWER) from fault


def _refusal(response: httpx.Response) -> Refused:
    error = _json(response).get("error")
    detail = error.get("detail") or error.get("title") if isinstance(error, dict) else ""
    if isinstance(detail, dict):
        detail = "; ".join(f"{name}: {_joined(lines)}" for name, lines in detail.items())
    meaning = "Prolific refuses"
    if response.status_code in (httpx.codes.UNAUTHORIZED, httpx.codes.FORBIDDEN):
        meaning = "Prolific does not accept the token, or it may not do this"
    text = " ".join(_joined(detail).split())[:MAX_ANSWER_LENGTH]
    return Refused(meaning, response.status_code, text)


def _joined(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value or "")


def _seconds(text: str | None, default: float) -> float:
    return float(text) if text and text.isdecimal() else default


def _resource(row: Json) -> Resource:
    return Resource(str(_required(row, "id")), str(row.get("title", "")))


def _study(row: Json) -> RemoteStudy:
    return RemoteStudy(
        str(_required(row, "id")),
        str(row.get("internal_name") or ""),
        str(row.get("status") or ""),
        _integer(row.get("total_available_places") or 0),
        _integer(row.get("reward") or 0),
        str(row.get("presentment_currency_code") or row.get("currency_code") or ""),
    )


def _submission(row: Json) -> Submission:
    return Submission(
        str(_required(row, "id")),
        str(row.get("participant_id") or row.get("participant") or ""),
        str(row.get("status") or ""),
        str(row.get("study_code") or row.get("entered_code") or "")[:100],
        _datetime(row.get("started_at")),
        _datetime(row.get("return_requested")),
    )


def _datetime(text: Any) -> datetime | None:
    try:
        return parse_datetime(text) if text else None
    except (TypeError, ValueError) as fault:
        raise Unreachable(UNEXPECTED_ANSWER) from fault
