"""Participant platforms: what the link by which somebody comes says about them. One a file."""

from collections.abc import Mapping

from judging.platforms.connect import CONNECT
from judging.platforms.platform import Participant, Platform
from judging.platforms.prolific import PROLIFIC
from judging.platforms.sona import SONA

__all__ = ["PLATFORMS", "Participant", "Platform", "who_comes"]

PLATFORMS: dict[str, Platform] = {platform.name: platform for platform in (PROLIFIC, CONNECT, SONA)}


def who_comes(parameters: Mapping[str, str], host: str) -> Participant | None:
    """Whom the parameters of an address on `host` name; None: nobody that a platform sent."""
    for platform in PLATFORMS.values():
        if participant := platform.read(parameters, host):
            return participant
    return None
