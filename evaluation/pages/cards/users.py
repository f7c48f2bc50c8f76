"""Does one user's opinion tell that of another? Of levels that were given elsewhere."""

from evaluation.pages.cards import pictures
from evaluation.pages.cards.card import Card, Inputs, State
from evaluation.presentation.parts import percent
from magnitudes.files.words import count

NAME, TITLE, ANALYSIS = "users", "Users", "weights"


def card(inputs: Inputs) -> Card:
    numbers = inputs.numbers(ANALYSIS)
    links = inputs.to_analyses(
        weights="What levels are worth", prediction="What is predicted", consistency="Judged again"
    )
    if numbers.get("p_top") is None:
        says = inputs.without_number(ANALYSIS, "Whether users agree is being computed")
        return Card(NAME, TITLE, *says, links=links)
    share, low, high = (numbers[f"p_top{end}"] for end in ("", "_low", "_high"))
    top = numbers["top"]
    ends = f" ({percent(low)} to {percent(high)})" if low is not None else ""
    described = f"The share of other labels that are “{top}”, too: {percent(share)}{ends}"
    return Card(
        *(NAME, TITLE),
        f"What one calls “{top}”, another calls “{top}” in {percent(share)} of cases",
        State.OPEN if low is not None else State.EARLY,
        percent(share),
        f"of other labels{ends}; {count(numbers['observations'], 'label')}",
        picture=pictures.to_one([pictures.Row("", share, low, high)], "share", described),
        links=links,
    )
