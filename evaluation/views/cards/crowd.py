"""Can this crowd be trusted? How far workers agree, and who does not."""

from collections.abc import Mapping
from typing import Any

from django.urls import reverse

from evaluation.analyses.agreement.internal import PAPER
from evaluation.analyses.agreement.workers import ENOUGH
from evaluation.views.cards import pictures
from evaluation.views.cards.card import Card, Kept, Light, Link, span, to_two
from judging.models import Study
from judging.monitoring.glance.light import Colour
from judging.monitoring.lights import Lights
from trec.words import count

NAME, TITLE = "crowd", "Crowd"
ALPHA = "alpha"
LITTLE = 0.2  # alpha
MANY = 0.05  # of workers: some are at or below 0 by chance
WITHOUT = "alpha_without_anchors"


def is_weak(study: Study, kept: Kept) -> bool:
    """Whether workers are known to agree too little for what rests on their scores."""
    high = kept.numbers("internal").get("alpha_high")
    return not study.is_imported and high is not None and high < LITTLE


def card(study: Study, kept: Kept, watched: Lights | None) -> Card:
    numbers = kept.numbers("internal")
    if numbers.get(ALPHA) is None:
        light = Light.WAIT if kept.waits("internal") else Light.EARLY
        says = kept.says("internal") or "How far workers agree is being computed"
        return Card(NAME, TITLE, says, light, links=_links(study))
    low, high = numbers["alpha_low"], numbers["alpha_high"]
    doubts = _doubts(kept, watched)
    agree = min(low or 0, numbers.get(f"{WITHOUT}_low") or low or 0) > 0
    doubted = doubts or is_weak(study, kept)
    light = Light.EARLY if not agree else Light.LOOK if doubted else Light.SURE
    return Card(
        NAME,
        TITLE,
        _finding(study, kept, agree=agree),
        light,
        " ".join(doubts) or "No worker, check or anchor stands out.",
        to_two(numbers[ALPHA]),
        f"alpha ({span(low, high) or 'no interval'}); {count(numbers['documents'], 'document')}",
        _at_or_below_0(kept),
        _picture(study, numbers),
        _links(study),
    )


def _finding(study: Study, kept: Kept, *, agree: bool) -> str:
    numbers = kept.numbers("internal")
    without = numbers.get(f"{WITHOUT}_low")
    if not agree and without is not None and numbers["alpha_low"] > 0:
        return "Without the anchors, it cannot be said that workers agree better than chance"
    if not agree:
        return "It cannot be said that workers agree better than chance"
    if is_weak(study, kept):
        return "Workers agree too little for their scores to be relied on"
    if numbers["alpha_high"] < LITTLE:
        return "Workers agree little, though better than chance"
    if study.is_graded:
        return "Workers agree better than chance"
    low, high = (
        [numbers[f"{name}_{end}"] for name in (ALPHA, WITHOUT) if numbers.get(name) is not None]
        for end in ("low", "high")
    )
    if min(low) > PAPER:
        return "Workers agree better than chance, and better than those of the paper"
    if max(high) < PAPER:
        return "Workers agree better than chance, but less than those of the paper"
    return "Workers agree better than chance, about as well as those of the paper"


def _at_or_below_0(kept: Kept) -> str:
    numbers = kept.numbers("workers")
    if not numbers.get("workers_with_enough"):
        return ""
    enough = count(numbers["workers_with_enough"], "worker")
    low = numbers["workers_at_or_below_0"]
    return (
        f"{low:,} of {enough} with {ENOUGH} judgments or more agree with the others by 0 or less."
    )


def _doubts(kept: Kept, watched: Lights | None) -> list[str]:
    """What speaks against trusting every worker, in sentences."""
    numbers, doubts = kept.numbers("workers"), []
    if numbers.get("workers_at_or_below_0", 0) > MANY * numbers.get("workers_with_enough", 0):
        doubts.append("These are many.")
    if watched:
        every = (watched.workers, watched.checks, watched.anchors)
        doubts += [one.sentence for one in every if one.colour in (Colour.AMBER, Colour.RED)]
    return doubts


def _picture(study: Study, numbers: Mapping[str, Any]) -> pictures.SafeString:
    rows = [_row("all documents" if numbers.get(WITHOUT) else "", ALPHA, numbers)]
    if numbers.get(WITHOUT) is not None:
        rows.append(_row("without anchors", WITHOUT, numbers))
    ends = [end for row in rows for end in (row.low, row.high, row.value) if end is not None]
    marks = [] if study.is_graded else [(f"the paper {PAPER:.2f}", PAPER)]
    axis = pictures.Axis(min(0.0, *ends), 1.0, (0.0, 0.5, 1.0))
    described = "Alpha " + "; ".join(
        f"{row.name or 'of all documents'}: {to_two(row.value)} ({span(row.low, row.high)})"
        for row in rows
    )
    return pictures.strip(rows, axis, described, marks)


def _row(name: str, key: str, numbers: Mapping[str, Any]) -> pictures.Row:
    return pictures.Row(name, numbers[key], numbers[f"{key}_low"], numbers[f"{key}_high"])


def _links(study: Study) -> tuple[Link, ...]:
    agreement = Link("Agreement", reverse("analysis", args=[study.slug, "internal"]))
    every = Link("How workers differ", reverse("analysis", args=[study.slug, "workers"]))
    if study.is_imported:
        return agreement, every
    monitor = reverse("monitor", args=[study.slug])
    return agreement, every, Link("Worth a look", f"{monitor}#worth-a-look")
