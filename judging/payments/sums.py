from collections.abc import Iterable
from decimal import Decimal
from typing import NamedTuple

from django.db.models import Count, F, Sum, Value
from django.db.models.functions import Coalesce

from judging.models import Payment, Study

State = Payment.State


class Share(NamedTuple):
    """Amounts are without the platform's fee."""

    number: int
    amount: Decimal


class PlatformSums(NamedTuple):
    """platform: empty where none sent them, or its ids are deleted."""

    platform: str
    currency: str
    by_state: dict[str, Share]

    @property
    def is_open(self) -> bool:
        return any(self.by_state[state].number for state in Payment.OPEN)


def sums(study: Study) -> list[PlatformSums]:
    platform = Coalesce(F("assignment__worker__account__platform"), Value(""))
    rows = (
        Payment.objects.of_study(study)
        .values("currency", "state", platform=platform)
        .annotate(number=Count("pk"), total=Sum("amount"))
        .order_by("platform", "currency")
    )
    by_platform: dict[tuple[str, str], dict[str, Share]] = {}
    for row in rows:
        nothing = {state.value: Share(0, Decimal(0)) for state in State}
        of_platform = by_platform.setdefault((row["platform"], row["currency"]), nothing)
        of_platform[row["state"]] = Share(row["number"], row["total"])
    return [PlatformSums(*key, by_state) for key, by_state in by_platform.items()]


def still_to_pay(by_platform: Iterable[PlatformSums]) -> dict[str, Decimal]:
    amounts: dict[str, Decimal] = {}
    for row in by_platform:
        if row.is_open:
            still = sum((row.by_state[state].amount for state in Payment.OPEN), Decimal(0))
            amounts[row.currency] = amounts.get(row.currency, Decimal(0)) + still
    return amounts
