"""The overview's cards: six questions about a study, each with the finding that answers it.

One card a file. They rest on kept analyses, whose numbers alone are read, and on what the monitor
counts. A card says what it waits for as long as that is being computed.
"""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from functools import partial
from types import ModuleType
from typing import Any, NamedTuple

from django.urls import reverse
from django.utils import timezone

from evaluation.analyses import of_study, papers
from evaluation.cache import stored
from evaluation.pages.cards import choices, crowd, enough, labels, ranking, state, users
from evaluation.pages.cards.card import Card, Kept, Lacking, Light
from evaluation.pages.cards.ranking import Standing
from evaluation.study.applies_to import levels_elsewhere
from judging.models import Study
from judging.monitoring.watch import Lights
from judging.studies.analysis_plan import headed
from judging.studies.table_one import Pay
from magnitudes.files.words import count

# The analysis whose number a card shows, and which has the rows of it.
NUMBER_OF = {
    ranking.NAME: "significance",
    crowd.NAME: "internal",
    labels.NAME: "labels",
    enough.NAME: "enough",
    choices.NAME: "sensitivity",
    users.NAME: "weights",
}
NAMES = tuple(room.NAME for room in (ranking, crowd, labels, enough, choices, users, state))
OF_SYSTEMS = (ranking.NAME, enough.NAME, choices.NAME)
PEOPLE = 10  # of a topic; with fewer nothing is sure
RESTS_ON = (
    *("significance", "internal", "workers", "labels", "rankings", "differences"),
    *("enough", "sensitivity"),
)


class Answers(NamedTuple):
    """The cards of a study, and what its systems' order is worth.

    waits: how many analyses are still to be computed. old: when the oldest was that is not of
    today's data; standing_old: when the standing was, if it is not.
    """

    cards: list[Card]
    standing: Standing | None
    waits: int
    old: datetime | None
    standing_old: datetime | None


def answers(
    study: Study,
    label_set: str,
    versions: dict[str, str],
    systems: dict[str, Any],
    watched: Lights | None,
    pay: Pay | None,
) -> Answers:
    """The cards of a study with results.

    label_set: the labels that the crowd is held against. versions: those of the study's analyses.
    systems: the ranking by the study's own measure and gains. watched, pay: the lights of the
    monitor, and what units cost; None of what was judged elsewhere.
    """
    there = of_study(study)
    wanted = [*RESTS_ON, "weights"] if levels_elsewhere(study) else RESTS_ON
    names = [name for name in wanted if name in there]
    cached = stored.get_or_request(
        *(study, names, label_set, timezone.now()), findings_alone=True, current=versions
    )
    kept = Kept(dict(zip(names, cached, strict=True)))
    stands = _standing(study, kept, watched, systems) if systems["results"] else None
    of = partial(_card, study, kept)
    cards = [
        stands and of(ranking, lambda: ranking.card(study, stands, systems)),
        of(crowd, lambda: crowd.card(study, kept, watched)),
        of(labels, lambda: labels.card(study, kept, label_set)),
        of(enough, lambda: enough.card(study, kept, is_early=bool(stands and stands.is_early)))
        if systems["results"]
        else None,
        stands
        and of(
            choices,
            lambda: choices.card(study, kept, systems["topics"], is_early=stands.is_early),
        ),
        of(users, lambda: users.card(study, kept)) if levels_elsewhere(study) else None,
        state.card(study, watched, pay) if watched and pay else None,
    ]
    doubts = _doubts(study, kept, watched)
    old = [row.row for row in cached if not row.current and row.row.version]
    times = [row.computed_at for row in old if row.computed_at]
    waits = sum(row.waits for row in cached)
    why_not = limits(study, kept, watched)
    shown = [_limited(_in_doubt(card, doubts), why_not) for card in cards if card]
    shown = [_headed(card, systems["interim"]) for card in shown]
    standing_old = [row.computed_at for row in old if row.name == NUMBER_OF[ranking.NAME]]
    return Answers(shown, stands, waits, min(times, default=None), *(standing_old or [None]))


def _doubts(study: Study, kept: Kept, watched: Lights | None) -> list[str]:
    """What makes all that rests on the crowd's scores less than sure, in sentences."""
    doubts = []
    if crowd.is_weak(study, kept):
        doubts.append("It rests on workers who agree little.")
    if watched and (topics := watched.watch.anchors.suspect):
        names = ", ".join(dict.fromkeys(one.topic.topic.query_id for one in topics))
        doubts.append(f"Anchors in doubt: topic {names}.")
    return doubts


def _in_doubt(card: Card, doubts: list[str]) -> Card:
    """A card that looks sure, and rests on scores that are in doubt."""
    if card.light is not Light.SURE or not doubts:
        return card
    return replace(card, light=Light.LOOK, why=" ".join([card.why, *doubts]))


def limits(study: Study, kept: Kept, watched: Lights | None) -> list[str]:
    """Why nothing is sure here, however small its p, in sentences."""
    why = []
    if not papers.is_comparable(study):
        why.append("Nothing is sure of artificial workers.")
    if watched and (left := watched.watch.progress.units - watched.watch.progress.completed) > 0:
        why.append(f"{count(left, 'unit')} of the plan {'is' if left == 1 else 'are'} not done.")
    topic, people = kept.numbers("workers").get("fewest_people", ("", None))
    if people is None:
        why.append("How many people judged each topic is not computed yet.")
    elif people < PEOPLE:
        why.append(f"Topic {topic} was judged by {count(people, 'person', 'people')}.")
    return why


def _limited(card: Card, why_not: list[str]) -> Card:
    """A card that looks sure, of a study in which nothing is."""
    if card.light is not Light.SURE or not why_not:
        return card
    return replace(card, light=Light.OPEN, why=" ".join(filter(None, [card.why, *why_not])))


def _headed(card: Card, interim: str) -> Card:
    """A card, with the claims that it makes about systems headed until the planned end."""
    if card.name == labels.NAME:
        return replace(card, more=headed(card.more, interim) if card.more else "")
    return replace(card, finding=headed(card.finding, interim)) if card.name in OF_SYSTEMS else card


def _standing(
    study: Study, kept: Kept, watched: Lights | None, systems: dict[str, Any]
) -> Standing:
    try:
        return ranking.standing(study, kept, watched, systems)
    except Lacking as lacking:
        return ranking.not_tested(systems, _again(kept, lacking))


def _card(
    study: Study, kept: Kept, room: ModuleType, make: Callable[[], Card | None]
) -> Card | None:
    """A card as its room makes it, or one that says why not: older code computed what is kept."""
    try:
        card = make()
        if card is None or card.rows or not card.number:
            return card
        return replace(card, rows=reverse("analysis", args=[study.slug, NUMBER_OF[card.name]]))
    except Lacking as lacking:
        says = f"What this card rests on {_again(kept, lacking)}"
        return Card(room.NAME, room.TITLE, says, Light.WAIT)


def _again(kept: Kept, lacking: Lacking) -> str:
    """Have an analysis computed that older code computed, and say so."""
    (name,) = lacking.args
    row = kept.cached[name].row
    if stored.compute_again(row, timezone.now()):
        return "is being computed again"
    return f"could not be computed again: {row.fault}" if row.fault else "will be computed again"
