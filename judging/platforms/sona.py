"""SONA Systems: its survey codes are small numbers, and nothing else comes with them.

A study grants credit by its own address, the "client-side completion URL", whose `survey_code`
names the participant (sona-systems.com, "External Study Credit Granting").
"""

from dataclasses import dataclass
from urllib.parse import parse_qsl, urlencode, urlsplit

from judging.platforms.platform import Completion, Platform

SURVEY_CODE = "survey_code"


def _query(address: str) -> list[tuple[str, str]]:
    return parse_qsl(urlsplit(address).query, keep_blank_values=True)


@dataclass(frozen=True)
class Sona(Platform):
    def way_back(self, completion: Completion, external_id: str = "") -> str:
        if not (completion.address and external_id):
            return ""
        pairs = [
            (name, external_id if name == SURVEY_CODE else value)
            for name, value in _query(completion.address)
        ]
        return urlsplit(completion.address)._replace(query=urlencode(pairs)).geturl()

    def faults(self, completion: Completion) -> dict[str, str]:
        address, faults = completion.address, super().faults(completion)
        if address and not faults and SURVEY_CODE not in dict(_query(address)):
            expected = f"expected the client-side completion URL, with {SURVEY_CODE}= in it."
            faults["completion_address"] = f"{address}; {expected}"
        return faults


SONA = Sona(
    "sona",
    "SONA",
    "id",
    query="id=%SURVEY_CODE%",
    pays_once=True,
    return_settings=("completion_address", "submission_minutes"),
    needs="SONA needs the client-side completion URL of its study.",
)
