"""Which systems are best, and how sure is that?"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from django.urls import reverse

from evaluation.pages.cards import pictures
from evaluation.pages.cards.card import Card, Kept, Lacking, Light, Link, to_two
from judging.models import Study
from judging.monitoring.watch import Lights
from magnitudes.comparison.significant_pairs import SignificantPairs, Verdict, verdict
from magnitudes.comparison.top_set import LEAST_TOPICS
from magnitudes.files.words import count

NAME, TITLE = "ranking", "Ranking"


class Standing(NamedTuple):
    """What is known of the order of systems: the headline, and what it rests on."""

    verdict: Verdict
    told: SignificantPairs | None  # None: the test is not computed yet
    critical: float | None  # by which two means differ, in the measure that systems are ranked by

    @property
    def is_early(self) -> bool:
        """Whether nothing can be said of the order yet."""
        return not self.verdict.beside or self.told is None or self.told.topics < LEAST_TOPICS


def standing(study: Study, kept: Kept, watched: Lights | None, ranking: dict[str, Any]) -> Standing:
    """The verdict on the systems of a study; it says what it waits for, where there is none."""
    numbers = kept.numbers("significance")
    if "told_apart" not in numbers:
        if kept.is_there("significance"):
            raise Lacking("significance")
        waits = kept.waits("significance")
        return not_tested(ranking, "is being computed" if waits else "could not be tested")
    told = SignificantPairs.read(numbers["told_apart"])
    if told is None:
        raise Lacking("significance")
    still_open = 0
    if watched and study.stage != Study.Stage.CLOSED:
        still_open = watched.watch.progress.units - watched.watch.progress.completed
    by = f"{ranking['measure']} of the {ranking['gains']} gains"
    measure = ranking["measure"].partition("@")[0].partition("(")[0]
    critical = numbers.get(f"critical_{measure}")
    return Standing(verdict(told, still_open, by), told, critical)


def not_tested(ranking: dict[str, Any], why: str) -> Standing:
    """Of systems whose differences are not known; why: what has become of them."""
    systems = count(len(ranking["results"]), "system")
    return Standing(Verdict(f"{systems} ranked; which of them differ {why}"), None, None)


def card(study: Study, stands: Standing, ranking: dict[str, Any]) -> Card:
    """The systems as dots; the ranking is by the study's own measure and gains."""
    told, systems = stands.told, ranking["results"]
    links = (
        Link("All systems", reverse("systems", args=[study.slug])),
        Link("The highest", reverse("system", args=[study.slug, systems[0]["run"]])),
        Link("The test", reverse("analysis", args=[study.slug, "significance"])),
    )
    if told is None:
        return Card(NAME, TITLE, stands.verdict.says, Light.WAIT, links=links)
    first, critical = systems[0], stands.critical
    by = f"{count(told.topics, 'topic')}, by {ranking['measure']}."
    if stands.is_early or critical is None:
        return Card(
            NAME,
            TITLE,
            f"So far {first['run']} is the highest; no order can be shown yet",
            Light.EARLY,
            by,
            to_two(first["mean"]),
            f"mean of {first['run']}",
            picture=_picture(systems, None),
            links=links,
            rows=f"{links[1].address}#topics",
        )
    seed = f" ({told.pairs.by_seed})" if told.pairs.by_seed else ""
    return Card(
        NAME,
        TITLE,
        _finding(told, _not_told(systems, critical)),
        Light.SURE if stands.verdict.is_sure else Light.OPEN,
        by,
        f"{told.pairs.differ:,} of {told.pairs.all:,}",
        f"pairs differ{seed}",
        f"Two differ if they lie more than {critical:.3f} apart.",
        _picture(systems, critical),
        links,
    )


def _not_told(systems: Sequence[dict[str, Any]], critical: float) -> int:
    """How many of the others are within the critical difference of the highest."""
    least = systems[0]["mean"] - critical
    return sum(system["mean"] >= least for system in systems[1:])


def _finding(told: SignificantPairs, like: int) -> str:
    others = told.systems - 1
    if not like:
        return f"Highest: {told.best}, which differs significantly from all {others:,} others"
    if like == others:
        return f"Highest: {told.best}; no other can be shown to differ from it"
    do = "does" if like == 1 else "do"
    return f"Highest: {told.best}; {like:,} of {others:,} others {do} not differ significantly"


def _picture(systems: Sequence[dict[str, Any]], critical: float | None) -> pictures.SafeString:
    """Means, best above; bars of half a critical difference, which overlap unless two differ."""
    half = (critical or 0) / 2
    edge = systems[0]["mean"] - 2 * half
    rows = [_row(one["mean"], half, edge) for one in systems]
    ends = [end for row in rows for end in (row.value, row.low, row.high, edge) if end is not None]
    low, high = max(min(ends), 0.0), min(max(ends), 1.0)
    axis = pictures.Axis(low, high if high > low else low + 0.01, (low, high))
    described = (
        f"Means of {len(systems)} systems, the best above, from {to_two(systems[-1]['mean'])} to "
        f"{to_two(systems[0]['mean'])}"
    )
    marks = [("dots left of this differ from the best", edge)] if half else []
    return pictures.strip(rows, axis, described, marks)


def _row(mean: float, half: float, edge: float) -> pictures.Row:
    """A system with its bar, if there is any; a ring if it differs from the best."""
    if not half:
        return pictures.Row("", mean)
    return pictures.Row("", mean, mean - half, mean + half, apart=mean < edge)
