"""The overview's cards: six questions about a study, each with the finding that answers it.

One card a file. They rest on kept analyses, whose numbers alone are read, and on what the monitor
counts. A card says what it waits for as long as that is being computed.
"""

from datetime import datetime
from typing import Any, NamedTuple

from django.utils import timezone

from evaluation.analyses import of_study
from evaluation.analyses.study.fits import levels_elsewhere
from evaluation.store import keeping
from evaluation.views.cards import choices, crowd, enough, labels, ranking, state, users
from evaluation.views.cards.card import Card, Kept
from evaluation.views.cards.ranking import Standing
from judging.models import Study
from judging.monitoring.lights import Lights
from judging.studies.table_one import Pay

RESTS_ON = (
    *("significance", "internal", "workers", "labels", "rankings", "differences"),
    *("enough", "sensitivity"),
)


class Answers(NamedTuple):
    """The cards of a study, and what its systems' order is worth.

    waits: how many analyses are still to be computed. old: when the oldest was that is not of
    today's data.
    """

    cards: list[Card]
    standing: Standing | None
    waits: int
    old: datetime | None


def answers(
    study: Study,
    label_set: str,
    systems: dict[str, Any],
    watched: Lights | None,
    pay: Pay | None,
) -> Answers:
    """The cards of a study with results.

    label_set: the labels that the crowd is held against. systems: the ranking by the study's own
    measure and gains. watched, pay: the lights of the monitor, and what units cost; None of what
    was judged elsewhere.
    """
    there = of_study(study)
    wanted = [*RESTS_ON, "weights"] if levels_elsewhere(study) else RESTS_ON
    names = [name for name in wanted if name in there]
    looked = keeping.look(study, names, label_set, timezone.now(), findings_alone=True)
    kept = Kept(dict(zip(names, looked, strict=True)))
    stands = ranking.standing(study, kept, watched, systems) if systems["results"] else None
    cards = [
        stands and ranking.card(study, stands, systems),
        crowd.card(study, kept, watched),
        labels.card(study, kept, label_set),
        enough.card(study, kept) if systems["results"] else None,
        stands and choices.card(study, kept, systems["topics"], is_early=stands.is_early),
        users.card(study, kept) if levels_elsewhere(study) else None,
        state.card(study, watched, pay) if watched and pay else None,
    ]
    times = [row.kept.computed_at for row in looked if not row.current and row.kept.computed_at]
    waits = sum(row.waits for row in looked)
    return Answers([card for card in cards if card], stands, waits, min(times, default=None))
