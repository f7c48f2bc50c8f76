"""A double of Prolific's API: a real server that checks requests as its documentation demands.

What it demands is told, with where it stands, in docs/platforms/prolific-api.md. It sends events as
a test asks for: signed, twice, late and out of order.
"""

import base64
import hashlib
import hmac
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from typing import Any
from urllib.parse import parse_qs, urlsplit

TOKEN, WORKSPACE, PROJECT = "a-token-of-a-researcher-9xyz", "w0rk5pace", "pr0ject"
Json = dict[str, Any]
FEE = 4 / 3  # reward and fee together, of the reward
STUDY_NEEDS = (
    *("name", "description", "external_study_url", "prolific_id_option"),
    *("total_available_places", "estimated_completion_time", "reward"),
)
ACTIONS = {
    "AUTOMATICALLY_APPROVE": (),
    "MANUALLY_REVIEW": (),
    "REQUEST_RETURN": ("return_reason",),
    "FIXED_SCREEN_OUT_PAYMENT": ("fixed_screen_out_reward", "slots"),
}
TRANSITIONS = {
    ("UNPUBLISHED", "PUBLISH"): "ACTIVE",
    ("ACTIVE", "PAUSE"): "PAUSED",
    ("ACTIVE", "STOP"): "COMPLETED",
    ("PAUSED", "START"): "ACTIVE",
    ("PAUSED", "STOP"): "COMPLETED",
}
REJECTIONS = (
    *("TOO_QUICKLY", "TOO_SLOWLY", "FAILED_INSTRUCTIONS", "INCOMP_LONGITUDINAL", "FAILED_CHECK"),
    *("LOW_EFFORT", "MALINGERING", "NO_CODE", "BAD_CODE", "NO_DATA", "UNSUPP_DEVICE", "OTHER"),
)
CANNOT_RETURN = {"APPROVED", "REJECTED", "RETURNED"}


class Wrong(Exception):
    """A request that Prolific refuses, by status and what it says."""

    def __init__(self, detail: Any, status: int = 400) -> None:
        super().__init__(detail)
        self.status, self.detail = status, detail


@dataclass
class Prolific:
    """All that Prolific knows, and the server that tells it."""

    address: str = ""
    studies: dict[str, Json] = field(default_factory=dict)
    submissions: dict[str, Json] = field(default_factory=dict)
    bonuses: dict[str, Json] = field(default_factory=dict)
    subscriptions: dict[str, Json] = field(default_factory=dict)
    secret: str = ""
    workspaces: list[Json] = field(default_factory=list)
    requests: Counter = field(default_factory=Counter)
    # What a test wants to go wrong, by method and path: before it is done, or after.
    broken_before: set[str] = field(default_factory=set)
    broken_after: set[str] = field(default_factory=set)
    balance: int = 10**9
    lock: Lock = field(default_factory=Lock)
    made: int = 0

    def __post_init__(self) -> None:
        self.workspaces.append({"id": WORKSPACE, "title": "Methods lab"})

    def new_id(self) -> str:
        self.made += 1
        return f"{self.made:024x}"

    # --- what participants do -----------------------------------------------------------------
    def take_place(self, study: str, participant: str) -> str:
        """A participant takes part; the id of the submission."""
        there = self.studies[study]
        assert there["status"] == "ACTIVE"
        assert self.taken(study) < there["total_available_places"]
        key = self.new_id()
        self.submissions[key] = {
            "id": key,
            "participant_id": participant,
            "status": "ACTIVE",
            "started_at": datetime.now(UTC).isoformat(),
            "completed_at": None,
            "has_siblings": False,
            "study_code": None,
            "return_requested": None,
            "ip": "192.0.2.7",
            "study_id": study,
            "bonus_payments": [],
        }
        return key

    def goes_to(self, submission: str, status: str, code: str | None = None) -> None:
        self.submissions[submission].update(status=status, study_code=code)

    def taken(self, study: str) -> int:
        free = ("RETURNED", "TIMED-OUT", "REJECTED")
        of_study = [each for each in self.submissions.values() if each["study_id"] == study]
        return sum(each["status"] not in free for each in of_study)

    def to_review(self, study: str) -> bool:
        of_study = [each for each in self.submissions.values() if each["study_id"] == study]
        return any(each["status"] == "AWAITING REVIEW" for each in of_study)

    # --- events -------------------------------------------------------------------------------
    def event(self, submission: str, status: str = "", number: str = "") -> tuple[bytes, Json]:
        """The body and headers of an event, signed now; a status that is old may be told."""
        row = self.submissions[submission]
        body = json.dumps(
            {
                "resource_id": submission,
                "event_type": "submission.status.change",
                "participant_id": row["participant_id"],
                "status": status or row["status"],
            }
        ).encode()
        timestamp = f"{datetime.now(UTC).timestamp():.0f}"
        digest = hmac.new(self.secret.encode(), timestamp.encode() + body, hashlib.sha256)
        return body, {
            "X-Prolific-Request-Timestamp": timestamp,
            "X-Prolific-Request-Signature": base64.b64encode(digest.digest()).decode(),
            "X-Event-ID": number or self.new_id(),
        }

    # --- what is asked ------------------------------------------------------------------------
    def answer(self, method: str, path: str, query: Json, body: Json) -> tuple[int, Json, Json]:
        for wanted, pattern, do in ROUTES:
            if method == wanted and (found := re.fullmatch(f"/api/v1/{pattern}", path)):
                status, answer, *headers = do(self, query | body, *found.groups())
                return status, answer, headers[0] if headers else {}
        raise Wrong("There is no such address.", 404)

    def study_as_told(self, key: str) -> Json:
        if key not in self.studies:
            raise Wrong("No such study.", 404)
        return self.studies[key] | {"places_taken": self.taken(key)}


# --- the addresses ------------------------------------------------------------------------------
def workspaces(there: Prolific, asked: Json) -> tuple[int, Json]:
    return 200, {"results": there.workspaces}


def projects(there: Prolific, asked: Json, workspace: str) -> tuple[int, Json]:
    return 200, {"results": [{"id": PROJECT, "title": "Project"}] if workspace == WORKSPACE else []}


def project_studies(there: Prolific, asked: Json, project: str) -> tuple[int, Json]:
    return 200, {"results": [there.study_as_told(key) for key in there.studies]}


def create_study(there: Prolific, asked: Json) -> tuple[int, Json]:
    if missing := [name for name in STUDY_NEEDS if asked.get(name) in (None, "")]:
        raise Wrong({name: ["This field is required."] for name in missing})
    if asked["prolific_id_option"] not in ("question", "url_parameters", "not_required"):
        raise Wrong({"prolific_id_option": ["Not a valid choice."]})
    if asked["prolific_id_option"] == "url_parameters":
        for name in ("{{%PROLIFIC_PID%}}", "{{%STUDY_ID%}}", "{{%SESSION_ID%}}"):
            assert name in asked["external_study_url"], name
    _check_codes(asked.get("completion_codes"))
    for each in asked.get("filters", []):
        if not {"filter_id", "selected_values"} <= each.keys():
            raise Wrong({"filters": ["filter_id and selected_values are required."]})
    for name in ("total_available_places", "estimated_completion_time", "reward"):
        if not isinstance(asked[name], int) or asked[name] < 1:
            raise Wrong({name: ["A valid number is required."]})
    minutes = asked["estimated_completion_time"]
    if asked.get("maximum_allowed_time", 999) < 2 + 2 * minutes + 2 * minutes**0.5:
        raise Wrong({"maximum_allowed_time": ["It is less than participants need."]})
    key = there.new_id()
    there.studies[key] = {
        **asked,
        "id": key,
        "status": "UNPUBLISHED",
        "presentment_currency_code": "GBP",
    }
    return 201, there.study_as_told(key)


def _check_codes(codes: Any) -> None:
    if not codes:
        raise Wrong({"completion_codes": ["Specify at least one completion code."]})
    if len({each["code"] for each in codes}) < len(codes):
        raise Wrong({"completion_codes": ["Each code must be unique within a study."]})
    for each in codes:
        for action in each["actions"]:
            needs = ACTIONS.get(action["action"])
            if needs is None or set(needs) - action.keys():
                raise Wrong({"completion_codes": [f"{action}: not an action."]})


def study(there: Prolific, asked: Json, key: str) -> tuple[int, Json]:
    return 200, there.study_as_told(key)


def update_study(there: Prolific, asked: Json, key: str) -> tuple[int, Json]:
    row, places = there.study_as_told(key), asked["total_available_places"]
    if row["status"] != "UNPUBLISHED" and places < row["total_available_places"]:
        raise Wrong({"total_available_places": ["Only increasing is allowed."]})
    there.studies[key]["total_available_places"] = places
    if row["status"] == "COMPLETED":
        there.studies[key]["status"] = "ACTIVE"
    return 200, there.study_as_told(key)


def transition_study(there: Prolific, asked: Json, key: str) -> tuple[int, Json]:
    row = there.study_as_told(key)
    target = TRANSITIONS.get((row["status"], asked.get("action", "")))
    if target is None:
        raise Wrong(f"{asked.get('action')} is not possible.", 409)
    if asked["action"] == "PUBLISH":
        price = round(row["reward"] * row["total_available_places"] * FEE)
        if price > there.balance:
            raise Wrong("You do not have enough money in your account.")
        there.balance -= price
    if asked["action"] == "STOP" and there.to_review(key):
        target = "AWAITING REVIEW"
    there.studies[key]["status"] = target
    return 200, there.study_as_told(key)


def cost(there: Prolific, asked: Json) -> tuple[int, Json]:
    return 200, {"total_cost": round(asked["reward"] * asked["total_available_places"] * FEE)}


def submissions(there: Prolific, asked: Json) -> tuple[int, Json]:
    if "study" not in asked:
        raise Wrong("study is required.")
    if asked.get("ordering", "started_at").lstrip("-") not in ("started_at", "submission_reward"):
        raise Wrong("Not an ordering.")
    rows = [each for each in there.submissions.values() if each["study_id"] == asked["study"]]
    size, page = int(asked.get("page_size", 20)), int(asked.get("page", 1))
    shown = rows[size * (page - 1) : size * page]
    hidden = ("study_id", "bonus_payments", "message")
    told = [{name: row[name] for name in row if name not in hidden} for row in shown]
    return 200, {"results": told, "meta": {"count": len(rows)}}


def _submission(there: Prolific, key: str) -> Json:
    if key not in there.submissions:
        raise Wrong("No such submission.", 404)
    return there.submissions[key]


def submission(there: Prolific, asked: Json, key: str) -> tuple[int, Json]:
    row = _submission(there, key)
    shown = ("id", "status", "study_id", "started_at", "completed_at", "bonus_payments")
    return 200, {name: row[name] for name in shown} | {
        "participant": row["participant_id"],
        "entered_code": row["study_code"],
        "return_requested": row["return_requested"],
    }


def bulk_approve(there: Prolific, asked: Json) -> tuple[int, Json]:
    keys = asked.get("submission_ids")
    if not isinstance(keys, list) or not 1 <= len(keys) <= 1000:
        raise Wrong({"submission_ids": ["This field is required."]})
    for key in keys:
        if _submission(there, key)["status"] == "AWAITING REVIEW":
            there.submissions[key]["status"] = "APPROVED"
    return 200, {}


def transition_submission(there: Prolific, asked: Json, key: str) -> tuple[int, Json]:
    row = _submission(there, key)
    if asked.get("action") not in ("APPROVE", "REJECT"):
        raise Wrong({"action": ["Not a valid choice."]})
    if asked["action"] == "REJECT":
        if asked.get("rejection_category") not in REJECTIONS:
            raise Wrong({"rejection_category": ["Not a valid choice."]})
        if len(asked.get("message", "")) < 100:
            raise Wrong({"message": ["It must be at least 100 chars long."]})
    target = f"{asked['action']}{'D' if asked['action'] == 'APPROVE' else 'ED'}"
    if row["status"] not in ("AWAITING REVIEW", target):
        raise Wrong(f"A submission that is {row['status']} cannot become {target}.", 409)
    row["status"] = target
    row["message"] = asked.get("message")
    shown = ("id", "status", "study_id", "started_at", "completed_at")
    return 200, {name: row[name] for name in shown} | {"participant": row["participant_id"]}


def request_return(there: Prolific, asked: Json, key: str) -> tuple[int, Json]:
    row = _submission(there, key)
    if not asked.get("request_return_reasons"):
        raise Wrong({"request_return_reasons": ["This field is required."]})
    if row["status"] in CANNOT_RETURN:
        raise Wrong("It cannot be returned any more.")
    row["return_requested"] = datetime.now(UTC).isoformat()
    return 200, {name: row[name] for name in ("id", "status", "return_requested")}


def set_up_bonuses(there: Prolific, asked: Json) -> tuple[int, Json]:
    lines = [line.split(",") for line in asked["csv_bonuses"].splitlines()]
    if not 1 <= len(lines) <= 200:
        raise Wrong("At most 200 submissions.")
    wrong = [key for key, _ in lines if key not in there.submissions]
    wrong += [amount for _, amount in lines if not re.fullmatch(r"\d+\.\d\d", amount)]
    if wrong or asked["study_id"] not in there.studies:
        raise Wrong(f"Not of this study: {wrong}")
    amounts = {key: round(float(amount) * 100) for key, amount in lines}
    key = there.new_id()
    there.bonuses[key] = {"amounts": amounts, "paid": 0}
    total = round(sum(amounts.values()) * FEE)
    return 201, {"id": key, "study": asked["study_id"], "total_amount": total}


def pay_bonuses(there: Prolific, asked: Json, key: str) -> tuple[int, Json]:
    if key not in there.bonuses:
        raise Wrong("No such bonus.", 404)
    there.bonuses[key]["paid"] += 1  # each time it is asked
    for submission_id, amount in there.bonuses[key]["amounts"].items():
        there.submissions[submission_id]["bonus_payments"].append(amount)
    return 202, {}


def create_secret(there: Prolific, asked: Json) -> tuple[int, Json]:
    there.secret = f"secret-{there.new_id()}"
    return 201, {"id": there.new_id(), "value": there.secret, "workspace_id": asked["workspace_id"]}


def subscribe(there: Prolific, asked: Json) -> tuple[int, Json, Json]:
    if not there.secret:
        raise Wrong("Create a secret first.")
    if not asked["target_url"].startswith("https://"):
        raise Wrong({"target_url": ["It must use https."]})
    key, proof = there.new_id(), f"proof-{there.new_id()}"
    there.subscriptions[key] = {**asked, "id": key, "proof": proof, "is_enabled": False}
    told = {name: value for name, value in there.subscriptions[key].items() if name != "proof"}
    return 201, told, {"X-Hook-Secret": proof}


def confirm(there: Prolific, asked: Json, key: str) -> tuple[int, Json]:
    if asked.get("secret") != there.subscriptions[key]["proof"]:
        raise Wrong("Not the secret of the subscription.")
    there.subscriptions[key]["is_enabled"] = True
    return 200, {"id": key, "is_enabled": True}


def unsubscribe(there: Prolific, asked: Json, key: str) -> tuple[int, Json]:
    if there.subscriptions.pop(key, None) is None:
        raise Wrong("No such subscription.", 404)
    return 204, {}


KEY = r"(\w+)"
ROUTES: list[tuple[str, str, Callable[..., Any]]] = [
    ("GET", "workspaces/", workspaces),
    ("GET", f"workspaces/{KEY}/projects/", projects),
    ("GET", f"projects/{KEY}/studies/", project_studies),
    ("POST", "studies/", create_study),
    ("GET", f"studies/{KEY}/", study),
    ("PATCH", f"studies/{KEY}/", update_study),
    ("POST", f"studies/{KEY}/transition/", transition_study),
    ("POST", "study-cost-calculator/", cost),
    ("GET", "submissions/", submissions),
    ("POST", "submissions/bulk-approve/", bulk_approve),
    ("POST", "submissions/bonus-payments/", set_up_bonuses),
    ("GET", f"submissions/{KEY}/", submission),
    ("POST", f"submissions/{KEY}/request-return/", request_return),
    ("POST", f"submissions/{KEY}/transition/", transition_submission),
    ("POST", f"bulk-bonus-payments/{KEY}/pay/", pay_bonuses),
    ("POST", "hooks/secrets/", create_secret),
    ("POST", "hooks/subscriptions/", subscribe),
    ("POST", f"hooks/subscriptions/{KEY}/", confirm),
    ("DELETE", f"hooks/subscriptions/{KEY}/", unsubscribe),
]


@contextmanager
def prolific() -> Iterator[Prolific]:
    """The double at work, until the block ends."""
    there = Prolific()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def handle_one(self) -> None:
            parts = urlsplit(self.path)
            length = int(self.headers.get("Content-Length") or 0)
            raw = self.rfile.read(length)
            name = f"{self.command} {parts.path.removeprefix('/api/v1/')}"
            with there.lock:
                there.requests[name] += 1
                status, answer, headers = self._answer(there, name, parts, raw)
            self.send_response(status)
            content = b"" if status == 204 else json.dumps(answer).encode()
            for header, value in {**headers, "Content-Length": str(len(content))}.items():
                self.send_header(header, value)
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = do_PATCH = do_DELETE = handle_one  # noqa: N815

        def _answer(self, there: Prolific, name: str, parts: Any, raw: bytes) -> Any:
            if self.headers.get("Authorization") != f"Token {TOKEN}":
                return *_fault(Wrong("Invalid token.", 401)), {}
            if name in there.broken_before:
                return *_fault(Wrong("Bad gateway", 502)), {}
            query = {key: values[0] for key, values in parse_qs(parts.query).items()}
            try:
                body = json.loads(raw) if raw else {}
                answer = there.answer(self.command, parts.path, query, body)
            except Wrong as wrong:
                return *_fault(wrong), {}
            if name in there.broken_after:
                return *_fault(Wrong("Bad gateway", 502)), {}
            return answer

        def log_message(self, *arguments: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    there.address = f"http://127.0.0.1:{server.server_port}"
    thread = Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield there
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _fault(wrong: Wrong) -> tuple[int, Json]:
    error = {"status": wrong.status, "error_code": 140000, "title": "Error", "detail": wrong.detail}
    return wrong.status, {"error": error}
