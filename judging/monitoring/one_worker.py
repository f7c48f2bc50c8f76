from dataclasses import dataclass, field
from datetime import datetime

from django.db.models import Count, F, Max, QuerySet, Sum
from django.db.models.functions import Coalesce, Greatest

from judging.models import Assignment, CheckFailure, Judgment, Study, Visit, Worker
from judging.monitoring.words import duration
from judging.states import State


@dataclass(frozen=True)
class Spent:
    seconds: float
    remark: str = ""


@dataclass
class Attempt:
    assignment: Assignment
    now: datetime
    levels: list[str] = field(default_factory=list)  # of a graded study
    failures: list[str] = field(default_factory=list)
    spent: list[Spent] = field(default_factory=list)
    judgments: list[Judgment] = field(default_factory=list)

    @property
    def judged(self) -> list[tuple[Judgment, str, Spent]]:
        """With its first score, if that was another, and the seconds on its page."""
        return [
            (judgment, self._first(judgment), self.spent[judgment.position - 1])
            for judgment in self.judgments
        ]

    def _first(self, judgment: Judgment) -> str:
        first = judgment.first_score
        if first is None or first == judgment.score:
            return ""
        return self.levels[int(first)] if self.levels else str(first)

    @property
    def took(self) -> str:
        end = self.assignment.finished_at or self.now
        return duration((end - self.assignment.started_at).total_seconds())


def worker_of(study: Study, pseudonym: str) -> Worker | None:
    return Worker.objects.filter(study=study, pseudonym=pseudonym).first()


def attempts(study: Study, worker: Worker, now: datetime) -> list[Attempt]:
    return _read(study, Assignment.objects.filter(worker=worker), now)


def newest_attempts(study: Study, now: datetime, maximum: int) -> list[Attempt]:
    rows = Assignment.objects.filter(study=study).select_related("worker")
    return _read(study, rows, now, maximum)


def _read(
    study: Study, rows: QuerySet[Assignment], now: datetime, maximum: int | None = None
) -> list[Attempt]:
    newest = rows.select_related("study_topic__topic", "unit").order_by("-started_at", "-id")
    by_key = {row.pk: Attempt(row, now, study.levels) for row in newest[:maximum]}
    _add_failures(by_key)
    _add_seconds(by_key, study, now)
    completed = [
        key for key, attempt in by_key.items() if attempt.assignment.state == State.COMPLETED
    ]
    judged = Judgment.objects.filter(assignment__in=completed).select_related("document")
    for judgment in judged.order_by("position"):
        by_key[judgment.assignment_id].judgments.append(judgment)
    return list(by_key.values())


def _add_failures(by_key: dict[int, Attempt]) -> None:
    rows = (
        CheckFailure.objects.filter(assignment__in=by_key)
        .values("assignment", "check_name")
        .annotate(times=Count("id"))
        .order_by("check_name")
    )
    labels = dict(CheckFailure.Check.choices)
    for row in rows:
        times = f" {row['times']} times" if row["times"] > 1 else ""
        by_key[row["assignment"]].failures.append(labels[row["check_name"]] + times)


def _add_seconds(by_key: dict[int, Attempt], study: Study, now: datetime) -> None:
    end = Coalesce("closed_at", Greatest(now, "opened_at"))
    rows = (
        Visit.objects.filter(assignment__in=by_key)
        .values("assignment", "position")
        .annotate(
            seconds=Sum(end - F("opened_at")), longest=Max(end - F("opened_at")), n=Count("id")
        )
    )
    visits = {(row["assignment"], row["position"]): row for row in rows}
    for key, attempt in by_key.items():
        at_its_end = attempt.assignment.seconds
        for position in range(1, attempt.assignment.furthest + 1):
            visit = visits.get((key, position))
            spent = visit["seconds"].total_seconds() if visit else 0.0
            longest = visit["longest"].total_seconds() if visit else 0.0
            seconds = at_its_end[position - 1] if at_its_end else spent
            attempt.spent.append(Spent(seconds, _remark(study, seconds, longest)))


def _remark(study: Study, seconds: float, longest: float) -> str:
    if longest > study.long_visit_minutes * 60:
        return f"a visit over {study.long_visit_minutes:g} minutes"
    return f"under {study.minimum_seconds:g} s" if seconds < study.minimum_seconds else ""
