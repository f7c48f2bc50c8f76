"""More judges or more topics?"""

from decimal import Decimal

from evaluation.analyses.systems.enough import JUDGES, TOPICS
from evaluation.pages.cards import pictures
from evaluation.pages.cards.card import Card, Inputs, Numbers, State
from evaluation.presentation.parts import percent
from web.templatetags.money import money

NAME, TITLE, ANALYSIS = "enough", "Enough?", "enough"
SIZES = {"now": "", "topics × 2": "_twice_topics", "judges × 2": "_twice_judges"}


def card(inputs: Inputs) -> Card:
    numbers = inputs.numbers(ANALYSIS)
    links = inputs.to_analyses(enough="More sizes and costs")
    if inputs.waits(ANALYSIS):
        says = "Whether topics or judges would help more is being computed"
        return Card(NAME, TITLE, says, State.WAIT, links=links)
    if numbers.get("half_width") is None:
        why = "Cannot say yet whether topics or judges would help more"
        return Card(NAME, TITLE, *inputs.without_number(ANALYSIS, why), links=links)
    now, least, most = (numbers[f"half_width{end}"] for end in ("", "_low", "_high"))
    low, high = (round(100 * numbers[f"share_of_topics_{end}"]) for end in ("low", "high"))
    widths = {name: f"half_width{of}" for name, of in SIZES.items()}
    rows = [
        pictures.Row(name, numbers[of], numbers.get(f"{of}_low"), numbers.get(f"{of}_high"))
        for name, of in widths.items()
        if numbers.get(of) is not None
    ]
    longest = 1.05 * max(end for row in rows for end in row.known)
    said = "; ".join(f"{row.name} ±{row.value:.3f}" for row in rows)
    axis = pictures.Axis(0.0, longest, (0.0, longest), "half-width of a difference")
    return Card(
        *(NAME, TITLE, *conclusion(inputs)),
        f"±{now:.3f}",
        f"between two systems ({least:.3f} to {most:.3f})",
        _cost(numbers),
        f"Topics make {low} to {high}% of what is uncertain.",
        pictures.strip(rows, axis, f"Half-width of a difference: {said}"),
        links,
    )


def conclusion(inputs: Inputs) -> tuple[str, State]:
    """What would help most, where widths are known."""
    numbers = inputs.numbers(ANALYSIS)
    says = {
        TOPICS: "Add topics, not judges",
        JUDGES: "More judges help nearly as much as more topics",
    }.get(numbers["add"], "Cannot say whether more judges help as much as more topics")
    if numbers.get("no_more_topics"):
        says += "; the collection has no more topics"
    if inputs.is_early:
        return f"So far: {says[0].lower()}{says[1:]}", State.EARLY
    return says, State.OPEN


def _cost(numbers: Numbers) -> str:
    """Which differences can be shown now, and what twice of either costs."""
    says = f"{percent(numbers['told_apart_.05'])} of pairs .05 apart would differ significantly."
    more = (numbers.get("cost_twice_topics") or 0) - (numbers.get("cost") or 0)
    if more <= 0:
        return says
    cost = money(Decimal(f"{more:.2f}"), numbers["currency"])
    return f"{says} Twice the topics or judges: {cost} more."
