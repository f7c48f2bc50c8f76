from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.db import models
from django.db.models import Q

from judging.models.assignment import Assignment

if TYPE_CHECKING:
    from judging.models.study import Study


class PaymentQuerySet(models.QuerySet["Payment"]):
    def of_study(self, study: "Study") -> "PaymentQuerySet":
        return self.filter(assignment__study=study)

    def locked(self) -> "PaymentQuerySet":
        """In the order of their keys, until the transaction ends."""
        return self.order_by("pk").select_for_update(of=("self",), no_key=True)

    def open(self) -> "PaymentQuerySet":
        return self.filter(state__in=Payment.OPEN)

    def with_worker(self) -> "PaymentQuerySet":
        return self.select_related("assignment__worker__account", "decided_by")


class Payment(models.Model):
    """Stored whatever happens to its unit's data; `judging.payments` alone changes it."""

    class Kind(models.TextChoices):
        BASE = "base", "for a unit"
        BONUS = "bonus", "bonus for a further unit"
        SCREEN_OUT = "screen-out", "for coming"

    class State(models.TextChoices):
        OWED = "owed"
        APPROVED = "approved"
        PAID = "paid"
        REFUSED = "refused"

    OPEN = (State.OWED, State.APPROVED)

    assignment = models.ForeignKey(  # "payment_once" is its index
        Assignment, on_delete=models.CASCADE, related_name="payments", db_index=False
    )
    kind = models.CharField(max_length=10, choices=Kind, default=Kind.BASE)
    amount = models.DecimalField(
        max_digits=8, decimal_places=2, help_text="Without the platform's fee."
    )
    currency = models.CharField(max_length=3)
    state = models.CharField(max_length=8, choices=State, default=State.OWED)
    state_at = models.DateTimeField(help_text="Since when it is in this state.")
    category = models.CharField(
        max_length=20, blank=True, help_text="What kind of refusal it is, as the platform says."
    )
    reason = models.TextField(blank=True, help_text="Why it is refused, in words.")
    question = models.TextField(
        blank=True, help_text="What somebody is asked to decide: a platform tells otherwise."
    )
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
        help_text="Nobody: it has just been earned, or a command decided.",
    )

    objects = PaymentQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["assignment", "kind"], name="payment_once"),
            models.CheckConstraint(condition=Q(amount__gt=0), name="payment_of_something"),
            models.CheckConstraint(
                condition=(Q(state="refused") & ~Q(reason="") & ~Q(category=""))
                | (~Q(state="refused") & Q(reason="", category="")),
                name="refused_for_a_reason",
            ),
            models.CheckConstraint(
                condition=Q(state__in=["owed", "approved", "paid", "refused"]),
                name="payment_state_known",
            ),
            models.CheckConstraint(
                condition=Q(kind__in=["base", "bonus", "screen-out"]), name="payment_kind_known"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.amount} {self.currency} of {self.assignment_id} ({self.state})"

    @property
    def account(self) -> Any:
        """On a platform; None: no platform sent them."""
        return getattr(self.assignment.worker, "account", None)
