"""The overview's cards: six questions about a study, each with the finding that answers it.

One card a file, which says which numbers of which cached analysis it reads, and what it concludes.
A card says what it waits for as long as that is being computed.
"""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from types import ModuleType
from typing import Any, NamedTuple

from django.urls import reverse
from django.utils import timezone

from evaluation.analyses import of_study, papers
from evaluation.cache import stored
from evaluation.pages.cards import choices, crowd, enough, labels, ranking, state, users
from evaluation.pages.cards.card import Card, Inputs, Lacking, Standing, State
from evaluation.presentation.parts import of_crowd
from evaluation.study.applies_to import levels_elsewhere
from judging.models import Study
from judging.monitoring.watch import Lights
from judging.studies.analysis_plan import headed
from judging.studies.table_one import Pay
from magnitudes.comparison.significant_pairs import Verdict
from magnitudes.files.words import count

MODULES = (ranking, crowd, labels, enough, choices, users, state)  # each with `card`
NUMBER_OF = {module.NAME: module.ANALYSIS for module in MODULES}  # the analysis with its rows
NAMES = tuple(NUMBER_OF)
OF_SYSTEMS = (ranking.NAME, enough.NAME, choices.NAME)
PEOPLE = 10  # of a topic; with fewer nothing is sure
RESTS_ON = (
    *("significance", "internal", "workers", "labels", "rankings", "differences"),
    *("enough", "sensitivity"),
)


class Answers(NamedTuple):
    """The cards of a study, and what its systems' order is worth.

    waits: how many analyses are still to be computed. old: when the oldest was that is not of
    today's data; verdict_old: when the verdict was, if it is not.
    """

    cards: list[Card]
    verdict: Verdict | None
    waits: int
    old: datetime | None
    verdict_old: datetime | None


def answers(
    study: Study,
    label_set: str,
    versions: Mapping[str, str],
    systems: dict[str, Any],
    watched: Lights | None,
    pay: Pay | None,
    still_open: int,
) -> Answers:
    """The cards of a study with results.

    versions: those of the study's analyses; the others are as `Inputs` have them.
    """
    there = of_study(study)
    wanted = [*RESTS_ON, "weights"] if levels_elsewhere(study) else RESTS_ON
    names = [name for name in wanted if name in there]
    cached = stored.get_or_request(
        *(study, names, label_set, timezone.now()), findings_alone=True, current=versions
    )
    by_name = dict(zip(names, cached, strict=True))
    inputs = Inputs(study, by_name, systems, label_set, watched, pay, still_open)
    if systems["results"]:
        inputs = replace(inputs, standing=_standing(inputs))
    made = [
        _card(module, inputs)
        for module in MODULES
        if (systems["results"] or module.NAME not in OF_SYSTEMS)
        and (levels_elsewhere(study) or module is not users)
    ]
    doubts, why_not = _doubts(inputs), limits(inputs)
    limited = [_limited(card, doubts, why_not) for card in made if card]
    cards = [_headed(_of_model(study, card), systems["interim"]) for card in limited]
    old = [result.row for result in cached if not result.current and result.row.version]
    times = [row.computed_at for row in old if row.computed_at]
    return Answers(
        *(cards, inputs.standing and inputs.standing.verdict),
        waits=sum(result.waits for result in cached),
        old=min(times, default=None),
        verdict_old=next((row.computed_at for row in old if row.name == ranking.ANALYSIS), None),
    )


def _doubts(inputs: Inputs) -> list[str]:
    """What makes all that rests on the crowd's scores less than sure, in sentences."""
    doubts = ["It rests on workers who agree little."] if crowd.is_weak(inputs) else []
    if inputs.watched and (topics := inputs.watched.watch.anchors.suspect):
        names = ", ".join(dict.fromkeys(one.topic.topic.query_id for one in topics))
        doubts.append(f"Anchors in doubt: topic {names}.")
    return doubts


def limits(inputs: Inputs) -> list[str]:
    """Why nothing is sure here, however small its p, in sentences."""
    why, progress = [], inputs.watched and inputs.watched.watch.progress
    if not papers.is_comparable(inputs.study):
        judges = "artificial workers" if inputs.study.takes_people else "a language model"
        why.append(f"Nothing is sure of {judges}.")
    if progress and (left := progress.units - progress.completed) > 0:
        why.append(f"{count(left, 'unit')} of the plan {'is' if left == 1 else 'are'} not done.")
    topic, people = inputs.numbers("workers").get("fewest_people", ("", None))
    if people is None:
        why.append("How many people judged each topic is not computed yet.")
    elif people < PEOPLE:
        why.append(f"Topic {topic} was judged by {count(people, 'worker')}.")
    return why


def _limited(card: Card, doubts: list[str], why_not: list[str]) -> Card:
    """A card that looks sure, and rests on scores that are in doubt, or where nothing is sure.

    What is to be checked has a warning on its own card, *Crowd* or *State*, and on no other.
    """
    if card.state is not State.SURE or not (doubts or why_not):
        return card
    why = " ".join(filter(None, [card.why, *(doubts or why_not)]))
    return replace(card, state=State.OPEN, why=why)


def _of_model(study: Study, card: Card) -> Card:
    """A banner says that workers are artificial; a model's conversations are no workers at all."""
    if study.crowd != Study.Crowd.MODEL:
        return card
    headline, more, why = (of_crowd(t, study.mark) for t in (card.headline, card.more, card.why))
    return replace(card, headline=headline, more=more, why=why)


def _headed(card: Card, interim: str) -> Card:
    """A card, with the claims that it makes about systems headed until the planned end."""
    if card.name == labels.NAME:
        return replace(card, more=headed(card.more, interim) if card.more else "")
    if card.name in OF_SYSTEMS:
        return replace(card, headline=headed(card.headline, interim))
    return card


def _standing(inputs: Inputs) -> Standing:
    try:
        return ranking.standing(inputs)
    except Lacking as lacking:
        return ranking.not_tested(inputs, _again(inputs, lacking))


def _card(module: ModuleType, inputs: Inputs) -> Card | None:
    """A card as its module makes it, or one that says why not: older code computed its numbers."""
    try:
        card: Card | None = module.card(inputs)
    except Lacking as lacking:
        says = f"What this card rests on {_again(inputs, lacking)}"
        return Card(module.NAME, module.TITLE, says, State.WAIT)
    if card is None or card.rows or not card.number:
        return card
    return replace(card, rows=reverse("analysis", args=[inputs.study.slug, NUMBER_OF[card.name]]))


def _again(inputs: Inputs, lacking: Lacking) -> str:
    """Have an analysis computed that older code computed, and say so."""
    row = inputs.cached[lacking.args[0]].row
    if stored.compute_again(row, timezone.now()):
        return "is being computed again"
    return f"could not be computed again: {row.fault}" if row.fault else "will be computed again"
