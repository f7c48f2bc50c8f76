"""An attempt at a unit, and all its data. Written by `judging.flow` alone."""

from datetime import datetime

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q
from django.db.models.expressions import Combinable
from django.db.models.functions import Now

from judging.levels import MAX_LEVELS
from judging.models.study import PooledDocument, Study, StudyTopic
from judging.models.unit import Unit
from judging.models.worker import Worker
from judging.numbers import MAX_SCORE, MIN_SCORE
from judging.states import LIVE, OCCUPYING, PAID, State
from web.bounds import between, bounded, whole_between

MAX_BROWSER_SECONDS = 1_000_000  # what a browser claims beyond that is nonsense


class AssignmentQuerySet(models.QuerySet["Assignment"]):
    def live(self) -> "AssignmentQuerySet":
        return self.filter(state__in=LIVE)

    def before_judgment(self) -> "AssignmentQuerySet":
        """Those in progress whose worker has not sent the first document yet."""
        return self.live().filter(~Q(state=State.REVISING), furthest__lte=1)

    def overdue(self, now: datetime | Combinable) -> "AssignmentQuerySet":
        return self.live().filter(deadline_at__lt=now)

    def completed(self) -> "AssignmentQuerySet":
        """Those whose judgments count."""
        return self.filter(state=State.COMPLETED)

    def not_excluded(self) -> "AssignmentQuerySet":
        return self.filter(worker__excluded_at=None)

    def paid(self) -> "AssignmentQuerySet":
        """Those that earned a completion code, whatever has happened to their data since."""
        return self.filter(completion_code__isnull=False)

    def with_place(self) -> "AssignmentQuerySet":
        """Those by which a worker has a place in the study: in progress, or paid."""
        return self.filter(Q(state__in=LIVE) | Q(completion_code__isnull=False))

    def codes(self) -> list[str]:
        """Oldest first."""
        paid = self.paid().order_by("finished_at")
        return [code for code in paid.values_list("completion_code", flat=True) if code]

    def locked(self, *, skip: bool = False) -> "AssignmentQuerySet":
        return self.select_for_update(of=("self",), no_key=True, skip_locked=skip)


class Assignment(models.Model):
    """One worker's attempt at one unit; its row stays for ever.

    Every page of a worker updates it: no index may have a column that changes with every page
    (position, deadline).
    """

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="assignments")
    study_topic = models.ForeignKey(StudyTopic, on_delete=models.CASCADE)
    unit = models.ForeignKey(Unit, on_delete=models.CASCADE, related_name="assignments")
    worker = models.ForeignKey(  # "latest_of_worker" is its index
        Worker, on_delete=models.CASCADE, related_name="assignments", db_index=False
    )
    token = models.CharField(max_length=22, help_text="Names it in the forms.")
    state = models.CharField(
        max_length=12, choices=[(s.value, s.value.capitalize()) for s in State]
    )

    lines = ArrayField(
        models.PositiveSmallIntegerField(),
        help_text="Lengths, in order shown; none of a language model.",
    )
    line_scores = ArrayField(models.FloatField(), default=list)
    practice_step = models.PositiveSmallIntegerField(default=0, help_text="0: text; 1 to 3: line.")
    wrong_answers = models.PositiveSmallIntegerField(
        default=0, help_text="To the question on the topic."
    )
    option_order = ArrayField(models.PositiveSmallIntegerField(), size=4)
    order = ArrayField(models.BigIntegerField(), help_text="Pooled documents, in order shown.")

    position = models.PositiveSmallIntegerField(default=0, help_text="The page they are on.")
    furthest = models.PositiveSmallIntegerField(default=0, help_text="The furthest page reached.")
    version = models.PositiveIntegerField(
        default=0,
        db_default=0,
        help_text="Raised by whatever happens in it: a form names the one it was shown at.",
    )
    back_steps = models.PositiveIntegerField(default=0, help_text="Before the first Finish.")
    revise_steps = models.PositiveIntegerField(default=0, help_text="After the first Finish.")
    failed_finishes = models.PositiveIntegerField(default=0)
    # The topic is not offered to the worker again: documents seen, or the question failed.
    barred = models.BooleanField(default=False)

    started_at = models.DateTimeField()
    active_at = models.DateTimeField()
    deadline_at = models.DateTimeField()
    progressed_at = models.DateTimeField(
        db_default=Now(), help_text="When the worker last came to another step or page."
    )
    finished_at = models.DateTimeField(null=True)
    seconds = ArrayField(models.FloatField(), null=True, help_text="By position, when it ended.")
    payment = models.DecimalField(
        max_digits=8, decimal_places=2, help_text="As it was at the start."
    )
    completion_code = models.CharField(max_length=16, null=True)  # noqa: DJ001
    texts_version = models.CharField(
        max_length=24,
        blank=True,
        default="",
        db_default="",
        help_text="Of the texts that workers read when it began; empty: not known.",
    )

    objects = AssignmentQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["token"], name="token_once"),
            models.UniqueConstraint(fields=["completion_code"], name="code_once"),
            models.UniqueConstraint(
                fields=["unit"], condition=Q(state__in=OCCUPYING), name="one_holder_a_unit"
            ),
            models.UniqueConstraint(
                fields=["worker"], condition=Q(state__in=LIVE), name="one_live_a_worker"
            ),
            models.UniqueConstraint(
                fields=["worker", "study_topic"],
                condition=Q(barred=True),
                name="topic_once_a_worker",
            ),
            models.CheckConstraint(condition=Q(furthest=0) | Q(barred=True), name="seen_bars"),
            models.CheckConstraint(
                condition=Q(state__in=LIVE, finished_at__isnull=True, seconds__isnull=True)
                | (~Q(state__in=LIVE) & Q(finished_at__isnull=False, seconds__isnull=False)),
                name="ended_has_its_end",
            ),
            models.CheckConstraint(
                condition=Q(state__in=PAID, completion_code__isnull=False)
                | Q(state=State.EXHAUSTED)  # the study says whether it is paid
                | (~Q(state__in=PAID) & Q(completion_code__isnull=True))
                | Q(lines__len=0, payment=0, completion_code__isnull=True),  # of a language model
                name="code_when_completed",
            ),
            models.CheckConstraint(
                condition=~Q(state__in=(*PAID, State.EXHAUSTED))
                | Q(furthest=F("order__len"), seconds__len=F("order__len")),
                name="completed_saw_all",
            ),
            models.CheckConstraint(
                condition=Q(position__lte=F("furthest") + 1), name="page_within_reach"
            ),
            models.CheckConstraint(
                condition=Q(position=0, furthest=0)
                | ~Q(state__in=[State.PRACTICE, State.INSTRUCTIONS, State.TOPIC]),
                name="documents_after_topic",
            ),
        ]
        indexes = [
            models.Index(fields=["worker", "-id"], name="latest_of_worker"),
            models.Index(
                fields=["study_topic"],
                condition=Q(state=State.COMPLETED),
                name="completed_of_topic",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.token} ({self.state})"

    @property
    def is_live(self) -> bool:
        return self.state in LIVE

    @property
    def last(self) -> int:
        return len(self.order)


@bounded
class Visit(models.Model):
    """One showing of one document page, by the server's clock."""

    assignment = models.ForeignKey(Assignment, on_delete=models.CASCADE, related_name="visits")
    position = models.PositiveSmallIntegerField()
    opened_at = models.DateTimeField()
    closed_at = models.DateTimeField(null=True)
    visible_seconds = models.FloatField(
        null=True,
        validators=between(0, MAX_BROWSER_SECONDS),
        help_text="As the browser says: never trusted.",
    )
    # As the browser reports, in studies that record pasting; None: it does not.
    hidden_seconds = models.FloatField(null=True, validators=between(0, MAX_BROWSER_SECONDS))
    pasted_characters = models.PositiveIntegerField(
        null=True, validators=whole_between(0, 1_000_000)
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["assignment"], condition=Q(closed_at__isnull=True), name="one_open_visit"
            ),
            models.CheckConstraint(
                condition=Q(closed_at__isnull=True) | Q(closed_at__gte=F("opened_at")),
                name="visit_ends_after_start",
            ),
            models.CheckConstraint(condition=Q(position__gte=1), name="visit_of_a_page"),
        ]

    def __str__(self) -> str:
        return f"page {self.position} of {self.assignment_id}"


@bounded
class Judgment(models.Model):
    """The answer to one document, complete or none, and a draft beside it.

    A draft was typed and refused, or not sent; nothing but its own page reads it.
    """

    assignment = models.ForeignKey(  # "judgment_once" is its index
        Assignment, on_delete=models.CASCADE, related_name="judgments", db_index=False
    )
    position = models.PositiveSmallIntegerField()
    document = models.ForeignKey(PooledDocument, on_delete=models.RESTRICT)
    score_text = models.TextField(blank=True, default="", help_text="As typed.")
    score = models.FloatField(
        null=True,
        validators=between(0, MAX_SCORE),
        help_text="A magnitude, or a level from 0.",
    )
    graded = models.BooleanField(db_default=False, help_text="The score is a level.")
    justification = models.TextField(blank=True, default="")
    first_score = models.FloatField(null=True)
    score_at_failure = models.FloatField(null=True, help_text="At the first failed Finish.")
    submitted_at = models.DateTimeField(help_text="Without an answer, when its draft came.")
    version = models.PositiveIntegerField(
        default=0, db_default=0, help_text="Of the assignment, when the answer came."
    )
    draft_score_text = models.TextField(null=True)  # noqa: DJ001 - null: there is no draft
    draft_justification = models.TextField(null=True)  # noqa: DJ001

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["assignment", "position"], name="judgment_once"),
            models.UniqueConstraint(fields=["assignment", "document"], name="document_judged_once"),
            models.CheckConstraint(
                condition=Q(score__isnull=True)
                | Q(graded=False, score__gte=MIN_SCORE, score__lte=MAX_SCORE)
                | Q(graded=True, score__in=[float(n) for n in range(MAX_LEVELS)]),
                name="score_on_its_scale",
            ),
            models.CheckConstraint(
                condition=Q(score__isnull=False) & ~Q(justification="")
                | Q(score__isnull=True, score_text="", justification="", first_score__isnull=True),
                name="answer_is_complete",
            ),
            models.CheckConstraint(
                condition=Q(draft_score_text__isnull=True, draft_justification__isnull=True)
                | Q(draft_score_text__isnull=False, draft_justification__isnull=False),
                name="draft_has_both_boxes",
            ),
        ]

    def __str__(self) -> str:
        return f"page {self.position} of {self.assignment_id}: {self.score_text}"

    @property
    def is_answered(self) -> bool:
        return self.score is not None and self.draft is None

    @property
    def answer(self) -> tuple[str, str] | None:
        """The score as text, and the justification; None: there is no answer."""
        return None if self.score is None else (self.score_text, self.justification)

    @property
    def draft(self) -> tuple[str, str] | None:
        if self.draft_score_text is None or self.draft_justification is None:
            return None
        return self.draft_score_text, self.draft_justification

    @draft.setter
    def draft(self, typed: tuple[str, str] | None) -> None:
        self.draft_score_text, self.draft_justification = typed or (None, None)


class CheckFailure(models.Model):
    class Check(models.TextChoices):
        LINES = "lines", "(a) lines in order"
        QUESTION = "question", "(b) question on the topic"
        ANCHORS = "anchors", "(c) relevant anchor above irrelevant one"
        TIME = "time", "(d) seconds on every document"

    assignment = models.ForeignKey(  # "failure_once_a_try" is its index
        Assignment, on_delete=models.CASCADE, related_name="failures", db_index=False
    )
    check_name = models.CharField("check", max_length=8, choices=Check)
    at = models.DateTimeField()
    attempt = models.PositiveIntegerField(
        "try", help_text="Which answer or press of Finish; 1 for (a)."
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["assignment", "check_name", "attempt"], name="failure_once_a_try"
            ),
        ]
        indexes = [models.Index(fields=["-at"], name="newest_failures")]

    def __str__(self) -> str:
        return f"{self.check_name} of {self.assignment_id}"


class Tick(models.Model):
    """When each of some periodic tasks last ran, so that an outage is noticed."""

    EXPIRY = "expiry"  # what is overdue was ended
    RANKINGS = "rankings"  # whatever had changed was evaluated

    name = models.CharField(max_length=20, primary_key=True)
    ran_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.name} at {self.ran_at:%c}"
