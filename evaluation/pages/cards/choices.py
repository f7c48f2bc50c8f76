"""Does the ranking depend on choices that could have been others?"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from django.urls import reverse

from evaluation.analyses.systems.sensitivity import LEVEL
from evaluation.pages.cards import pictures
from evaluation.pages.cards.card import Card, Kept, Light, Link, of_test, possible_tau, span, to_two
from judging.models import Study
from magnitudes.comparison.top_set import LEAST_TOPICS
from magnitudes.files.words import count

NAME, TITLE = "choices", "Choices"
TAU = "tau_nDCG_"
ALIKE = 0.9  # tau of two rankings that are usually taken for one


class Choice(NamedTuple):
    """Tau of the ranking with that of another choice, and its 95% interval."""

    name: str
    tau: float
    low: float | None
    high: float | None
    p: float | None  # that as many random units change as much; None: it leaves out none


def card(study: Study, kept: Kept, topics: int, *, is_early: bool) -> Card | None:
    """is_early: whether nothing can be said of the order itself.

    Returns None of a study that was judged elsewhere: it has no such choices.
    """
    if "sensitivity" not in kept.cached:
        return None
    links = (
        Link("All choices", reverse("analysis", args=[study.slug, "sensitivity"])),
        Link("Other gains for labels", reverse("analysis", args=[study.slug, "mappings"])),
    )
    choices = _choices(kept.numbers("sensitivity"))
    if not choices:
        waits = kept.waits("sensitivity")
        says = kept.says("sensitivity") or "What other choices would change is being computed"
        return Card(NAME, TITLE, says, Light.WAIT if waits else Light.EARLY, links=links)
    least = choices[-1]
    ends = span(least.low, least.high) if topics >= LEAST_TOPICS else ""
    return Card(
        NAME,
        TITLE,
        finding(kept, topics),
        Light.EARLY if is_early or topics < LEAST_TOPICS else _light(choices),
        _why(choices, topics),
        to_two(least.tau),
        f"least tau{f' ({ends})' if ends else ''} of {count(len(choices), 'other choice')}",
        picture=_picture(choices, topics),
        links=links,
    )


def _choices(numbers: Mapping[str, Any]) -> list[Choice]:
    """By nDCG, the highest tau first."""
    names = [name.removeprefix(TAU) for name in numbers if name.startswith(TAU)]
    choices = [
        Choice(
            name,
            numbers[f"{TAU}{name}"],
            *possible_tau(numbers.get(f"low_nDCG_{name}"), numbers.get(f"high_nDCG_{name}")),
            numbers.get(f"p_{name}"),
        )
        for name in names
        if numbers[f"{TAU}{name}"] is not None
    ]
    return sorted(choices, key=lambda choice: -choice.tau)


def finding(kept: Kept, topics: int) -> str:
    """What choices change, beyond what leaving out as many units at random does."""
    if topics < LEAST_TOPICS:
        return "Too few topics to say whether the order depends on choices"
    shown = _shown(_choices(kept.numbers("sensitivity")))
    if not shown:
        return "No choice can be shown to change the order more than random units, as many, do"
    return f"The order depends on choices, most on “{shown[-1].name}”"


def _shown(choices: list[Choice]) -> list[Choice]:
    return [choice for choice in choices if choice.p is not None and choice.p < LEVEL]


def _light(choices: list[Choice]) -> Light:
    shown = _shown(choices)
    return of_test(shown[-1].p) if shown else Light.OPEN


def _why(choices: list[Choice], topics: int) -> str:
    alike = sum(choice.tau >= ALIKE for choice in choices)
    if topics < LEAST_TOPICS:
        verb = "is" if topics == 1 else "are"
        name, topics_there = choices[-1].name, count(topics, "topic")
        return f"So far “{name}” changes it most; there {verb} {topics_there}."
    return f"{alike} of {len(choices)} leave tau at {ALIKE:g} or more."


def _picture(choices: list[Choice], topics: int) -> pictures.SafeString:
    known = topics >= LEAST_TOPICS
    rows = [pictures.Row("", one.tau, *((one.low, one.high) if known else ())) for one in choices]
    ends = [end for row in rows for end in (row.value, row.low) if end is not None]
    axis = pictures.Axis(min(0.0, *ends), 1.0, (0.0, 0.5, 1.0))
    described = f"Tau of {len(choices)} other choices with the main ranking, from " + span(
        choices[-1].tau, choices[0].tau
    )
    return pictures.strip(rows, axis, described, [(f"tau {ALIKE:g}", ALIKE)])
