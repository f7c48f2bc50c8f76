"""SONA Systems: its survey codes are small numbers, and nothing else comes with them.

A study grants credit by its own address, the "client-side completion URL", whose `survey_code`
names the participant (sona-systems.com, "External Study Credit Granting").
"""

from dataclasses import dataclass
from urllib.parse import parse_qsl, urlencode, urlsplit

from judging.platforms.completion import address_fault
from judging.platforms.platform import Completion, Platform

SURVEY_CODE = "survey_code"


@dataclass(frozen=True)
class Sona(Platform):
    def way_back(self, completion: Completion, external_id: str = "") -> str:
        if not (completion.address and external_id):
            return ""
        parts = urlsplit(completion.address)
        pairs = [
            (name, external_id if name == SURVEY_CODE else value)
            for name, value in parse_qsl(parts.query, keep_blank_values=True)
        ]
        return parts._replace(query=urlencode(pairs)).geturl()

    def faults(self, completion: Completion) -> dict[str, str]:
        address = completion.address
        fault = address_fault(address) if address else ""
        if address and not fault and not _names_participants(address):
            fault = (
                f"{address}; expected the client-side completion URL, with {SURVEY_CODE}= in it."
            )
        return {"completion_address": fault} if fault else {}

    def missing(self, completion: Completion) -> str:
        if completion.address:
            return ""
        return "SONA needs the client-side completion URL of its study."


def _names_participants(address: str) -> bool:
    names = [name for name, _ in parse_qsl(urlsplit(address).query, keep_blank_values=True)]
    return SURVEY_CODE in names


SONA = Sona(
    "sona",
    "SONA",
    "id",
    query="id=%SURVEY_CODE%",
    pays_once=True,
    return_settings=("completion_address", "submission_minutes"),
)
