from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Count, Q

from judging.collections import opinion_counts
from judging.models import Assignment, Study, Unit
from judging.monitoring import words
from judging.states import LIVE, State


@dataclass(frozen=True)
class Progress:
    stage: str
    units: int
    completed: int
    live: int
    free: int
    judgments: int
    workers: int

    @property
    def done(self) -> str:
        """Never rounded up."""
        return words.done(self.completed / self.units if self.units else 0.0)


def progress(study: Study) -> Progress:
    return progress_of([study])[study.pk]


def progress_of(studies: Sequence[Study]) -> dict[int, Progress]:
    completed, live = Q(state=State.COMPLETED), Q(state__in=LIVE)
    planned = {
        row["study"]: row
        for row in Unit.objects.filter(study__in=studies)
        .values("study")
        .annotate(all=Count("id"), free=Count("id", filter=Q(free=True)))
    }
    tried = {
        row["study"]: row
        for row in Assignment.objects.filter(study__in=studies)
        .values("study")
        .annotate(
            done=Count("id", filter=completed),
            live=Count("id", filter=live),
            workers=Count("worker", distinct=True, filter=completed),
        )
    }
    imported = [study for study in studies if study.is_imported]
    labels, workers = opinion_counts.labels_of(imported), opinion_counts.workers_of(imported)
    by_study = {}
    for study in studies:
        units = planned.get(study.pk, {"all": 0, "free": 0})
        work = tried.get(study.pk, {"done": 0, "live": 0, "workers": 0})
        by_study[study.pk] = Progress(
            study.stage,
            units["all"],
            work["done"],
            work["live"],
            units["free"],
            labels.get(study.pk, work["done"] * study.unit_size),
            workers.get(study.pk, work["workers"]),
        )
    return by_study
