"""Connect (CloudResearch): a redirect address, or a code that participants enter.

The researcher copies the address from the end of the project's set-up
(connect-researcher-help.cloudresearch.com, "Project Completion").
"""

from dataclasses import dataclass

from judging.platforms.platform import Completion, Platform


@dataclass(frozen=True)
class Connect(Platform):
    def way_back(self, completion: Completion, external_id: str = "") -> str:
        return completion.address


CONNECT = Connect(
    "connect",
    "Connect",
    "participantId",
    other_parameters=("assignmentId", "projectId"),
    submission_parameter="assignmentId",
    lasting_ids=True,
    pays_once=True,
    return_settings=("completion_code", "completion_address", "submission_minutes"),
    needs="Connect needs the project's redirect address, or its completion code.",
)
