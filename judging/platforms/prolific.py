"""Prolific: ids as plain parameters, and beside them, where a study asks for it, a signed token.

A secured study link carries `prolific_token`, a JSON Web Token signed with RS256 by one of the keys
that Prolific publishes. Its claim `prolific` holds the parameters of the link, `aud` the site that
it is for, and `exp` when it ends (docs.prolific.com, "Retrieve JSON Web Key Set").

Who is done is sent back with a code that the study on Prolific has; another code of it may stand
for those who are screened out and paid for it (docs.prolific.com, "The study object").
"""

import logging
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from threading import Lock
from typing import Any
from urllib.parse import urlencode, urlsplit

import jwt
from django.conf import settings

from judging.platforms.platform import REFUSALS, Completion, Participant, PayList, Platform

log = logging.getLogger(__name__)
TOKEN = "prolific_token"  # noqa: S105 - the name of a parameter
COMPLETE = "https://app.prolific.com/submissions/complete"
# Prolific's rejection categories (docs.prolific.com, "Approve or reject a submission") without
# TOO_QUICKLY, TOO_SLOWLY and FAILED_CHECK: checks (c) and (d) and speed are never a reason.
REJECTIONS = {
    "LOW_EFFORT": REFUSALS["low effort"],
    "FAILED_INSTRUCTIONS": REFUSALS["instructions"],
    "MALINGERING": REFUSALS["not eligible"],
    "OTHER": REFUSALS["other"],
}
# For submissions that were sent although nothing was completed.
REJECTIONS_WITHOUT_A_UNIT = {
    "NO_DATA": "They judged nothing here",
    "NO_CODE": "They sent no completion code, and completed nothing here",
    "BAD_CODE": "They sent another code than the study’s, and completed nothing here",
}
LEEWAY = 30  # seconds that our clock and Prolific's may differ
TIMEOUT = 3  # seconds to wait for the published keys
A_DAY = 24 * 60 * 60
A_MINUTE = 60


@dataclass
class PublishedKeys:
    """Fetched once a day; for an unknown key, as tokens may be invented, at most every minute."""

    address: str
    keys: dict[str, jwt.PyJWK] = field(default_factory=dict)
    fetched_at: float | None = None
    lock: Lock = field(default_factory=Lock)

    def find(self, key_id: str) -> jwt.PyJWK | None:
        """None: it is not published, or nobody answers."""
        with self.lock:
            age = None if self.fetched_at is None else time.monotonic() - self.fetched_at
            if age is None or age > A_DAY or (key_id not in self.keys and age > A_MINUTE):
                self._fetch()
        return self.keys.get(key_id)

    def _fetch(self) -> None:
        self.fetched_at = time.monotonic()
        client = jwt.PyJWKClient(self.address, cache_jwk_set=False, timeout=TIMEOUT)
        try:
            published = client.get_jwk_set().keys
        except jwt.PyJWTError as fault:
            log.warning("The keys that Prolific publishes cannot be fetched: %s", fault)
            return
        self.keys = {key.key_id: key for key in published if key.key_id}


@cache
def published_keys(address: str) -> PublishedKeys:
    """One set in each process."""
    return PublishedKeys(address)


@dataclass(frozen=True)
class Prolific(Platform):
    """Prolific; a valid token wins over the plain parameters beside it."""

    def read(self, parameters: Mapping[str, str], host: str) -> Participant | None:
        if signed := self._signed_parameters(parameters.get(TOKEN, ""), host):
            participant = super().read(signed, host)
            return replace(participant, signed=True) if participant else None
        return super().read(parameters, host)

    def way_back(self, completion: Completion, external_id: str = "") -> str:
        return f"{COMPLETE}?{urlencode({'cc': completion.code})}" if completion.code else ""

    def _signed_parameters(self, token: str, host: str) -> Mapping[str, Any] | None:
        """The parameters in a token that Prolific signed for this host and that has not ended."""
        if not token:
            return None
        try:
            key_id = jwt.get_unverified_header(token).get("kid", "")
            key = published_keys(settings.PROLIFIC_KEYS_URL).find(key_id)
            if key is None:
                return None
            claims = jwt.decode(
                token,
                key,
                algorithms=["RS256"],
                leeway=LEEWAY,
                options={"require": ["exp", "aud"], "verify_aud": False},
            )
        except jwt.PyJWTError:
            return None
        parameters, audience = claims.get("prolific"), claims["aud"]
        several = audience if isinstance(audience, list) else [audience]
        is_for_host = _name(host) in {_name(str(address)) for address in several} - {None}
        return parameters if is_for_host and isinstance(parameters, dict) else None


def _name(address: str) -> str | None:
    try:
        return urlsplit(address if "//" in address else f"//{address}").hostname
    except ValueError:  # what is in brackets is no address
        return None


PROLIFIC = Prolific(
    "prolific",
    "Prolific",
    "PROLIFIC_PID",
    other_parameters=("STUDY_ID", "SESSION_ID"),
    submission_parameter="SESSION_ID",
    lasting_ids=True,
    query="PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}",
    pays_once=True,
    question_tries=2,
    screens_out=True,
    return_settings=(
        *("completion_code", "screen_out_code", "screen_out_reward", "return_code"),
        "submission_minutes",
    ),
    refusals=REJECTIONS,
    rejections=REJECTIONS_WITHOUT_A_UNIT,
    min_reason_length=100,
    has_api=True,
    needs="Prolific needs the completion code of its study.",
    pay_lists=(
        PayList(
            "approvals",
            "Participants to approve, one a line, for Prolific’s bulk approval",
            ("participant",),
            further=False,
        ),
        PayList(
            "bonuses",
            "Bonuses, id and amount a line, for Prolific’s bulk bonus payment",
            ("participant", "amount"),
            further=True,
        ),
    ),
)
