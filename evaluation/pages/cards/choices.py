"""Does the ranking depend on choices that could have been others?"""

from typing import NamedTuple

from evaluation.analyses.systems.sensitivity import LEVEL
from evaluation.pages.cards import pictures
from evaluation.pages.cards.card import Card, Inputs, State, of_test, possible_tau, span, to_two
from magnitudes.comparison.top_set import LEAST_TOPICS
from magnitudes.files.words import count

NAME, TITLE, ANALYSIS = "choices", "Choices", "sensitivity"
TAU = "tau_nDCG_"
ALIKE = 0.9  # tau of two rankings that are usually taken for one


class Choice(NamedTuple):
    """Tau of the ranking with that of another choice, and its 95% interval."""

    name: str
    tau: float
    low: float | None
    high: float | None
    p: float | None  # that as many random units change as much; None: it leaves out none


def card(inputs: Inputs) -> Card | None:
    """None of a study that was judged elsewhere: it has no such choices."""
    if ANALYSIS not in inputs.cached:
        return None
    links = inputs.to_analyses(sensitivity="All choices", mappings="Other gains for labels")
    choices = _choices(inputs)
    if not choices:
        why = "What other choices would change is being computed"
        return Card(NAME, TITLE, *inputs.without_number(ANALYSIS, why), links=links)
    topics = inputs.ranking["topics"]
    is_few, least = topics < LEAST_TOPICS, choices[-1]
    ends = "" if is_few else span(least.low, least.high)
    alike = sum(choice.tau >= ALIKE for choice in choices)
    why = f"{alike} of {len(choices)} leave tau at {ALIKE:g} or more."
    if is_few:
        there = f"there {'is' if topics == 1 else 'are'} {count(topics, 'topic')}"
        why = f"So far “{least.name}” changes it most; {there}."
    rows = [
        pictures.Row(
            *("", one.tau, *((None, None) if is_few else one[2:4])),
            said=f"{one.name}: tau {to_two(one.tau)}",
        )
        for one in choices
    ]
    spanned = span(least.tau, choices[0].tau)
    described = f"Tau of {len(choices)} other choices with the main ranking, from {spanned}"
    return Card(
        *(NAME, TITLE, *conclusion(inputs)),
        to_two(least.tau),
        f"least tau{f' ({ends})' if ends else ''} of {count(len(choices), 'other choice')}",
        why=why,
        picture=pictures.to_one(
            rows, "tau with the main ranking", described, [(f"tau {ALIKE:g}", ALIKE)]
        ),
        links=links,
    )


def _choices(inputs: Inputs) -> list[Choice]:
    """By nDCG, the highest tau first."""
    numbers, choices = inputs.numbers(ANALYSIS), []
    for name in (key.removeprefix(TAU) for key in numbers if key.startswith(TAU)):
        if (tau := numbers[f"{TAU}{name}"]) is not None:
            ends = (numbers.get(f"{end}_nDCG_{name}") for end in ("low", "high"))
            choices.append(Choice(name, *possible_tau(tau, *ends), numbers.get(f"p_{name}")))
    return sorted(choices, key=lambda choice: -choice.tau)


def conclusion(inputs: Inputs) -> tuple[str, State]:
    """What choices change, beyond what leaving out as many units at random does."""
    if inputs.ranking["topics"] < LEAST_TOPICS:
        return "Too few topics to say whether the order depends on choices", State.EARLY
    shown = [each for each in _choices(inputs) if each.p is not None and each.p < LEVEL]
    says = "No choice can be shown to change the order more than leaving out as many random units"
    if shown:
        says = f"The order depends on choices, most on “{shown[-1].name}”"
    return says, State.EARLY if inputs.is_early else of_test(shown[-1].p if shown else None)
