"""Participant platforms: how somebody comes from them, and goes back. One a file."""

from collections.abc import Mapping

from judging.platforms.connect import CONNECT
from judging.platforms.links import LINKS
from judging.platforms.platform import Completion, Participant, PayList, Platform
from judging.platforms.prolific import PROLIFIC
from judging.platforms.sona import SONA

__all__ = [
    "PLATFORMS",
    "Completion",
    "Participant",
    "PayList",
    "Platform",
    "platform_of",
    "takers",
    "who_comes",
]

PLATFORMS: dict[str, Platform] = {
    platform.name: platform for platform in (PROLIFIC, CONNECT, SONA, LINKS)
}
NONE_OR_SEVERAL = Platform("")


def platform_of(name: str) -> Platform:
    """The platform of this name; by no name one of which nothing is known."""
    return PLATFORMS.get(name, NONE_OR_SEVERAL)


def takers(setting: str) -> list[Platform]:
    """The platforms that take a setting of the way back."""
    return [platform for platform in PLATFORMS.values() if setting in platform.takes]


def who_comes(parameters: Mapping[str, str], host: str) -> Participant | None:
    """Whom the parameters of an address on `host` name; None: nobody that a platform sent."""
    for platform in PLATFORMS.values():
        if participant := platform.read(parameters, host):
            return participant
    return None
