"""Recruiting on Prolific: connections, studies there, their submissions, and bonuses."""

from contextlib import suppress
from datetime import datetime
from decimal import Decimal
from typing import Any
from uuid import uuid4

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.deletion import Collector
from django.db.models.expressions import Combinable
from django.db.models.signals import post_delete
from django.dispatch import receiver

from judging.models import Payment, PlatformAccount, Study
from judging.studies.faults import BadStudy
from web.bounds import between, bounded
from web.encryption import CannotDecrypt, EncryptedField, digest_field, digests

MAX_ID = 64  # characters of an id of Prolific's
OVER = ("", "UNPUBLISHED", "COMPLETED")  # of a study there: nobody takes part or waits for money


def unless_it_runs(
    collector: Collector, field: Any, rows: "models.QuerySet[ProlificStudy]", using: str
) -> None:
    """Delete rows with our study; BadStudy if people take part on Prolific, or wait for review."""
    for each in ProlificStudy.objects.filter(pk__in=rows.values("pk")).select_related("study"):
        if each.runs:
            raise BadStudy(
                f"On Prolific study {each.study.slug} is {each.status.lower() or 'being made'}: "
                "people take part, or wait to be paid. Stop it there and approve or reject what "
                "was sent first, on the page Prolific."
            )
    models.CASCADE(collector, field, rows, using)


unless_it_runs.lazy_sub_objs = True  # type: ignore[attr-defined]


class ProlificConnection(models.Model):
    """A workspace of Prolific's, and what the site needs to act in it. Its studies share it."""

    workspace_id = models.CharField(max_length=MAX_ID, unique=True)
    title = models.CharField(max_length=200, help_text="As the workspace is called there.")
    token = EncryptedField(row=("workspace_id",))
    token_end = models.CharField(max_length=4, help_text="The token's last letters.")
    key = models.UUIDField(default=uuid4, unique=True, help_text="In the address of its events.")
    secret = EncryptedField(row=("workspace_id",), help_text="Of its events.")
    subscription_id = models.CharField(max_length=MAX_ID, blank=True)
    subscribed_at = models.DateTimeField(null=True)
    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    made_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=~Q(token=""), name="connection_has_a_token"),
            models.CheckConstraint(
                condition=Q(subscription_id="", subscribed_at__isnull=True)
                | (~Q(subscription_id="") & ~Q(secret="") & Q(subscribed_at__isnull=False)),
                name="events_are_signed",
            ),
        ]

    def __str__(self) -> str:
        return self.title


class ProlificStudyQuerySet(models.QuerySet["ProlificStudy"]):
    def locked(self) -> "ProlificStudyQuerySet":
        return self.select_for_update(of=("self",), no_key=True)

    def to_read(self, before: datetime | Combinable) -> "ProlificStudyQuerySet":
        """Those under way that were not read since `before`."""
        unsettled = ProlificSubmission.objects.unsettled().filter(recruiting=models.OuterRef("pk"))
        under_way = ~Q(status__in=("", "COMPLETED")) | ~Q(asked="")
        with_bonuses = Q(bonuses__state=ProlificBonus.State.PAYING)
        of_interest = under_way | Q(models.Exists(unsettled)) | with_bonuses
        waiting = Q(read_at=None) | Q(read_at__lt=before)
        return self.exclude(prolific_id="", asked="").filter(of_interest, waiting).distinct()


@bounded
class ProlificStudy(models.Model):
    """How one of our studies is recruited for on Prolific. Money is in hundredths there.

    `asked` is the pending call: saved before it is sent, cleared after the answer, and settled by a
    sync, so that a crash between the two neither loses nor repeats it.
    """

    class PendingCall(models.TextChoices):
        NOTHING = "", "nothing"
        CREATE = "create"
        PUBLISH = "publish"
        PLACES = "places"

    study = models.OneToOneField(Study, on_delete=unless_it_runs, related_name="prolific")
    connection = models.ForeignKey(
        ProlificConnection, on_delete=models.PROTECT, related_name="studies"
    )
    key = models.UUIDField(default=uuid4, unique=True, help_text="In its internal name there.")
    prolific_id = models.CharField(max_length=MAX_ID, blank=True)
    status = models.CharField(max_length=20, blank=True, help_text="As last read.")
    currency = models.CharField(max_length=3, blank=True)
    places = models.PositiveIntegerField(default=0)
    reward = models.PositiveIntegerField(default=0, help_text="For a submission, in hundredths.")
    places_cost = models.PositiveBigIntegerField(
        default=0, help_text="All published places with all fees, in hundredths."
    )
    spending_limit = models.DecimalField(
        max_digits=10, decimal_places=2, default=0, validators=between(0, Decimal("99999999.99"))
    )
    asked = models.CharField(
        max_length=7, choices=PendingCall, default=PendingCall.NOTHING, blank=True
    )
    asked_places = models.PositiveIntegerField(default=0)
    asked_cost = models.PositiveBigIntegerField(default=0)
    asked_at = models.DateTimeField(null=True)
    read_at = models.DateTimeField(null=True, help_text="When its submissions were read last.")
    there_read_at = models.DateTimeField(null=True, help_text="When the study itself was.")
    fault = models.TextField(blank=True, help_text="Why they could not be read last.")

    objects = ProlificStudyQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["prolific_id"], condition=~Q(prolific_id=""), name="prolific_study_once"
            ),
            models.CheckConstraint(
                condition=Q(asked__in=["", "create", "publish", "places"]), name="asked_known"
            ),
            models.CheckConstraint(
                condition=Q(asked="", asked_at__isnull=True)
                | (~Q(asked="") & Q(asked_at__isnull=False)),
                name="asked_at_a_time",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.study} on Prolific"

    @property
    def runs(self) -> bool:
        """Whether people may take part there or wait for money, as of the last sync."""
        return bool(self.asked) or self.status not in OVER


class ProlificSubmissionQuerySet(models.QuerySet["ProlificSubmission"]):
    def in_a_place(self) -> "ProlificSubmissionQuerySet":
        return self.exclude(status__in=("RETURNED", "TIMED-OUT", "REJECTED", "SCREENED OUT"))

    def unsettled(self) -> "ProlificSubmissionQuerySet":
        """Those whose status may change."""
        return self.filter(status__in=("RESERVED", "ACTIVE", "AWAITING REVIEW"))


class ProlificSubmission(models.Model):
    """A submission as of the last sync.

    Its id and the participant's are personal data; the participant's is emptied on request.
    """

    recruiting = models.ForeignKey(
        ProlificStudy, on_delete=models.CASCADE, related_name="submissions"
    )
    submission_id_hash = digest_field(unique=True)
    submission_id = EncryptedField(row=("submission_id_hash",), digest="submission_id_hash")
    participant_id_hash = digest_field(blank=True, help_text="Empty: deleted on request.")
    participant_id = EncryptedField(row=("submission_id_hash",), digest="participant_id_hash")
    status = models.CharField(max_length=20)
    code = models.CharField(max_length=100, blank=True, help_text="That they entered there.")
    started_at = models.DateTimeField(null=True)
    return_requested_at = models.DateTimeField(null=True)
    read_at = models.DateTimeField(help_text="When it was first read as it stands here.")
    asked_about = models.BooleanField(
        default=False, help_text="A person was asked what to pay, as it is over there."
    )

    objects = ProlificSubmissionQuerySet.as_manager()

    class Meta:
        indexes = [
            models.Index(fields=["recruiting", "participant_id_hash"], name="of_participant")
        ]

    def __str__(self) -> str:
        return f"submission {self.pk} ({self.status})"


class ProlificEvent(models.Model):
    """An event that Prolific sent: which submission is to be read, and nothing else of it.

    Its id is deleted once that is done; the event stays, as it may come again.
    """

    connection = models.ForeignKey(
        ProlificConnection, on_delete=models.CASCADE, related_name="events"
    )
    event_id = models.CharField(max_length=100, unique=True)
    submission_id = EncryptedField(row=("event_id",), help_text="Empty: handled.")
    came_at = models.DateTimeField()
    handled_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [
            models.Index(fields=["id"], condition=Q(handled_at=None), name="events_to_handle")
        ]

    def __str__(self) -> str:
        return f"event {self.event_id}"


class ProlificBonus(models.Model):
    """Bonuses that are paid together. Prolific pays at each call, so it is called once."""

    class State(models.TextChoices):
        SET_UP = "set up", "Set up, not paid"
        PAYING = "paying", "Asked to be paid"
        PAID = "paid"
        DROPPED = "dropped", "Never paid"

    recruiting = models.ForeignKey(ProlificStudy, on_delete=models.CASCADE, related_name="bonuses")
    bulk_id = models.CharField(max_length=MAX_ID, unique=True)
    total = models.PositiveBigIntegerField(help_text="With all fees, in hundredths.")
    state = models.CharField(max_length=7, choices=State, default=State.SET_UP)
    state_at = models.DateTimeField()
    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )

    class Meta:
        verbose_name_plural = "bonuses on Prolific"
        constraints = [
            models.CheckConstraint(
                condition=Q(state__in=["set up", "paying", "paid", "dropped"]),
                name="bonus_state_known",
            )
        ]

    def __str__(self) -> str:
        return f"bonus {self.bulk_id} ({self.state})"


class ProlificBonusPart(models.Model):
    """The share of one unit: at most one in bonuses that are not dropped."""

    bonus = models.ForeignKey(ProlificBonus, on_delete=models.CASCADE, related_name="parts")
    payment = models.ForeignKey(Payment, on_delete=models.CASCADE, related_name="+")
    submission = models.ForeignKey(
        ProlificSubmission, on_delete=models.SET_NULL, null=True, related_name="bonus_parts"
    )
    amount = models.PositiveIntegerField(help_text="For the worker, in hundredths.")
    dropped = models.BooleanField(default=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["payment"], condition=Q(dropped=False), name="bonus_once_a_unit"
            )
        ]

    def __str__(self) -> str:
        return f"{self.amount} of {self.bonus_id}"


@receiver(post_delete, sender=PlatformAccount)
def purge_participant_id(instance: PlatformAccount, **_: Any) -> None:
    """An id that is deleted on request is deleted here as well; a sync never fills it again.

    Both rows have the same digest, except while keys are rotated; an id that no key decrypts can
    still be deleted.
    """
    hashes = {instance.external_id_hash}
    with suppress(CannotDecrypt):
        hashes |= set(digests(instance.external_id))
    recruiting = ProlificStudy.objects.filter(study=instance.study_id).values("pk")
    of_study = ProlificSubmission.objects.filter(recruiting__in=recruiting)
    of_participant = of_study.filter(participant_id_hash__in=hashes)
    of_participant.update(participant_id_hash="", participant_id="")
