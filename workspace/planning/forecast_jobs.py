"""Forecasts: requested, computed in the background, and stored until settings or data change."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from django.db import transaction
from django.db.models import Count, Q, QuerySet, Sum

from accounts.models import User
from crowd.vectorised import CrowdTraits
from evaluation import VERSION, pipeline
from evaluation.presentation.parts import Result
from judging.models import LabelSet, Study
from judging.models.team import seen_by_team_of
from judging.states import State as AssignmentState
from judging.studies import trail
from web import clock
from web.background.work import COMPUTING, Superseded, attempt, one_by_one, throttled_progress
from web.bounds import bounds
from workspace.models import Forecast
from workspace.planning import forecasting, pilots, pools
from workspace.planning.charts import figure
from workspace.planning.costs import NoPlan, costs
from workspace.planning.sentences import Context, assumptions, crowd_table, sentences

State = Forecast.State
REPLICATIONS = 100
SEED = 1
FITTING = 0.2  # of the progress, where there is a pilot
SETTINGS = (  # that a forecast depends on
    *("labels", "scale", "levels", "unit_size", "redundancy", "payment", "platform_fee"),
    *("currency", "pool_depth", "pool_by", "collection__revision"),
)


class CannotForecast(NoPlan):
    """A forecast cannot be requested; the message says why, and what was expected."""


@dataclass(frozen=True)
class RequestedForecast:
    row: Forecast
    is_current: bool

    @property
    def is_pending(self) -> bool:
        return self.row.state in Forecast.UNFINISHED


def forecast_of(study: Study) -> RequestedForecast | None:
    row = Forecast.objects.filter(study=study).select_related("study", "pilot").first()
    return None if row is None else RequestedForecast(row, row.version == version(study, row.pilot))


def pilots_for(study: Study, by: User | None) -> QuerySet[Study]:
    """The studies, by name, whose crowd a forecast may take, the study itself included.

    They have the same kind of scale and enough completed units. `by` (None: a command) and the
    whole team, who will read what their crowds are like, can see them.
    """
    visible = Q(pk=study.pk) | Q(pk__in=seen_by_team_of(study))
    units = Count("assignments", filter=Q(assignments__state=AssignmentState.COMPLETED))
    fitting = (
        Study.objects.filter(visible, scale=study.scale, levels__len=len(study.levels))
        .exclude(crowd__in=(Study.Crowd.IMPORTED, Study.Crowd.MODEL))
        .annotate(units_done=units)
        .filter(units_done__gte=pilots.MIN_UNITS)
        .order_by("slug")
    )
    return fitting if by is None else fitting.filter(pk__in=Study.objects.seen_by(by))


@transaction.atomic
def request_forecast(
    study: Study,
    by: User | None,
    *,
    pilot: str = "",
    replications: int = REPLICATIONS,
    seed: int = SEED,
) -> Forecast:
    """Request a forecast of a study, computed in the background.

    pilot: the name of the study whose crowd is to be expected; empty: the published one.
    """
    _check(study, replications, seed)
    pilot_study = pilots_for(study, by).filter(slug=pilot).first() if pilot else None
    if pilot and pilot_study is None:
        raise CannotForecast(
            f"pilot {pilot}: expected a study on the same scale, seen by you and by the whole "
            f"team, with at least {pilots.MIN_UNITS} completed units"
        )
    options = {"pilot": pilot_study, "replications": replications, "seed": seed, "asked_by": by}
    unfinished = {"state": State.WAITING, "progress": 0.0, "tries": 0, "fault": ""}
    row, _ = Forecast.objects.update_or_create(
        study=study, defaults={**options, **unfinished, "asked_at": clock.now()}
    )
    Study.objects.filter(pk=study.pk).update(pilot=None if pilot_study == study else pilot_study)
    trail.record(study, by, "asked for a forecast", pilot=pilot, replications=replications)
    return row


def _check(study: Study, replications: int, seed: int) -> None:
    for name, value in (("replications", replications), ("seed", seed)):
        if value not in (allowed := bounds(Forecast, name)):
            raise CannotForecast(f"{name}: {allowed.refuse(value)}")
    plan = costs(study)
    if not plan.topics:
        raise CannotForecast(f"Study {study} has no topics.")
    if plan.too_small:
        raise CannotForecast(
            f"Topic {', '.join(plan.too_small)}: fewer documents than a unit holds "
            f"({study.unit_size}); pool deeper, add runs, or make the units smaller."
        )


def version(study: Study, pilot: Study | None) -> str:
    """A digest of everything that a forecast depends on."""
    settings = Study.objects.values(*SETTINGS).get(pk=study.pk)
    settings["pool_by"] = settings["pool_by"] or "rank"  # as planning sets it
    labels = LabelSet.objects.filter(collection=study.collection_id, name=study.labels)
    sources: list[Any] = [
        VERSION,
        *settings.values(),
        *labels.values_list("digest", flat=True),
        *_topics(study),
        pilot and (pilot.pk, pilot.topics.aggregate(sum=Sum("revision"))["sum"]),
    ]
    return sha256(repr(sources).encode()).hexdigest()[:32]


def _topics(study: Study) -> Iterator[tuple[Any, ...]]:
    """Their pools and anchors, but for anchors that a plan draws: planning changes no forecast."""
    for topic in study.topics.order_by("pk"):
        anchors = ("", "") if topic.anchors_are_replaceable else (topic.h_k, topic.n_k)
        yield (topic.topic_id, topic.pool, *anchors)


def run_pending_forecasts() -> int:
    """Unless another process does; returns how many there were. Interrupted ones begin again."""
    return one_by_one(COMPUTING, lambda: _unfinished().order_by("asked_at").first(), _compute)


def _unfinished() -> QuerySet[Forecast]:
    return Forecast.unfinished().select_related("study__collection", "pilot")


def _compute(row: Forecast) -> int:
    """Compute one forecast and store it, or store why it failed; an older result then stays."""
    row.begin(State.COMPUTING)
    started, current = time.monotonic(), version(row.study, row.pilot)
    refusals = NoPlan, pilots.TooFewUnits
    try:
        result, fault = attempt(
            row.tries, lambda: _result(row), refusals, f"forecast of {row.study}"
        )
    except Superseded:
        return 1
    if result is None:
        row.end(State.FAILED, fault)
    else:
        seconds = time.monotonic() - started
        values = {"result": result, "version": current, "seconds": seconds}
        row.end(State.DONE, "", computed_at=clock.now(), **values)
    return 1


def _result(row: Forecast) -> dict[str, Any]:
    study, report, done = row.study, throttled_progress(row.save_progress), 0.0
    _check(study, row.replications, row.seed)
    design, posterior, trait_draws, pilot_units = pools.design(study), None, [CrowdTraits()], 0
    if row.pilot:
        pilot, done = pools.pilot(row.pilot), FITTING
        posterior = pilots.fit(pilot, row.seed, lambda share: report(FITTING * share))
        trait_draws, pilot_units = list(posterior.trait_draws), pilot.units
    unit_cost = costs(study).unit_cost
    rows = forecasting.forecast(
        design,
        trait_draws,
        row.replications,
        row.seed,
        lambda share: report(done + (1 - done) * share),
        unit_cost=unit_cost,
    )
    labelled = [int((pool.labels == pool.labels).sum()) for pool in design.pools]
    context = Context(
        measure=pipeline.first_measure(study),
        topics=len(design.pools),
        judges=study.redundancy,
        unit_cost=unit_cost,
        currency=study.currency,
        levels=design.levels,
        label_set=study.labels,
        documents=sum(pool.documents for pool in design.pools),
        labelled=sum(labelled),
        systems=len(design.pools[0].lists),
        pilot=row.pilot.slug if row.pilot else "",
        pilot_units=pilot_units,
        replications=row.replications,
        seed=row.seed,
    )
    return forecast_result(rows, posterior, context)


def forecast_result(
    rows: Sequence[forecasting.Row], posterior: pilots.Posterior | None, context: Context
) -> dict[str, Any]:
    """In the form of the results of analyses, with `assumes`, a list of sentences."""
    names = ("replications", "seed", "pilot", "pilot_units")
    numbers = {name: getattr(context, name) for name in names}
    fitted = [crowd_table(posterior)] if posterior else []
    analysed = Result(list(sentences(rows, context)), [figure(rows, context), *fitted], numbers)
    return analysed.to_json("forecast") | {"assumes": list(assumptions(posterior, context))}
