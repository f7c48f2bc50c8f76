"""Participant platforms: how somebody comes from them, and goes back. One a file."""

import re
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
    "placeholder_in",
    "platform_of",
    "takers",
    "who_comes",
]

# As in `{{%PROLIFIC_PID%}}` or `%SURVEY_CODE%`: no id of a platform has braces or such signs.
PLACEHOLDER = re.compile(r"[{}]|%\w+%")
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


def placeholder_in(parameters: Mapping[str, str]) -> str:
    """The place-holder that stands where a platform should have put an id; empty: none does."""
    values = [parameters.get(platform.participant, "") for platform in PLATFORMS.values()]
    return next((value for value in values if PLACEHOLDER.search(value)), "")


def who_comes(parameters: Mapping[str, str], host: str) -> Participant | None:
    """Whom the parameters of an address on `host` name; None: nobody that a platform sent."""
    for platform in PLATFORMS.values():
        if participant := platform.read(parameters, host):
            return participant
    return None
