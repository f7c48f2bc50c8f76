"""More judges or more topics?"""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from django.urls import reverse

from evaluation.analyses.systems.enough import EITHER, JUDGES, TOPICS
from evaluation.pages.cards import pictures
from evaluation.pages.cards.card import Card, Kept, Light, Link
from evaluation.presentation.parts import percent
from judging.models import Study
from web.templatetags.money import money

NAME, TITLE = "enough", "Enough?"
SIZES = {"now": "", "topics × 2": "_twice_topics", "judges × 2": "_twice_judges"}


def card(study: Study, kept: Kept, *, is_early: bool) -> Card:
    """is_early: whether nothing can be said of the systems yet."""
    numbers = kept.numbers("enough")
    links = (Link("More sizes and costs", reverse("analysis", args=[study.slug, "enough"])),)
    if kept.waits("enough"):
        says = "Whether topics or judges would help more is being computed"
        return Card(NAME, TITLE, says, Light.WAIT, links=links)
    if numbers.get("half_width") is None:
        says = kept.says("enough") or "Cannot say yet whether topics or judges would help more"
        return Card(NAME, TITLE, says, Light.EARLY, links=links)
    return Card(
        NAME,
        TITLE,
        finding(kept, is_early=is_early),
        Light.OPEN if numbers["add"] != EITHER and not is_early else Light.EARLY,
        _why(numbers),
        f"±{numbers['half_width']:.3f}",
        "between two systems "
        f"({numbers['half_width_low']:.3f} to {numbers['half_width_high']:.3f})",
        _cost(numbers),
        _picture(numbers),
        links,
    )


def finding(kept: Kept, *, is_early: bool = False) -> str:
    """What would help most, where widths are known."""
    numbers = kept.numbers("enough")
    says = {
        TOPICS: "Add topics, not judges",
        JUDGES: "More judges help nearly as much as more topics",
    }.get(numbers["add"], "Cannot say whether more judges help as much as more topics")
    if numbers.get("no_more_topics"):
        says += "; the collection has no more topics"
    return f"So far: {says[0].lower()}{says[1:]}" if is_early else says


def _why(numbers: Mapping[str, Any]) -> str:
    low, high = (round(100 * numbers[f"share_of_topics_{end}"]) for end in ("low", "high"))
    return f"Topics make {low} to {high}% of what is uncertain."


def _cost(numbers: Mapping[str, Any]) -> str:
    """What can be told apart now, and what twice of either costs."""
    share = numbers["told_apart_.05"]
    says = f"{percent(share)} of pairs .05 apart would be told apart."
    more = (numbers.get("cost_twice_topics") or 0) - (numbers.get("cost") or 0)
    if more <= 0:
        return says
    cost = money(Decimal(f"{more:.2f}"), numbers["currency"])
    return f"{says} Twice the topics or judges: {cost} more."


def _picture(numbers: Mapping[str, Any]) -> pictures.SafeString:
    rows = [
        pictures.Row(
            name,
            numbers[f"half_width{of}"],
            numbers.get(f"half_width{of}_low"),
            numbers.get(f"half_width{of}_high"),
        )
        for name, of in SIZES.items()
        if numbers.get(f"half_width{of}") is not None
    ]
    ends = [end for row in rows for end in (row.value, row.high) if end is not None]
    high = max(ends) * 1.05
    axis = pictures.Axis(0.0, high, (0.0, high))
    said = "; ".join(f"{row.name} ±{row.value:.3f}" for row in rows)
    return pictures.strip(rows, axis, f"Half-width of a difference: {said}")
