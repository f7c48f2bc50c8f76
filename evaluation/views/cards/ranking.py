"""Which systems are best, and how sure is that?"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from django.urls import reverse

from evaluation.comparison.told_apart import ToldApart, Verdict, verdict
from evaluation.comparison.top_set import LEAST_TOPICS
from evaluation.views.cards import pictures
from evaluation.views.cards.card import Card, Kept, Light, Link, to_two
from judging.models import Study
from judging.monitoring.lights import Lights
from trec.words import count

NAME, TITLE = "ranking", "Ranking"


class Standing(NamedTuple):
    """What is known of the order of systems: the headline, and what it rests on."""

    verdict: Verdict
    told: ToldApart | None  # None: the test is not computed yet
    critical: float | None  # by which two means differ, in the measure that systems are ranked by


def standing(study: Study, kept: Kept, watched: Lights | None, ranking: dict[str, Any]) -> Standing:
    """The verdict on the systems of a study; it says what it waits for, where there is none."""
    systems = count(len(ranking["results"]), "system")
    numbers = kept.numbers("significance")
    if "told_apart" not in numbers:
        why = "which of them differ is being computed"
        if not kept.waits("significance"):
            why = "which of them differ could not be tested"
        return Standing(Verdict(f"{systems} ranked; {why}"), None, None)
    told = ToldApart.read(numbers["told_apart"])
    still_open = 0
    if watched and study.stage != Study.Stage.CLOSED:
        still_open = watched.watch.progress.units - watched.watch.progress.completed
    by = f"{ranking['measure']} of the {ranking['gains']} gains"
    measure = ranking["measure"].partition("@")[0].partition("(")[0]
    critical = numbers.get(f"critical_{measure}")
    return Standing(verdict(told, still_open, by), told, critical)


def card(study: Study, stands: Standing, ranking: dict[str, Any]) -> Card:
    """The systems as dots; the ranking is by the study's own measure and gains."""
    told, systems = stands.told, ranking["results"]
    links = (
        Link("All systems", reverse("systems", args=[study.slug])),
        Link("The best", reverse("system", args=[study.slug, systems[0]["run"]])),
        Link("The test", reverse("analysis", args=[study.slug, "significance"])),
    )
    if told is None:
        return Card(NAME, TITLE, stands.verdict.says, Light.WAIT, links=links)
    first = systems[0]
    known = stands.critical if told.topics >= LEAST_TOPICS else None
    like = _not_told(systems, known)
    return Card(
        NAME,
        TITLE,
        _finding(told, like) if known else f"{first['run']} is the highest seen; no test can tell",
        _light(stands, known),
        f"{count(told.topics, 'topic')}, by {ranking['measure']}.",
        f"{told.pairs.differ:,} of {told.pairs.all:,}" if known else to_two(first["mean"]),
        f"pairs differ{f' ({told.pairs.by_seed})' if told.pairs.by_seed else ''}"
        if known
        else f"mean of {first['run']}, the highest",
        f"Two differ if they lie more than {known:.3f} apart." if known else "",
        _picture(systems, known),
        links,
    )


def _not_told(systems: Sequence[dict[str, Any]], critical: float | None) -> int:
    """How many of the others are within the critical difference of the highest."""
    least = systems[0]["mean"] - (critical or 0)
    return sum(system["mean"] >= least for system in systems[1:])


def _finding(told: ToldApart, like: int) -> str:
    others = told.systems - 1
    if not like:
        return f"Highest: {told.best}, told from all {others:,} others"
    not_told = f"{like:,} of {others:,} others are" if like < others else "no other is"
    told_from = "not told from it" if like < others else "told from it"
    return f"Highest: {told.best}; {not_told} {told_from}"


def _light(stands: Standing, known: float | None) -> Light:
    if known is None or not stands.verdict.beside:
        return Light.EARLY
    return Light.SURE if stands.verdict.is_sure else Light.LOOK


def _picture(systems: Sequence[dict[str, Any]], critical: float | None) -> pictures.SafeString:
    """Means, best above; bars of half a critical difference, which overlap unless two differ."""
    half = (critical or 0) / 2
    edge = systems[0]["mean"] - half
    rows = [_row(one["mean"], half, edge) for one in systems]
    ends = [end for row in rows for end in (row.value, row.low, row.high) if end is not None]
    low, high = max(min(ends), 0.0), min(max(ends), 1.0)
    axis = pictures.Axis(low, high if high > low else low + 0.01, (low, high))
    described = (
        f"Means of {len(systems)} systems, the best above, from {to_two(systems[-1]['mean'])} to "
        f"{to_two(systems[0]['mean'])}"
    )
    marks = [("told from the best: left of this", edge)] if half else []
    return pictures.strip(rows, axis, described, marks)


def _row(mean: float, half: float, edge: float) -> pictures.Row:
    """A system with its bar; a ring if that ends before the bar of the best begins."""
    if not half:
        return pictures.Row("", mean)
    return pictures.Row("", mean, mean - half, mean + half, apart=mean + half < edge)
