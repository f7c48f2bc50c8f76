from django.conf import settings
from django.db import models
from django.db.models import Q

from judging.models.study import Study
from web.background.work import RequestedWork


class PlanJob(RequestedWork):
    class State(models.TextChoices):
        WAITING = "waiting"
        COMPUTING = "computing"
        DONE = "done"
        FAILED = "failed"

    UNFINISHED = (State.WAITING, State.COMPUTING)

    study = models.OneToOneField(Study, on_delete=models.CASCADE, related_name="plan_job")
    options = models.JSONField(default=dict, help_text="Depth, pool_by and seed, if not its own.")
    asked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    asked_at = models.DateTimeField()
    state = models.CharField(max_length=9, choices=State, default=State.WAITING)
    tries = models.PositiveSmallIntegerField(default=0, help_text="Begun since it was asked for.")
    progress = models.FloatField(default=0, help_text="Share of the topics that are planned.")
    fault = models.TextField(blank=True, help_text="Why it could not be planned.")
    result = models.JSONField(null=True, help_text="What was planned.")

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(state__in=["waiting", "computing", "done", "failed"]),
                name="plan_state_known",
            ),
            models.CheckConstraint(
                condition=Q(progress__gte=0, progress__lte=1), name="plan_progress_is_a_share"
            ),
            models.CheckConstraint(
                condition=Q(state="failed") ^ Q(fault=""), name="plan_fault_if_failed"
            ),
            models.CheckConstraint(
                condition=Q(state="done", result__isnull=False)
                | (~Q(state="done") & Q(result__isnull=True)),
                name="plan_done_has_a_result",
            ),
        ]

    def __str__(self) -> str:
        return f"plan of {self.study}"

    @property
    def waits(self) -> bool:
        return self.state in self.UNFINISHED
