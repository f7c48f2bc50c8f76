"""Forecasts are asked for, computed in the background, and kept until settings or data change."""

import time
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from django.db import transaction
from django.db.models import Count, Max, Q, QuerySet, Sum

from accounts.models import User
from crowd.many import Nature
from evaluation import VERSION, pipeline
from judging.models import LabelSet, Study
from judging.models.team import seen_by_team_of
from judging.states import State as AssignmentState
from judging.studies import trail
from web import clock
from web.background.work import COMPUTING, Superseded, attempt, one_by_one, throttled_progress
from web.bounds import bounds
from workspace.models import Forecast
from workspace.planning import forecasting, pilots, pools
from workspace.planning.costs import NoPlan, costs
from workspace.planning.kept import kept
from workspace.planning.telling import Situation

State = Forecast.State
REPLICATIONS = 100
SEED = 1
FITTING = 0.2  # of the progress, where there is a pilot
SETTINGS = (  # that a forecast depends on
    *("labels", "scale", "levels", "unit_size", "redundancy", "payment", "platform_fee"),
    *("currency", "pool_depth", "pool_by", "collection__revision"),
)
UNFINISHED = State.WAITING, State.COMPUTING


class CannotForecast(NoPlan):
    """A forecast cannot be asked for so; the message says why, and what was expected."""


@dataclass(frozen=True)
class Looked:
    """A forecast as whoever looks finds it, and whether what it tells is of today's settings."""

    row: Forecast
    is_current: bool

    @property
    def waits(self) -> bool:
        return self.row.state in UNFINISHED


def forecast_of(study: Study) -> Looked | None:
    """The forecast of a study; None if nobody has asked for one."""
    row = Forecast.objects.filter(study=study).select_related("study", "pilot").first()
    return None if row is None else Looked(row, row.version == version(study, row.pilot))


def pilots_for(study: Study, by: User | None) -> QuerySet[Study]:
    """The studies whose crowd may be taken for that of a study, by name: the study itself, too.

    They have the same kind of scale and enough completed units, and are seen by whoever asks (None:
    a command) and by the whole team, who will read what their crowds are like.
    """
    seen = Q(pk=study.pk) | Q(pk__in=seen_by_team_of(study))
    units = Count("assignments", filter=Q(assignments__state=AssignmentState.COMPLETED))
    fitting = (
        Study.objects.filter(seen, scale=study.scale, levels__len=len(study.levels))
        .exclude(crowd=Study.Crowd.IMPORTED)
        .annotate(units_done=units)
        .filter(units_done__gte=pilots.FEWEST_UNITS)
        .order_by("slug")
    )
    return fitting if by is None else fitting.filter(pk__in=Study.objects.seen_by(by))


@transaction.atomic
def ask_forecast(
    study: Study,
    by: User | None,
    *,
    pilot: str = "",
    replications: int = REPLICATIONS,
    seed: int = SEED,
) -> Forecast:
    """Have what a study will tell computed anew, in the background.

    Args:
        by: who asks; None is a command.
        pilot: the name of the study whose crowd is to be expected; empty: the published one.
        replications: how many studies are simulated.
        seed: of all draws.

    Raises:
        CannotForecast: the study has no units to plan, or no such pilot; replications or a seed out
            of range.
    """
    _check(study, replications, seed)
    source = pilots_for(study, by).filter(slug=pilot).first() if pilot else None
    if pilot and source is None:
        raise CannotForecast(
            f"pilot {pilot}: expected a study on the same scale, seen by you and by the whole "
            f"team, with at least {pilots.FEWEST_UNITS} completed units"
        )
    wanted = {"pilot": source, "replications": replications, "seed": seed, "asked_by": by}
    fresh = {"state": State.WAITING, "progress": 0.0, "tries": 0, "fault": ""}
    row, _ = Forecast.objects.update_or_create(
        study=study, defaults={**wanted, **fresh, "asked_at": clock.now()}
    )
    Study.objects.filter(pk=study.pk).update(pilot=None if source == study else source)
    trail.record(study, by, "asked for a forecast", pilot=pilot, replications=replications)
    return row


def _check(study: Study, replications: int, seed: int) -> None:
    for name, value in (("replications", replications), ("seed", seed)):
        if value not in (known := bounds(Forecast, name)):
            raise CannotForecast(f"{name}: {known.refuse(value)}")
    wanted = costs(study)
    if not wanted.topics:
        raise CannotForecast(f"Study {study} has no topics.")
    if wanted.too_small:
        raise CannotForecast(
            f"Topic {', '.join(wanted.too_small)}: fewer documents than a unit holds "
            f"({study.unit_size}); pool deeper, add runs, or make the units smaller."
        )


def version(study: Study, pilot: Study | None) -> str:
    """A text that changes whenever a forecast may come out differently."""
    settings = Study.objects.filter(pk=study.pk).values_list(*SETTINGS)
    labels = LabelSet.objects.filter(collection=study.collection_id, name=study.labels)
    sources: list[Any] = [
        VERSION,
        *settings,
        *labels.values_list("digest", flat=True),
        *study.topics.order_by("pk").values_list("topic", "pool", "h_k", "n_k"),
        study.topics.aggregate(last=Max("documents"), topics=Count("pk", distinct=True)),
        pilot and (pilot.pk, pilot.topics.aggregate(sum=Sum("revision"))["sum"]),
    ]
    return sha256(repr(sources).encode()).hexdigest()[:32]


def bring_up_to_date() -> int:
    """Compute forecasts that were asked for, unless somebody is at it; how many there were.

    One that was interrupted is found again, and begun anew.
    """
    return one_by_one(COMPUTING, lambda: _unfinished().order_by("asked_at").first(), _compute)


def _unfinished() -> QuerySet[Forecast]:
    return Forecast.objects.filter(state__in=UNFINISHED).select_related(
        "study__collection", "pilot"
    )


def _compute(row: Forecast) -> int:
    """Compute one forecast and keep it, or say why it could not be; an older one then stays."""
    row.begin(State.COMPUTING)
    began, known = time.monotonic(), version(row.study, row.pilot)
    refusals = NoPlan, pilots.TooLittle
    try:
        result, fault = attempt(
            row.tries, lambda: _result(row), refusals, f"forecast of {row.study}"
        )
    except Superseded:
        return 1
    if result is None:
        row.end(State.FAILED, fault)
    else:
        seconds = time.monotonic() - began
        done = {"result": result, "version": known, "computed_at": clock.now(), "seconds": seconds}
        row.end(State.DONE, "", **done)
    return 1


def _result(row: Forecast) -> dict[str, Any]:
    """What is kept of a forecast."""
    study, tell, begin = row.study, throttled_progress(row.save_progress), 0.0
    _check(study, row.replications, row.seed)
    design, likely, natures, judged = pools.design(study), None, [Nature()], 0
    if row.pilot:
        pilot, begin = pools.pilot(row.pilot), FITTING
        likely = pilots.fit(pilot, row.seed, lambda share: tell(FITTING * share))
        natures, judged = list(likely.natures), pilot.units
    points = forecasting.forecast(
        design,
        natures,
        row.replications,
        row.seed,
        lambda share: tell(begin + (1 - begin) * share),
    )
    labelled = [int((pool.labels == pool.labels).sum()) for pool in design.pools]
    situation = Situation(
        measure=pipeline.first_measure(study),
        topics=len(design.pools),
        judges=study.redundancy,
        unit_cost=costs(study).unit_cost,
        currency=study.currency,
        levels=design.levels,
        label_set=study.labels,
        documents=sum(pool.documents for pool in design.pools),
        labelled=sum(labelled),
        systems=len(design.pools[0].lists),
        pilot=row.pilot.slug if row.pilot else "",
        pilot_units=judged,
        replications=row.replications,
        seed=row.seed,
    )
    return kept(points, likely, situation)
