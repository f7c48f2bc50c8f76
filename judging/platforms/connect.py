"""Connect (CloudResearch): a redirect address, or a code that participants enter.

The researcher copies the address from the end of the project's set-up
(connect-researcher-help.cloudresearch.com, "Project Completion").
"""

from dataclasses import dataclass

from judging.platforms.platform import Completion, Platform, address_fault, code_fault


@dataclass(frozen=True)
class Connect(Platform):
    def way_back(self, completion: Completion, external_id: str = "") -> str:
        return completion.address

    def faults(self, completion: Completion) -> dict[str, str]:
        faults = {
            "completion_code": code_fault(completion.code) if completion.code else "",
            "completion_address": address_fault(completion.address) if completion.address else "",
        }
        return {name: fault for name, fault in faults.items() if fault}

    def missing(self, completion: Completion) -> str:
        if completion.address or completion.code:
            return ""
        return "Connect needs the project's redirect address, or its completion code."


CONNECT = Connect(
    "connect",
    "Connect",
    "participantId",
    other_parameters=("assignmentId", "projectId"),
    submission_parameter="assignmentId",
    lasting_ids=True,
    pays_once=True,
    return_settings=("completion_code", "completion_address", "submission_minutes"),
)
