"""How a study's systems will be compared: five lines, frozen when it opens, and their end.

Whoever may stop whenever a ranking pleases finds differences that are not there. What is claimed
before the planned end is therefore headed as interim.
"""

from collections.abc import Mapping
from typing import Any

from django.db.models import Count, Exists, OuterRef

from judging.models import Assignment, Batch, Study
from judging.states import State
from magnitudes.measures.names import short

# The first is the one that a study's systems are ranked by, unless another is asked for.
MEASURE_NAMES = "nDCG(dcg='jk')", "ERR"
NORMALISATION, AGGREGATION = "geometric", "median"
TEST, LEVEL = "randomised Tukey HSD over all pairs", 0.05
INTERIM = "Interim"
REACHED = (State.COMPLETED, State.WITHDRAWN)  # who takes answers back does not undo the end


def measures(study: Study) -> tuple[str, ...]:
    """At the study's cutoff; none if it has no cutoff."""
    cutoff = study.used_cutoff
    return () if cutoff is None else tuple(f"{name}@{cutoff}" for name in MEASURE_NAMES)


def schemes(study: Study) -> tuple[str, str]:
    """How scores are normalised and aggregated, unless another way is asked for."""
    return "none" if study.is_graded else NORMALISATION, AGGREGATION


def proposed(study: Study) -> dict[str, Any]:
    return {
        "measure": next(iter(measures(study)), ""),
        "gains": ", ".join(schemes(study)),
        "test": TEST,
        "level": LEVEL,
        "end": study.units.filter(batch=None).count(),
    }


def in_words(lines: Mapping[str, Any]) -> dict[str, str]:
    """The five lines as sentences, by name; none of a study that has none.

    >>> lines = {"measure": "ERR@10", "gains": "geometric, median", "test": "t", "level": 0.05}
    >>> in_words({**lines, "end": 12})["end"]
    'Planned end: 12 units completed; until then claims about systems are headed “Interim”.'
    >>> in_words({**lines, "measure": "", "end": 1})["measure"]
    'Measure: none, as the pools are too shallow.'
    """
    if not lines:
        return {}
    units = f"{lines['end']:,} unit{'' if lines['end'] == 1 else 's'}"
    return {
        "measure": f"Measure: {short(lines['measure']) or 'none, as the pools are too shallow'}.",
        "gains": f"Gains: normalisation and aggregation {lines['gains']}.",
        "test": f"Test: {lines['test']}.",
        "level": f"Level: p < {lines['level']:g}.",
        "end": f"Planned end: {units} completed; until then claims about systems are headed "
        f"“{INTERIM}”.",
    }


def interim(study: Study) -> str:
    """The heading of claims about systems until all planned units are completed; then empty.

    Units of batches are none of the plan, and a study that closes early does not reach its end.
    """
    if study.is_imported or study.stage == Study.Stage.DRAFT:
        return ""
    done = Assignment.objects.filter(unit=OuterRef("pk"), state__in=REACHED)
    units = study.units.filter(batch=None).aggregate(
        planned=Count("pk"), done=Count("pk", filter=Exists(done))
    )
    if units["done"] >= units["planned"]:
        return ""
    of_plan = f"{units['planned']:,} planned unit{'' if units['planned'] == 1 else 's'}"
    return f"{INTERIM}, {units['done']:,} of {of_plan}"


def headed(claim: str, interim: str) -> str:
    """A claim with its heading, if there is one, once.

    >>> headed("A is best", "Interim, 1 of 2 planned units"), headed("A is best", "")
    ('Interim, 1 of 2 planned units: A is best', 'A is best')
    """
    return f"{interim}: {claim}" if interim and not claim.startswith(interim) else claim


def ranking_is_visible(study: Study) -> bool:
    seen = Study.objects.filter(evaluation__units__gt=0, evaluation__runs__len__gt=0)
    return seen.filter(pk=study.pk).exists()


def batches_after_ranking(study: Study) -> int:
    return Batch.objects.filter(study=study, after_ranking=True).count()
