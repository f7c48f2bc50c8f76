"""Studies whose previews have every page of a worker's way, made by tests/browser/backstage.py."""

from typing import Any

from tests.browser.studies import LEVELS, make

CHECKED: dict[str, Any] = {
    "payment": 2.5,
    "currency": "GBP",
    "question_tries": 2,
    "attempts": 3,
    "check_before_finish": True,
    "most_failed_finishes": 3,
}
KINDS: dict[str, dict[str, Any]] = {
    "limits": {
        **CHECKED,
        "newcomers_an_hour": 5,
        "newcomers_a_day": 40,
        "most_workers": 60,
        "withdraw_days": 30,
    },
    "sent": {
        **CHECKED,
        "platform": "prolific",
        "entry": "platforms",
        "completion_code": "C1LAMPS",
        "screen_out_code": "C2LAMPS",
        "screen_out_reward": 0.5,
        "further_units": "bonus",
        "submission_minutes": 90,
        "excluded_studies": ["lamps"],
    },
    "graded": {
        **CHECKED,
        "scale": "graded",
        "levels": LEVELS,
        "level_descriptions": [f"{name}: what this means in a sentence." for name in LEVELS],
        "introduction": "We ask about lamps.\n\nYou read, and choose a level.",
        "consent_by": "checkbox",
        "platform": "sona",
        "pay_after_limit": True,
        "completion_address": "https://institute.sona-systems.example/credit?id=1&survey_code=XX",
    },
}


def make_kind(kind: str, language: str) -> None:
    """One of them, as a draft: a preview has every page at any time."""
    make(f"all-{kind}-{language}", redundancy=1, topics=1, language=language, **KINDS[kind])


def make_rehearsal() -> None:
    from judging.models import Study
    from judging.studies.rehearsal import rehearse

    rehearse(Study.objects.get(slug="small"), None, slug="tried", units=1)


def make_in(language: str) -> None:
    """One whose pages are in a language; it need not be among those that can be chosen."""
    from judging.models import Study
    from judging.studies.conduct.opening import open_study

    make(f"in-{language}", redundancy=5, topics=1)
    open_study(f"in-{language}")
    Study.objects.filter(slug=f"in-{language}").update(language=language)
