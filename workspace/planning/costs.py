import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import NamedTuple

from crowd import model, vectorised
from judging.models import Study
from judging.studies import table_one
from judging.studies.drawing import people_needed
from judging.studies.durations import expected_duration, whole_minutes
from judging.studies.unit_plans import CannotPlan
from workspace.planning.pools import TopicUnits, topic_units

HOUR = 3600


class NoPlan(CannotPlan):
    """The study is not of a kind that can be planned."""


class Basis(NamedTuple):
    """What is known of the people who come. units: behind it; 0: published, of another crowd."""

    study: str
    units: int
    mean_seconds: float  # of a unit
    median_seconds: float
    units_each: float  # that a worker completes, in the mean


@dataclass(frozen=True)
class Costs:
    """The whole plan, with units that are completed already."""

    topics: Sequence[TopicUnits]
    is_planned: bool  # else as the settings have it now
    basis: Basis
    max_units_each: int  # units that a worker may complete
    payment: Decimal  # of a unit
    platform_fee: Decimal
    currency: str
    minimum_hourly_pay: Decimal | None
    unit_size: int

    @property
    def documents(self) -> int:
        return sum(topic.documents for topic in self.topics)

    @property
    def units(self) -> int:
        return sum(topic.units for topic in self.topics)

    @property
    def min_workers(self) -> int:
        """If each does as many units as they may."""
        return self._workers(self.max_units_each)

    @property
    def workers(self) -> int:
        """If each does as many units as is usual."""
        return self._workers(min(self.basis.units_each, self.max_units_each))

    def _workers(self, units_each: float) -> int:
        return people_needed([topic.units for topic in self.topics], units_each)

    @property
    def hours(self) -> float:
        return self.units * self.basis.mean_seconds / HOUR

    @property
    def paid(self) -> Decimal:
        return self.units * self.payment

    @property
    def fee(self) -> Decimal:
        return self.paid * self.platform_fee

    @property
    def total(self) -> Decimal:
        return self.paid + self.fee

    @property
    def unit_cost(self) -> float:
        """With the platform's fee."""
        return float(self.payment * (1 + self.platform_fee))

    @property
    def hourly_pay(self) -> float:
        """At the median time, without the fee."""
        return float(self.payment) * HOUR / max(self.basis.median_seconds, 1)

    @property
    def minutes(self) -> int:
        """Of a unit at the median, as on Welcome."""
        return whole_minutes(self.basis.median_seconds)

    @property
    def pays_too_little(self) -> bool:
        return self.hourly_pay < float(self.minimum_hourly_pay or 0)

    @property
    def fair_payment(self) -> Decimal:
        """The least payment of a unit that reaches the minimum hourly pay at the median time."""
        minimum = float(self.minimum_hourly_pay or 0) * self.basis.median_seconds / HOUR
        return Decimal(math.ceil(100 * minimum)) / 100

    @property
    def too_small(self) -> list[str]:
        return [topic.query_id for topic in self.topics if topic.documents < self.unit_size]


def costs(study: Study, pilot: Study | None = None) -> Costs:
    """What a study costs, at the times of its own units, of a pilot's, or as published.

    A draft need not be planned: its units follow from the pools that its settings make.
    """
    if study.is_imported:
        raise NoPlan(f"Study {study} was judged elsewhere: there is nothing to plan.")
    topics = topic_units(study)
    max_units_each = study.max_units_each(len(topics))
    return Costs(
        topics=topics,
        is_planned=study.units.exists(),
        basis=basis(study, pilot, max_units_each),
        max_units_each=max_units_each,
        payment=study.payment,
        platform_fee=study.platform_fee,
        currency=study.currency,
        minimum_hourly_pay=study.minimum_pay,
        unit_size=study.unit_size,
    )


def basis(study: Study, pilot: Study | None, max_units_each: int) -> Basis:
    """Of this study, else of a pilot, else as published; times in proportion to the unit size."""
    time = expected_duration(study, pilot)
    if time.units:
        source = study if time.source == study.slug else pilot or study.pilot
        workers = len(table_one.workers(source)) if source else time.units
        return Basis(time.source, time.units, time.mean, time.median, time.units / workers)
    chances = model.chances_of_units(max(max_units_each, 1))
    usual = sum(units * chance for units, chance in enumerate(chances, 1))
    mean, median = vectorised.unit_seconds(study.unit_size)
    return Basis("", 0, time.median * mean / median, time.median, usual)
