import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple
from urllib.parse import urlsplit

from web.text import storable

MAX_ID_LENGTH = 255  # characters
CODE = re.compile("[A-Za-z0-9_-]{3,64}")


@dataclass(frozen=True)
class Participant:
    """ids: the platform's others; signed: all by the platform, else perhaps written by anybody."""

    platform: str
    external_id: str
    ids: dict[str, str]
    signed: bool = False


@dataclass(frozen=True)
class Completion:
    """How somebody is done; code: set by the study on the platform; address: the platform's own."""

    code: str = ""
    address: str = ""


class PayList(NamedTuple):
    """What is still to be paid, each participant once, in the form that a platform takes.

    name: in addresses and names of files; title: what it lists, and what for; columns: of
    `participant` and `amount`, without a header; further: of units after the first, paid as a
    bonus, else of the first.
    """

    name: str
    title: str
    columns: tuple[str, ...]
    further: bool


# For what a payment may be refused, where a platform has no list of its own.
REFUSALS = {
    "low effort": "The reasons are empty talk, or not about the documents",
    "instructions": "The instructions were not followed",
    "not eligible": "They are not who the study is for, and said they were",
    "other": "Another reason, which the words name",
}


@dataclass(frozen=True)
class Platform:
    """A platform whose links carry ids as plain parameters. This one, named "", is none.

    Attributes:
        participant: the parameter that names the participant; empty: its links name nobody.
        submission_parameter: of the `other_parameters`, the one that names a single submission,
            which only the participant and the platform know; empty: the platform has none.
        lasting_ids: the same id names the same person in every study.
        query: what the platform wants after the study's address, where it fills in the ids.
        pays_once: one submission is paid once, so that a further unit needs a bonus.
        question_tries: how often the question on a topic may be answered, as is usual there.
        screens_out: it can pay those who may not go on, by another code.
        return_settings: the settings of a study by which somebody goes back, and in which time.
        refusals: for what a payment may be refused, and what that means: for neither failed checks
            nor speed, as whoever has a completion code has passed every check.
        rejections: for what a submission without a completed unit may be rejected; none: it may
            not.
        min_reason_length: characters that the reason of a refusal needs; the participant reads it.
        has_api: this site can make the study there and follow it.
        needs: a sentence, where nobody can go back without a code or an address.
    """

    name: str
    title: str = ""
    participant: str = ""
    other_parameters: tuple[str, ...] = ()
    submission_parameter: str = ""
    lasting_ids: bool = False
    query: str = ""
    pays_once: bool = False
    question_tries: int = 1
    screens_out: bool = False
    return_settings: tuple[str, ...] = ()
    refusals: Mapping[str, str] = field(default_factory=lambda: REFUSALS)
    rejections: Mapping[str, str] = field(default_factory=dict)
    min_reason_length: int = 1
    pay_lists: tuple[PayList, ...] = ()
    has_api: bool = False
    needs: str = ""

    # --- how somebody comes -----------------------------------------------------------------------
    def read(self, parameters: Mapping[str, str], host: str) -> Participant | None:
        """Whom the parameters of an address on `host` name; None: nobody of this platform."""
        external_id = _clean(parameters.get(self.participant, ""))
        if not external_id:
            return None
        present = [name for name in self.other_parameters if name in parameters]
        ids = {name: _clean(parameters[name]) for name in present}
        return Participant(self.name, external_id, ids)

    def same_session(self, stored: Mapping[str, str], ids: Mapping[str, str]) -> bool:
        session = stored.get(self.submission_parameter, "")
        return bool(session) and session == ids.get(self.submission_parameter)

    def entry_address(self, address: str) -> str:
        return f"{address}?{self.query}" if self.query else address

    # --- how they go back -------------------------------------------------------------------------
    def way_back(self, completion: Completion, external_id: str = "") -> str:
        """The address that tells the platform that a participant is done; empty: there is none."""
        return ""

    def faults(self, completion: Completion) -> dict[str, str]:
        """What is wrong with a completion, by setting; one that is empty may come later."""
        checks = {"completion_code": code_fault, "completion_address": address_fault}
        faults = {name: checks[name](value) for name, value in self._given(completion).items()}
        return {name: fault for name, fault in faults.items() if fault}

    def missing(self, completion: Completion) -> str:
        """What is to be filled in before somebody can go back; empty: nothing."""
        return "" if self._given(completion) else self.needs

    def _given(self, completion: Completion) -> dict[str, str]:
        """Of what this platform takes, by setting."""
        values = {"completion_code": completion.code, "completion_address": completion.address}
        return {
            name: value for name, value in values.items() if value and name in self.return_settings
        }


def _clean(value: object) -> str:
    return storable(str(value)).strip()[:MAX_ID_LENGTH]


def code_fault(code: str) -> str:
    if CODE.fullmatch(code):
        return ""
    if "cc=" in code:
        return f"{code}; expected the code alone, which stands after cc= in the address."
    return f"{code}; expected 3 to 64 letters, digits, hyphens and underscores."


def address_fault(address: str) -> str:
    try:
        parts = urlsplit(address)
        is_of_web = parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        is_of_web = False
    if is_of_web and not any(character.isspace() for character in address):
        return ""
    return f"{address}; expected an address that begins with https://."
