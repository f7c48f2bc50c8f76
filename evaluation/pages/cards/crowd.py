"""Can this crowd be trusted? How far workers agree, and who does not."""

from collections.abc import Mapping
from typing import Any

from django.urls import reverse

from evaluation.analyses import papers
from evaluation.analyses.agreement.worker_table import MIN_DOCUMENTS
from evaluation.pages.cards import pictures
from evaluation.pages.cards.card import Card, Kept, Light, Link, of_test, span, to_two
from evaluation.presentation import published
from judging.models import Study
from judging.monitoring.watch import Lights
from magnitudes.files.words import count

NAME, TITLE = "crowd", "Crowd"
ALPHA = "alpha"
LITTLE = 0.2  # alpha
SIGNIFICANT = 0.05  # p of the test of no agreement
MANY = 0.05  # of workers: some are at or below 0 by chance
WITHOUT = "alpha_without_anchors"
WITHIN = "alpha_within_topics"
WITHIN_WITHOUT = "alpha_within_topics_without_anchors"


def is_weak(study: Study, kept: Kept) -> bool:
    """Whether workers are known to agree too little for what rests on their scores."""
    return not study.is_imported and _is_little(kept.numbers("internal"))


def _is_little(numbers: Mapping[str, Any]) -> bool:
    """By alpha within topics where it has an interval: pooled it is larger, if topics lie apart."""
    high = numbers.get(f"{WITHIN}_high")
    high = numbers.get(f"{ALPHA}_high") if high is None else high
    return high is not None and high < LITTLE


def card(study: Study, kept: Kept, watched: Lights | None) -> Card:
    numbers = kept.numbers("internal")
    if numbers.get(ALPHA) is None:
        light = Light.WAIT if kept.waits("internal") else Light.EARLY
        says = kept.says("internal") or "How far workers agree is being computed"
        return Card(NAME, TITLE, says, light, links=_links(study))
    low, high = numbers["alpha_low"], numbers["alpha_high"]
    doubts, agree = _doubts(kept, watched), _agree_at_all(numbers)
    doubted = doubts or is_weak(study, kept)
    light = Light.EARLY if not agree else Light.LOOK if doubted else of_test(_p(numbers))
    return Card(
        NAME,
        TITLE,
        finding(study, kept),
        light,
        " ".join(
            [
                *(doubts or ["No worker, check or anchor stands out."]),
                *papers.why_not_comparable(study),
            ]
        ),
        to_two(numbers[ALPHA]),
        f"alpha ({span(low, high) or 'no interval'}); {count(numbers['documents'], 'document')}"
        f"{_within(numbers)}",
        _at_or_below_0(kept),
        _picture(study, numbers),
        _links(study),
    )


def _tested(numbers: Mapping[str, Any]) -> list[str]:
    """Whose agreement is tested: all documents, and those that are no anchors."""
    return [name for name in (ALPHA, WITHOUT) if numbers.get(name) is not None]


def _agree(numbers: Mapping[str, Any], name: str) -> bool:
    p = numbers.get(f"{name}_p")
    return p is not None and p < SIGNIFICANT


def _within(numbers: Mapping[str, Any]) -> str:
    """Alpha within topics, which stands beside the pooled one."""
    if numbers.get(WITHIN) is None:
        return ""
    shown = span(numbers[f"{WITHIN}_low"], numbers[f"{WITHIN}_high"]) or "no interval"
    return f"; {to_two(numbers[WITHIN])} within topics ({shown})"


def _p(numbers: Mapping[str, Any]) -> float | None:
    """Of all documents, and of those that are no anchors: both must agree."""
    known = [numbers.get(f"{name}_p") for name in _tested(numbers)]
    return None if None in known else max(p for p in known if p is not None)


def _agree_at_all(numbers: Mapping[str, Any]) -> bool:
    """Whether workers agree better than chance, without the anchors too."""
    return all(_agree(numbers, name) for name in _tested(numbers))


def finding(study: Study, kept: Kept) -> str:
    """How far workers agree, where alpha is known."""
    numbers = kept.numbers("internal")
    agree = _agree_at_all(numbers)
    if not agree and WITHOUT in _tested(numbers) and _agree(numbers, ALPHA):
        return "Without the anchors, it cannot be said that workers agree better than chance"
    if not agree:
        return "It cannot be said that workers agree better than chance"
    if is_weak(study, kept):
        return "Workers agree too little for their scores to be relied on"
    low, high = numbers[f"{ALPHA}_low"], numbers[f"{ALPHA}_high"]
    if _is_little(numbers):
        return "Workers agree little, though better than chance"
    if study.is_graded or low is None or not papers.is_comparable(study):
        return "Workers agree better than chance"
    paper = published.value("alpha")
    if low > paper:
        return "Workers agree better than chance, and better than those of the paper"
    if high < paper:
        return "Workers agree better than chance, but less than those of the paper"
    return "Workers agree better than chance, about as well as those of the paper"


def _at_or_below_0(kept: Kept) -> str:
    numbers = kept.numbers("workers")
    if not numbers.get("workers_with_enough"):
        return ""
    enough = count(numbers["workers_with_enough"], "worker")
    low = numbers["workers_at_or_below_0"]
    return (
        f"{low:,} of {enough} with {MIN_DOCUMENTS} judgments or more agree with the others by 0 "
        "or less."
    )


def _doubts(kept: Kept, watched: Lights | None) -> list[str]:
    """What speaks against trusting every worker, in sentences."""
    numbers, doubts = kept.numbers("workers"), []
    if numbers.get("workers_at_or_below_0", 0) > MANY * numbers.get("workers_with_enough", 0):
        doubts.append("These are many.")
    if watched:
        every = (watched.workers, watched.checks, watched.anchors)
        doubts += [one.sentence for one in every if one.is_wrong]
    return doubts


def _picture(study: Study, numbers: Mapping[str, Any]) -> pictures.SafeString:
    names = {
        ALPHA: "all documents" if numbers.get(WITHOUT) or numbers.get(WITHIN) else "",
        WITHIN: "within topics",
        WITHOUT: "without anchors",
        WITHIN_WITHOUT: "within, without",
    }
    rows = [_row(name, key, numbers) for key, name in names.items() if numbers.get(key) is not None]
    ends = [end for row in rows for end in (row.low, row.high, row.value) if end is not None]
    alone = study.is_graded or not papers.is_comparable(study)
    marks = [] if alone else [(published.quote("the paper {alpha:.2f}"), published.value("alpha"))]
    axis = pictures.Axis(min(0.0, *ends), 1.0, (0.0, 0.5, 1.0))
    described = "Alpha " + "; ".join(
        f"{row.name or 'of all documents'}: {to_two(row.value)} "
        f"({span(row.low, row.high) or 'no interval'})"
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
