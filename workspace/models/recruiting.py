"""Recruiting on Prolific: connections, studies there, their submissions, and bonuses."""

from datetime import datetime
from decimal import Decimal
from typing import Any, ClassVar
from uuid import uuid4

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.deletion import Collector

from judging.models import Payment, Study
from judging.models.sealed_ids import IdKeys, SealedQuerySet, WithSealedId
from judging.studies.faults import BadStudy
from web import sealed_ids
from web.bounds import between, bounded

MAX_ID = 64  # characters of an id of Prolific's
OVER = ("", "UNPUBLISHED", "COMPLETED")  # of a study there: nobody takes part or waits for money


def unless_it_runs(
    collector: Collector, field: Any, rows: "models.QuerySet[ProlificStudy]", using: str
) -> None:
    """Delete what is known of studies on Prolific with our own, unless one runs there still.

    Raises:
        BadStudy: people take part there, or wait for review.
    """
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
    """A workspace of Prolific's, and what the site needs to act in it. Its studies share it.

    The token and the secret of its events are encrypted.
    """

    workspace_id = models.CharField(max_length=MAX_ID, unique=True)
    title = models.CharField(max_length=200, help_text="As the workspace is called there.")
    sealed_token = models.TextField()
    token_end = models.CharField(max_length=4, help_text="The token's last letters.")
    key = models.UUIDField(default=uuid4, unique=True, help_text="In the address of its events.")
    sealed_secret = models.TextField(blank=True)
    subscription_id = models.CharField(max_length=MAX_ID, blank=True)
    subscribed_at = models.DateTimeField(null=True)
    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    made_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=~Q(sealed_token=""), name="connection_has_a_token"),
            models.CheckConstraint(
                condition=Q(subscription_id="", subscribed_at__isnull=True)
                | (~Q(subscription_id="") & ~Q(sealed_secret="") & Q(subscribed_at__isnull=False)),
                name="events_are_signed",
            ),
        ]

    def __str__(self) -> str:
        return self.title


class ProlificStudyQuerySet(models.QuerySet["ProlificStudy"]):
    """Queries of studies on Prolific."""

    def locked(self) -> "ProlificStudyQuerySet":
        """Their rows locked until the transaction ends."""
        return self.select_for_update(of=("self",), no_key=True)

    def to_read(self, before: datetime) -> "ProlificStudyQuerySet":
        """Those to be read again: under way, not read since `before`."""
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
        """Whether people may take part there or wait for money, as was last read."""
        return bool(self.asked) or self.status not in OVER


class ProlificSubmissionQuerySet(SealedQuerySet):
    """Queries of submissions."""

    def in_a_place(self) -> "ProlificSubmissionQuerySet":
        """Those that take up a place."""
        return self.exclude(status__in=("RETURNED", "TIMED-OUT", "REJECTED", "SCREENED OUT"))

    def unsettled(self) -> "ProlificSubmissionQuerySet":
        """Those of which Prolific will say more."""
        return self.filter(status__in=("RESERVED", "ACTIVE", "AWAITING REVIEW"))

    def to_seal(self, keys: IdKeys) -> "ProlificSubmissionQuerySet":
        """Those with an id, of participant or submission, that is not sealed by these keys."""
        sealing, lookup = f"{keys.sealing}.", sealed_ids.lookup_begins(keys.lookup)
        participant = Q(sealed__startswith=sealing, found_by__startswith=lookup) | Q(found_by="")
        submission = Q(
            sealed_submission__startswith=sealing, submission_found_by__startswith=lookup
        )
        return self.exclude(participant & submission)


class ProlificSubmission(WithSealedId):
    """A submission as Prolific's API said last.

    `participant_id` and `submission_id` are personal data, sealed each by itself: that of the
    participant may be deleted alone.
    """

    COLUMNS = ("found_by", "sealed", "submission_found_by", "sealed_submission")

    recruiting = models.ForeignKey(
        ProlificStudy, on_delete=models.CASCADE, related_name="submissions"
    )
    submission_found_by = models.CharField(
        max_length=MAX_ID, unique=True, db_column="submission_id"
    )
    sealed_submission = models.TextField(blank=True, default="", db_default="", editable=False)
    found_by = models.CharField(
        max_length=MAX_ID,
        blank=True,
        db_column="participant_id",
        help_text="Empty: deleted on request.",
    )
    status = models.CharField(max_length=20)
    code = models.CharField(max_length=100, blank=True, help_text="That they entered there.")
    started_at = models.DateTimeField(null=True)
    return_requested_at = models.DateTimeField(null=True)
    read_at = models.DateTimeField(help_text="When it was first read as it stands here.")
    asked_about = models.BooleanField(
        default=False, help_text="A person was asked what to pay, as it is over there."
    )

    objects: ClassVar[Any] = ProlificSubmissionQuerySet.as_manager()

    class Meta:
        indexes = [models.Index(fields=["recruiting", "found_by"], name="of_participant")]

    def __str__(self) -> str:
        return f"submission {self.pk} ({self.status})"

    def about(self) -> str:
        """The participant's id is sealed for one submission."""
        return f"submission {self.submission_id} on Prolific"

    @property
    def submission_id(self) -> str:
        """Prolific's id of it."""
        if "_submission_id" not in self.__dict__:
            self.__dict__["_submission_id"] = (
                sealed_ids.opened(self.sealed_submission, self._about_itself())
                if self.sealed_submission
                else self.submission_found_by
            )
        return str(self.__dict__["_submission_id"])

    @submission_id.setter
    def submission_id(self, submission_id: str) -> None:
        self.__dict__["_submission_id"] = submission_id
        self.__dict__["_is_new"] = True

    def _about_itself(self) -> str:
        return f"submission found by {self.submission_found_by}"

    def _keep(self, content: dict[str, Any], keys: tuple[str, str] | None) -> None:
        submission_id = self.submission_id
        super()._keep(content, keys)
        self.submission_found_by, self.sealed_submission = submission_id, ""
        if keys:
            sealing, lookup = keys
            self.submission_found_by = sealed_ids.lookup(submission_id, lookup)
            self.sealed_submission = sealed_ids.sealed(submission_id, self._about_itself(), sealing)

    def refresh_from_db(self, *arguments: Any, **options: Any) -> None:
        """As Django's; what was open is closed."""
        self.__dict__.pop("_submission_id", None)
        super().refresh_from_db(*arguments, **options)

    @property
    def participant_id(self) -> str:
        """Prolific's id of who has sent it."""
        return self.external_id

    @participant_id.setter
    def participant_id(self, participant_id: str) -> None:
        self.external_id = participant_id


class ProlificEvent(WithSealedId):
    """An event that Prolific sent: which submission is to be read, and nothing else of it.

    Its id is deleted once that is done; the event stays, as it may come again.
    """

    connection = models.ForeignKey(
        ProlificConnection, on_delete=models.CASCADE, related_name="events"
    )
    event_id = models.CharField(max_length=100, unique=True)
    found_by = models.CharField(
        max_length=MAX_ID, blank=True, db_column="submission_id", help_text="Empty: handled."
    )
    came_at = models.DateTimeField()
    handled_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [
            models.Index(fields=["id"], condition=Q(handled_at=None), name="events_to_handle")
        ]

    def __str__(self) -> str:
        return f"event {self.event_id}"

    def about(self) -> str:
        """It is sealed for one event."""
        return f"event {self.event_id} of Prolific"


class ProlificBonus(models.Model):
    """Bonuses that are paid together. Prolific pays each time it is asked, so it is asked once."""

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
    """What one unit has in a bonus: in one that is not dropped, it stands once."""

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
