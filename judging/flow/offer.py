from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum

from django.db.models import Min

from judging.flow.earlier_studies import took_part_earlier
from judging.flow.places import (
    entrants_of,
    limits_of,
    may_admit_visitor,
    visitor_assignments,
)
from judging.flow.standing import Standing
from judging.models import Assignment, Participant, Study, Unit, Worker
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


def no_work_reason(standing: Standing, arrival: Arrival, now: datetime) -> NoWork | None:
    study, worker = standing.study, standing.worker
    if not_open := reason_of_stage(study):
        return not_open
    if worker is None and (refusal := _refusal_of_newcomer(study, arrival)):
        return refusal
    if worker and (refusal := _refusal_of_worker(standing, worker, now)):
        return refusal
    limited = _reason_of_limits(standing, arrival, now)
    if not limited and standing.free_topics:
        return None if _may_occupy_unit(standing, arrival) else NoWork.LATER
    units = Unit.objects.filter(study=study).open_to(worker)
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


def _refusal_of_worker(standing: Standing, worker: Worker, now: datetime) -> NoWork | None:
    study, paid = standing.study, standing.paid
    if worker.excluded_at:
        return NoWork.FINAL
    if standing.submission_over:
        return NoWork.RETURNED
    if study.max_units and len(paid) >= study.max_units:
        return NoWork.FINAL
    ends_at = submission_ends_at(study, worker)
    if ends_at and now >= ends_at and paid:
        return NoWork.FINAL
    if standing.attempts_left == 0:
        return NoWork.ATTEMPTS
    return None


def may_begin_another(standing: Standing, attempt: Assignment, now: datetime) -> bool:
    """Whether another unit could follow, as things are, if a live one failed where it is now."""
    study, worker = standing.study, attempt.worker
    if reason_of_stage(study) or _refusal_of_worker(standing, worker, now):
        return False
    units = Unit.objects.filter(study=study).open_to(worker)
    if attempt.state == State.TOPIC:
        units = units.exclude(study_topic=attempt.study_topic_id)
    return (
        standing.attempts_left != 1 and units.exclude(assignments__state=State.COMPLETED).exists()
    )


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
def _reason_of_limits(standing: Standing, arrival: Arrival, now: datetime) -> NoWork | None:
    study, worker = standing.study, standing.worker
    limits = limits_of(study)
    if not limits or standing.has_place:
        return None
    simulated = worker.simulated if worker else arrival.simulated
    entrants, vouched = entrants_of(study), _is_vouched_for(standing, arrival)
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


def when_to_return(standing: Standing, no_work: NoWork | None, now: datetime) -> datetime | None:
    """At the latest: when limits let the next in, or the earliest live deadline; None: unknown."""
    study = standing.study
    if no_work == NoWork.QUOTA:
        entrants = entrants_of(study)
        places = [limit.next_place(limit.counted(entrants, now)) for limit in limits_of(study)]
        return max((at for at in places if at), default=None)
    if no_work != NoWork.LATER:
        return None
    in_progress = Assignment.objects.live().filter(study=study)
    if study.most_workers:
        pass  # any of them may be what gives a place back
    elif not standing.free_topics:
        units = Unit.objects.filter(study=study).open_to(standing.worker)
        in_progress = in_progress.filter(unit__in=units)
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


def first_step(standing: Standing) -> State:
    """Practice and instructions come once, if so set: whoever passed a unit has read them."""
    study, worker = standing.study, standing.worker
    if study.practice != Study.Practice.ONCE or worker is None or not worker.practised:
        return State.PRACTICE
    return State.TOPIC if standing.has_passed else State.INSTRUCTIONS


def _is_vouched_for(standing: Standing, arrival: Arrival) -> bool:
    if standing.worker and (standing.worker.verified or standing.paid):
        return True
    return is_verified(standing.study, arrival)


def _may_occupy_unit(standing: Standing, arrival: Arrival) -> bool:
    """Whether a worker may have a unit before they have judged anything."""
    if _is_vouched_for(standing, arrival):
        return True
    study = standing.study
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
