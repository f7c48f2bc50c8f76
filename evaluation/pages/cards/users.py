"""Does one user's opinion tell that of another? Of levels that were given elsewhere."""

from django.urls import reverse

from evaluation.pages.cards import pictures
from evaluation.pages.cards.card import Card, Kept, Light, Link
from evaluation.presentation.parts import percent
from judging.models import Study
from magnitudes.files.words import count

NAME, TITLE = "users", "Users"
TOP = "p_top"


def card(study: Study, kept: Kept) -> Card:
    numbers = kept.numbers("weights")
    links = tuple(
        Link(words, reverse("analysis", args=[study.slug, name]))
        for words, name in (
            ("What levels are worth", "weights"),
            ("What is predicted", "prediction"),
            ("Judged again", "consistency"),
        )
    )
    if numbers.get(TOP) is None:
        light = Light.WAIT if kept.waits("weights") else Light.EARLY
        says = kept.says("weights") or "Whether users agree is being computed"
        return Card(NAME, TITLE, says, light, links=links)
    share, low, high = (numbers[f"{TOP}{end}"] for end in ("", "_low", "_high"))
    top = numbers["top"]
    ends = f" ({percent(low)} to {percent(high)})" if low is not None else ""
    return Card(
        NAME,
        TITLE,
        f"What one calls “{top}”, another calls “{top}” in {percent(share)} of cases",
        Light.OPEN if low is not None else Light.EARLY,
        number=percent(share),
        around=f"of other labels{ends}; {count(numbers['observations'], 'label')}",
        picture=pictures.strip(
            [pictures.Row("", share, low, high)],
            pictures.Axis(0.0, 1.0, (0.0, 0.5, 1.0)),
            f"The share of other labels that are “{top}”, too: {percent(share)}{ends}",
        ),
        links=links,
    )
