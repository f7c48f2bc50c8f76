from django.conf import settings
from django.db import models
from django.db.models import Q

from evaluation.models import Numbers
from judging.models import Study
from web.background.work import RequestedWork
from web.bounds import bounded, whole_between


@bounded
class Forecast(RequestedWork):
    """The forecast of a study that was requested last.

    Until it is done, `result` is that of the one before, if any.
    """

    class State(models.TextChoices):
        WAITING = "waiting"
        COMPUTING = "computing"
        DONE = "done"
        FAILED = "failed"

    UNFINISHED = (State.WAITING, State.COMPUTING)

    study = models.OneToOneField(Study, on_delete=models.CASCADE, related_name="forecast")
    pilot = models.ForeignKey(
        Study,
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
        help_text="Whose crowd is expected; none: the published one.",
    )
    replications = models.PositiveSmallIntegerField(
        validators=whole_between(20, 500), help_text="How many studies are simulated."
    )
    seed = models.PositiveIntegerField(
        validators=whole_between(0, 2**31 - 1), help_text="Of all draws."
    )
    asked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    asked_at = models.DateTimeField()
    state = models.CharField(max_length=9, choices=State, default=State.WAITING)
    tries = models.PositiveSmallIntegerField(default=0, help_text="Begun since it was asked for.")
    progress = models.FloatField(default=0, help_text="Share done of what is being computed.")
    fault = models.TextField(blank=True, help_text="Why the last one could not be computed.")
    version = models.CharField(max_length=32, blank=True, help_text="Of the result's settings.")
    result = models.JSONField(null=True, decoder=Numbers)
    computed_at = models.DateTimeField(null=True)
    seconds = models.FloatField(null=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(state__in=["waiting", "computing", "done", "failed"]),
                name="forecast_state_known",
            ),
            models.CheckConstraint(
                condition=Q(progress__gte=0, progress__lte=1), name="forecast_progress_is_a_share"
            ),
            models.CheckConstraint(
                condition=Q(state="failed") ^ Q(fault=""), name="forecast_fault_if_failed"
            ),
            models.CheckConstraint(
                condition=Q(computed_at__isnull=True, seconds__isnull=True, result__isnull=True)
                & ~Q(state="done")
                | Q(computed_at__isnull=False, seconds__isnull=False, result__isnull=False),
                name="forecast_done_has_a_result",
            ),
        ]

    def __str__(self) -> str:
        return f"forecast of {self.study}"
