import re
from collections.abc import Mapping

from judging.platforms.connect import CONNECT
from judging.platforms.platform import Completion, Participant, PayList, Platform
from judging.platforms.prolific import PROLIFIC
from judging.platforms.sona import SONA

# As in `{{%PROLIFIC_PID%}}` or `%SURVEY_CODE%`: no id of a platform has braces or such signs.
PLACEHOLDER = re.compile(r"[{}]|%\w+%")
# From the researcher, one for all or a personal one (`judging.studies.personal_links`): nobody
# learns that somebody is done, and the completion code is the receipt.
LINKS = Platform("links", "Links")
PLATFORMS: dict[str, Platform] = {
    platform.name: platform for platform in (PROLIFIC, CONNECT, SONA, LINKS)
}
NO_PLATFORM = Platform("")


def platform_of(name: str) -> Platform:
    return PLATFORMS.get(name, NO_PLATFORM)


def platforms_taking(setting: str) -> list[Platform]:
    return [platform for platform in PLATFORMS.values() if setting in platform.return_settings]


def placeholder_in(parameters: Mapping[str, str]) -> str:
    """The placeholder in the place of an id that the platform should fill in; empty: none."""
    values = [parameters.get(platform.participant, "") for platform in PLATFORMS.values()]
    return next((value for value in values if PLACEHOLDER.search(value)), "")


def participant_from(parameters: Mapping[str, str], host: str) -> Participant | None:
    for platform in PLATFORMS.values():
        if participant := platform.read(parameters, host):
            return participant
    return None
