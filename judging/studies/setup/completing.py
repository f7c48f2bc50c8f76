"""How people go back to their platform: what a study's settings say of it, and what they lack."""

from collections.abc import Iterator, Mapping
from typing import Any

from judging.models import Study
from judging.platforms import Completion, platform_of, platforms_taking

SETTINGS = ("completion_code", "completion_address")
FURTHER_CODES = ("screen_out_code", "return_code")


def completion_faults(settings: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """What is wrong with a study's cleaned settings of the way back, by setting."""
    platform = platform_of(settings.get("platform", ""))
    completion = Completion(*(settings.get(name, "") for name in SETTINGS))
    for name in SETTINGS:
        if settings.get(name) and name not in platform.return_settings:
            yield name, _not_taken(name)
    taken = platform.faults(completion).items()
    yield from ((name, fault) for name, fault in taken if name in platform.return_settings)
    if platform.participant and settings.get("pay_after_limit") is False:
        always = f"people from {platform.title} are always paid at the limit of failed Finishes"
        yield "pay_after_limit", f"{always}; leave it out, or set it to true."
    codes = {completion.code}
    for name in FURTHER_CODES:
        if (code := settings.get(name)) and platform.screens_out:
            yield from ((name, fault) for fault in platform.faults(Completion(code)).values())
            if code in codes:
                yield name, "expected a code of its own: another setting has this one."
            codes.add(code)


def _not_taken(setting: str) -> str:
    titles = " and ".join(platform.title for platform in platforms_taking(setting))
    return f"only {titles} take one; choose the platform, or leave it empty."


def lacks_way_back(study: Study) -> str:
    """What is to be filled in before people can go back to their platform; empty: nothing."""
    if lack := study.from_platform.missing(study.completion):
        return lack
    is_bonus = study.further == Study.Further.BONUS
    if is_bonus and study.from_platform.pays_once and not study.submission_minutes:
        return (
            "Workers who go on for a bonus must know by when to send their submission: enter "
            "how many minutes the platform waits for it."
        )
    return ""
