"""Connect (CloudResearch)."""

from judging.platforms.platform import Platform

CONNECT = Platform(
    "connect", "participantId", others=("assignmentId", "projectId"), session="assignmentId"
)
