from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum

from django.db.models import Min

from judging.flow.earlier_studies import took_part_earlier
from judging.flow.places import (
    entrants_of,
    has_place,
    limits_of,
    may_admit_visitor,
    visitor_assignments,
)
from judging.models import Assignment, Participant, PlatformAccount, Study, Unit, Worker
from judging.platforms import LINKS
from judging.states import State
from web.encryption import digests


class NoWork(StrEnum):
    CLOSED = "closed"
    PAUSED = "paused"  # nobody begins a unit until the study goes on
    ATTEMPTS = "attempts"  # practice or question failed as often as the study allows
    FINAL = "final"  # every open topic is done or barred for this worker, or they are excluded
    LATER = "later"  # all units or places are taken just now
    FULL = "full"  # as many people as the study takes have completed a unit
    QUOTA = "quota"  # as many new people as it takes within an hour or a day have come
    OTHERS = "others"  # the study is for people and this is an artificial worker, or vice versa
    RETURNED = "returned"  # their platform says that their submission is over
    TOOK_PART = "took part"  # in an earlier study whose participants this one does not take
    PLATFORM = "platform"  # the study takes only those whom a participant platform sends


@dataclass(frozen=True)
class Arrival:
    """Somebody who arrives: a new pseudonym, and what a participant platform reports of them."""

    pseudonym: str
    platform: str = ""
    external_id: str = ""
    ids: dict[str, str] = field(default_factory=dict)
    simulated: bool = False
    verified: bool = False  # by the platform: by a signed link, or by its API


def no_work_reason(
    study: Study, worker: Worker | None, arrival: Arrival, now: datetime
) -> NoWork | None:
    """worker: None is a newcomer. Lock `study` first where the answer must stay true."""
    if not_open := reason_of_stage(study):
        return not_open
    if worker is None and (refusal := _refusal_of_newcomer(study, arrival)):
        return refusal
    if worker and (refusal := _refusal_of_worker(study, worker, now)):
        return refusal
    units = Unit.objects.filter(study=study).open_to(worker)
    limited = _reason_of_limits(study, worker, arrival, now)
    if not limited and units.free().exists():
        return None if _may_occupy_unit(study, worker, arrival) else NoWork.LATER
    may_come_back = units.exclude(assignments__state=State.COMPLETED).exists()
    return (limited or NoWork.LATER) if may_come_back else NoWork.FINAL


def reason_of_stage(study: Study) -> NoWork | None:
    if study.stage == Study.Stage.OPEN:
        return None
    return NoWork.PAUSED if study.stage == Study.Stage.PAUSED else NoWork.CLOSED


def _refusal_of_newcomer(study: Study, arrival: Arrival) -> NoWork | None:
    if not accepts(study, simulated=arrival.simulated):
        return NoWork.OTHERS
    if study.only_from_platform and not _is_sent_by_platform(study, arrival):
        return NoWork.PLATFORM
    if took_part_earlier(study, arrival.platform, arrival.external_id):
        return NoWork.TOOK_PART
    return None


def _is_sent_by_platform(study: Study, arrival: Arrival) -> bool:
    """Whether the study's platform or a personal link sends somebody; without one, any platform."""
    if arrival.simulated:
        return True
    of_study = study.from_platform.participant and study.platform
    expected = (of_study, LINKS.name) if of_study else (arrival.platform,)
    return bool(arrival.external_id) and arrival.platform in expected


def attempts_left(study: Study, worker: Worker) -> int | None:
    """At practice or question; None: any number."""
    if not study.attempts:
        return None
    return max(0, study.attempts - worker.assignments.failed().count())


def _refusal_of_worker(study: Study, worker: Worker, now: datetime) -> NoWork | None:
    if worker.excluded_at:
        return NoWork.FINAL
    if PlatformAccount.objects.filter(worker=worker, submission_over=True).exists():
        return NoWork.RETURNED
    max_units = study.max_units
    if max_units and worker.assignments.paid().count() >= max_units:
        return NoWork.FINAL
    ends_at = submission_ends_at(study, worker)
    if ends_at and now >= ends_at and worker.assignments.paid().exists():
        return NoWork.FINAL
    if attempts_left(study, worker) == 0:
        return NoWork.ATTEMPTS
    return None


def may_begin_another(attempt: Assignment, now: datetime) -> bool:
    """Whether another unit could follow, as things are, if a live one failed where it is now."""
    study, worker = attempt.study, attempt.worker
    if reason_of_stage(study) or _refusal_of_worker(study, worker, now):
        return False
    left = attempts_left(study, worker)
    units = Unit.objects.filter(study=study).open_to(worker)
    if attempt.state == State.TOPIC:
        units = units.exclude(study_topic=attempt.study_topic_id)
    return left != 1 and units.exclude(assignments__state=State.COMPLETED).exists()


def all_units_taken(study: Study, worker: Worker | None) -> bool:
    """If units are free, a limit on places is reached."""
    return not Unit.objects.filter(study=study).free_for(worker).exists()


def submission_ends_at(study: Study, worker: Worker) -> datetime | None:
    """Of a submission for bonus units, taken to begin at the worker's consent; None: no end."""
    is_bonus = study.further == Study.Further.BONUS
    if not (is_bonus and study.submission_minutes and worker.consented_at):
        return None
    return worker.consented_at + timedelta(minutes=study.submission_minutes)


def accepts(study: Study, *, simulated: bool) -> bool:
    """The first worker of a study decides whether it takes artificial workers, or people."""
    return study.crowd in (Study.Crowd.NOBODY, Study.Crowd.BOTH, kind_of_crowd(simulated=simulated))


def kind_of_crowd(*, simulated: bool) -> Study.Crowd:
    return Study.Crowd.ARTIFICIAL if simulated else Study.Crowd.PEOPLE


# --- how many people there may be -----------------------------------------------------------------
def _reason_of_limits(
    study: Study, worker: Worker | None, arrival: Arrival, now: datetime
) -> NoWork | None:
    limits = limits_of(study)
    if not limits or (worker and has_place(worker)):
        return None
    simulated = worker.simulated if worker else arrival.simulated
    entrants, vouched = entrants_of(study), _is_vouched_for(study, worker, arrival)
    for limit in limits:
        if simulated and limit.window:
            continue
        counted = limit.counted(entrants, now)
        visitors = sum(entrant.is_visitor for entrant in counted)
        if len(counted) >= limit.maximum:
            if limit.window:
                return NoWork.QUOTA
            return NoWork.FULL if all(entrant.is_paid for entrant in counted) else NoWork.LATER
        if not vouched and not may_admit_visitor(visitors, limit.maximum - len(counted) + visitors):
            return NoWork.LATER
    return None


def when_to_return(
    study: Study, worker: Worker | None, no_work: NoWork | None, now: datetime
) -> datetime | None:
    """At the latest: when limits let the next in, or the earliest live deadline; None: unknown."""
    if no_work == NoWork.QUOTA:
        entrants = entrants_of(study)
        places = [limit.next_place(limit.counted(entrants, now)) for limit in limits_of(study)]
        return max((at for at in places if at), default=None)
    if no_work != NoWork.LATER:
        return None
    in_progress = Assignment.objects.live().filter(study=study)
    if study.most_workers:
        pass  # any of them may be what gives a place back
    elif all_units_taken(study, worker):
        in_progress = in_progress.filter(unit__in=Unit.objects.filter(study=study).open_to(worker))
    else:
        in_progress = visitor_assignments(study)
    earliest: datetime | None = in_progress.aggregate(at=Min("deadline_at"))["at"]
    return earliest if earliest and earliest > now else None


# --- how many units visitors may have -------------------------------------------------------------
def is_verified(study: Study, arrival: Arrival) -> bool:
    """Vouched for by a platform, the study's list or, if artificial, the site's signature."""
    if arrival.verified or arrival.simulated:
        return True
    hashes = digests(arrival.external_id)
    listed = Participant.objects.filter(study=study, external_id_hash__in=hashes)
    return bool(arrival.external_id) and listed.exists()


def first_step(study: Study, worker: Worker) -> State:
    """Practice and instructions come once, if so set: whoever passed a unit has read them."""
    if study.practice != Study.Practice.ONCE or not worker.practised:
        return State.PRACTICE
    return State.TOPIC if worker.assignments.passed().exists() else State.INSTRUCTIONS


def _is_vouched_for(study: Study, worker: Worker | None, arrival: Arrival) -> bool:
    if worker and (worker.verified or worker.assignments.paid().exists()):
        return True
    return is_verified(study, arrival)


def _may_occupy_unit(study: Study, worker: Worker | None, arrival: Arrival) -> bool:
    """Whether a worker may have a unit before they have judged anything."""
    if _is_vouched_for(study, worker, arrival):
        return True
    before_judgment = Assignment.objects.before_judgment().filter(study=study).count()
    open_units = Unit.objects.free().filter(study=study).count() + before_judgment
    return may_admit_visitor(visitor_assignments(study).count(), open_units)


def claim(study: Study, worker: Worker) -> Unit | None:
    """The study must be locked. Every unit has the same chance: a topic's is by its free units."""
    unit = Unit.objects.filter(study=study).free_for(worker).order_by("?").first()
    if unit:
        unit.free = False
        unit.save(update_fields=["free"])
    return unit
