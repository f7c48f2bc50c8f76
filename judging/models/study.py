"""A study: which topic-document pairs are judged, with which settings."""

from decimal import Decimal

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.core.validators import MinValueValidator
from django.db import models
from django.db.models import F, Q

from accounts.models import Visitor
from judging.levels import FEWEST_LEVELS, MOST_LEVELS
from judging.models.checking import CheckedTogether
from judging.models.collection import (
    LONGEST_LANGUAGE,
    Collection,
    Document,
    Topic,
    id_field,
    language_field,
)
from judging.models.recruiting import Recruiting
from judging.models.wording import Wording

LONGEST_EXPIRY = 527_040  # minutes: a year
LONGEST_SENTENCE = 1_000  # characters
MOST_BACKUP_DAYS = 30


def languages() -> list[tuple[str, str]]:
    """The languages that worker's pages can be in: tag, and the name that its speakers give it."""
    return list(settings.LANGUAGES)


class StudyQuerySet(models.QuerySet["Study"]):
    """What judging asks of studies."""

    def locked(self) -> "StudyQuerySet":
        """Their rows locked until the transaction ends."""
        return self.select_for_update(of=("self",), no_key=True)

    def seen_by(self, user: Visitor) -> "StudyQuerySet":
        """Those of which somebody is of the team; an admin sees all."""
        if not user.is_authenticated:
            return self.none()
        if user.is_superuser:
            return self
        return self.filter(Q(memberships__user=user) | Q(rehearsal_of__memberships__user=user))

    def without_rehearsals(self) -> "StudyQuerySet":
        """Those that are no rehearsal of another."""
        return self.filter(rehearsal_of=None)


class Study(CheckedTogether, Recruiting, Wording):
    """One judging exercise over a collection."""

    class Stage(models.TextChoices):
        DRAFT = "draft"
        OPEN = "open"
        PAUSED = "paused", "Paused: nobody new comes in"
        CLOSED = "closed"

    class Practice(models.TextChoices):
        EVERY_UNIT = "every unit", "Every unit"
        ONCE = "once per worker", "Once per worker"

    class Scale(models.TextChoices):
        MAGNITUDE = "magnitude", "Magnitudes: any positive number"
        GRADED = "graded", "Graded: one of some levels"

    class Crowd(models.TextChoices):
        NOBODY = "", "Nobody yet"
        PEOPLE = "people"
        ARTIFICIAL = "artificial", "Artificial workers"
        BOTH = "both", "People and artificial workers"
        IMPORTED = "imported", "People elsewhere, whose labels were imported"

    class PooledBy(models.TextChoices):
        RANK = "rank", "The rank field"
        ORDER = "order", "The order by score"

    class Entry(models.TextChoices):
        OPEN = "open", "Anybody"
        PLATFORMS = "platforms", "Those whom a participant platform sends"

    slug = models.SlugField(unique=True)
    collection = models.ForeignKey(Collection, on_delete=models.PROTECT, related_name="studies")
    stage = models.CharField(max_length=6, choices=Stage, default=Stage.DRAFT)
    title = models.CharField(max_length=200)
    scale = models.CharField(max_length=9, choices=Scale, default=Scale.MAGNITUDE)
    levels = ArrayField(
        models.CharField(max_length=40),
        blank=True,
        default=list,
        help_text="Names of the levels of a graded scale, lowest first.",
    )
    main_aspect = models.CharField(
        max_length=40, blank=True, help_text="The aspect that gains of imported opinions are of."
    )
    demo = models.BooleanField(default=False, help_text="Takes people and artificial workers.")
    # Settled by whoever comes first; only a demo takes both.
    crowd = models.CharField(
        "who judges", max_length=10, choices=Crowd, default=Crowd.NOBODY, blank=True, editable=False
    )
    unit_size = models.PositiveSmallIntegerField(default=8, validators=[MinValueValidator(3)])
    redundancy = models.PositiveSmallIntegerField(default=10, validators=[MinValueValidator(1)])
    minimum_seconds = models.FloatField(default=20, validators=[MinValueValidator(0)])
    long_visit_minutes = models.FloatField(default=10, validators=[MinValueValidator(0)])
    pool_depth = models.PositiveIntegerField(default=10, validators=[MinValueValidator(1)])
    payment = models.DecimalField(
        max_digits=8, decimal_places=2, default=Decimal("0.20"), validators=[MinValueValidator(0)]
    )
    platform_fee = models.DecimalField(
        max_digits=5,
        decimal_places=4,
        default=Decimal("0.20"),
        validators=[MinValueValidator(0)],
        help_text="The platform's share on top of the payment, 0.20 for 20%.",
    )
    minimum_hourly_pay = models.DecimalField(
        max_digits=8, decimal_places=2, null=True, blank=True, validators=[MinValueValidator(0)]
    )
    currency = models.CharField(max_length=3, default="USD")
    practice = models.CharField(max_length=15, choices=Practice, default=Practice.EVERY_UNIT)
    show_previous_score = models.BooleanField(default=True)
    check_before_finish = models.BooleanField(
        default=False, help_text="The worker's own answers are listed before Finish."
    )
    expiry_minutes = models.FloatField(default=60, validators=[MinValueValidator(1)])
    entry = models.CharField("who may enter", max_length=9, choices=Entry, default=Entry.OPEN)
    practice_minutes = models.FloatField(
        default=10,
        validators=[MinValueValidator(1)],
        help_text="How long a unit is held until practice is passed.",
    )
    most_failed_finishes = models.PositiveSmallIntegerField(
        null=True,
        blank=True,
        validators=[MinValueValidator(1)],
        help_text="The attempt ends with this failed Finish; empty: no limit.",
    )
    pay_after_limit = models.BooleanField(
        default=True, help_text="Pay an attempt that has used up its Finishes."
    )
    max_units_per_worker = models.PositiveSmallIntegerField(
        null=True, blank=True, validators=[MinValueValidator(1)]
    )
    language = models.CharField(
        max_length=LONGEST_LANGUAGE,
        choices=languages,
        default=settings.LANGUAGE_CODE,
        help_text="Of the pages of its workers.",
    )
    text_language = language_field()
    record_pasting = models.BooleanField(
        default=False,
        help_text="Count pasted characters and the seconds for which a page is hidden.",
    )
    # Their participants do not come in, as long as their platforms' ids are held.
    excluded_studies = models.ManyToManyField(
        "self", symmetrical=False, blank=True, related_name="excluded_by"
    )
    most_workers = models.PositiveIntegerField(
        null=True,
        blank=True,
        validators=[MinValueValidator(1)],
        help_text="With a unit in hand or a paid one; empty: any number.",
    )
    newcomers_an_hour = models.PositiveIntegerField(
        null=True,
        blank=True,
        validators=[MinValueValidator(1)],
        help_text="People who begin within any hour; empty: any number.",
    )
    newcomers_a_day = models.PositiveIntegerField(
        null=True,
        blank=True,
        validators=[MinValueValidator(1)],
        help_text="People who begin within any 24 hours; empty: any number.",
    )
    quiet_hours = models.PositiveSmallIntegerField(
        default=12,
        validators=[MinValueValidator(1)],
        help_text="Without a form from anybody: then the monitor says that nobody is here.",
    )
    contact = models.CharField(max_length=500, blank=True)
    ethics_approval = models.CharField(max_length=500, blank=True)
    retention_days = models.PositiveIntegerField(null=True, blank=True)
    withdraw_days = models.PositiveIntegerField(
        null=True,
        blank=True,
        help_text="After a unit is completed; empty: for as long as its answers are stored.",
    )
    labels = id_field(default="reference", help_text="The label set that anchors are drawn from.")
    unlabelled_n_k = models.BooleanField(
        default=False,
        help_text="Where labels call nothing irrelevant, N_k is a document without a label.",
    )
    pool_by = models.CharField(max_length=5, choices=PooledBy, blank=True)
    all_judgments = models.BooleanField(
        "all judgments count",
        default=False,
        help_text="Those of batches too that go beyond the redundancy.",
    )
    plan_seed = models.BigIntegerField(null=True, blank=True)
    # Raised with each change of what is set up, so that two editors notice each other.
    version = models.PositiveBigIntegerField(default=0, editable=False)
    rehearsal_of = models.ForeignKey(
        "self",
        on_delete=models.CASCADE,
        null=True,
        blank=True,
        related_name="rehearsals",
        help_text="The study that a few people try out here; their data stay apart.",
    )
    archived_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    opened_at = models.DateTimeField(null=True, blank=True)
    closed_at = models.DateTimeField(null=True, blank=True)

    objects = StudyQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "studies"
        constraints = [
            *Recruiting.Meta.constraints,
            *Wording.Meta.constraints,
            models.CheckConstraint(
                condition=Q(unit_size__gte=3), name="unit_holds_anchors_and_more"
            ),
            models.CheckConstraint(condition=Q(redundancy__gte=1), name="redundancy_positive"),
            models.CheckConstraint(
                condition=Q(minimum_seconds__gte=0, minimum_seconds__lt=float("inf")),
                name="minimum_seconds_finite",
                violation_error_message="minimum_seconds: expected a finite number, zero or more.",
            ),
            models.CheckConstraint(
                condition=Q(expiry_minutes__gte=1, expiry_minutes__lte=LONGEST_EXPIRY),
                name="expiry_within_reach",
                violation_error_message=f"expiry_minutes: expected 1 to {LONGEST_EXPIRY}.",
            ),
            models.CheckConstraint(
                condition=Q(practice_minutes__gte=0, practice_minutes__lte=LONGEST_EXPIRY),
                name="practice_within_reach",
                violation_error_message=f"practice_minutes: expected 1 to {LONGEST_EXPIRY}.",
            ),
            models.CheckConstraint(
                condition=Q(demo=True, crowd="both", payment=0)
                | (Q(demo=False) & ~Q(crowd="both")),
                name="demo_takes_both_and_pays_nothing",
            ),
            models.CheckConstraint(
                condition=Q(rehearsal_of=None) | Q(payment=0), name="rehearsal_pays_nothing"
            ),
            models.CheckConstraint(
                condition=Q(crowd__in=["", "people", "artificial", "both", "imported"]),
                name="crowd_known",
            ),
            models.CheckConstraint(
                condition=Q(scale="magnitude", levels__len=0)
                | Q(scale="graded", levels__len__gte=FEWEST_LEVELS, levels__len__lte=MOST_LEVELS),
                name="levels_of_a_graded_scale",
                violation_error_message=(
                    f"levels: expected {FEWEST_LEVELS} to {MOST_LEVELS} names for a graded scale, "
                    "and none for magnitudes."
                ),
            ),
            models.CheckConstraint(
                condition=Q(stage="draft", opened_at__isnull=True)
                | (~Q(stage="draft") & Q(opened_at__isnull=False)),
                name="opened_unless_draft",
            ),
            models.CheckConstraint(
                condition=Q(stage="closed", closed_at__isnull=False)
                | (~Q(stage="closed") & Q(closed_at__isnull=True)),
                name="closed_at_when_closed",
            ),
        ]

    def __str__(self) -> str:
        return self.slug

    @property
    def is_graded(self) -> bool:
        return self.scale == self.Scale.GRADED

    @property
    def is_imported(self) -> bool:
        """Whether its judgments were made elsewhere: it has no units."""
        return self.crowd == self.Crowd.IMPORTED

    @property
    def ratings_wanted(self) -> int | None:
        """How many judgments of each pair count; None where there may be any number."""
        return None if self.is_imported or self.all_judgments else self.redundancy

    @property
    def most_units(self) -> int | None:
        """How many units a worker may complete; None: one on each topic."""
        return 1 if self.further == self.Further.NONE else self.max_units_per_worker

    @property
    def backup_days(self) -> int:
        """For how many days backups may hold what was deleted, as its workers are told."""
        most = MOST_BACKUP_DAYS if self.retention_days is None else self.retention_days
        return max(1, min(MOST_BACKUP_DAYS, most))

    @property
    def team_of(self) -> int:
        """The key of the study whose team may see this one: a rehearsal has its study's."""
        return self.rehearsal_of_id or self.pk

    @property
    def mark(self) -> str:
        """What everything that leaves the study says of it, unless people judged it in earnest."""
        if self.rehearsal_of_id:
            return "rehearsal"
        marks = {"artificial": "simulated", "both": "demo", "imported": "imported"}
        return marks.get(self.crowd, "")

    def file_name(self, what: str, ending: str) -> str:
        """The name of a file that leaves it."""
        return f"{'-'.join(filter(None, (self.slug, self.mark, what)))}.{ending}"


class StudyTopic(models.Model):
    """A topic of a study: its question, its anchors, and how far its data have come."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="topics")
    topic = models.ForeignKey(Topic, on_delete=models.PROTECT)
    question = models.TextField(blank=True)
    options = ArrayField(models.TextField(), blank=True, default=list)
    answer = models.TextField(blank=True)
    answer_sentence = models.TextField(
        blank=True,
        max_length=LONGEST_SENTENCE,
        help_text="Of the topic's text, where the answer stands: shown after a wrong answer.",
    )
    h_k = id_field(blank=True, verbose_name="H_k")
    n_k = id_field(blank=True, verbose_name="N_k")
    anchors_drawn = models.BooleanField(default=False, help_text="From the labels, not by hand.")
    pool = ArrayField(id_field(), blank=True, default=list, help_text="An explicit list.")
    # Raised in the transaction that changes which judgments count.
    revision = models.PositiveBigIntegerField(default=0, editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["study", "topic"], name="study_topic_once"),
            models.CheckConstraint(condition=Q(h_k="") | ~Q(h_k=F("n_k")), name="anchors_differ"),
            models.CheckConstraint(
                condition=Q(options__len=0) | Q(options__len=4), name="four_options"
            ),
            models.CheckConstraint(
                condition=Q(answer="") | Q(options__contains=[F("answer")]),
                name="answer_is_an_option",
            ),
        ]

    def __str__(self) -> str:
        return str(self.topic)


class PooledDocument(models.Model):
    """A topic-document pair that is judged."""

    class Role(models.TextChoices):
        H_K = "h_k", "H_k, highly relevant"
        N_K = "n_k", "N_k, not relevant"
        OTHER = "other"

    study_topic = models.ForeignKey(StudyTopic, on_delete=models.CASCADE, related_name="documents")
    doc_id = id_field()
    document = models.ForeignKey(Document, null=True, on_delete=models.PROTECT)
    code = models.PositiveIntegerField(help_text="Place in the topic's vocabulary.")
    role = models.CharField(max_length=5, choices=Role, default=Role.OTHER)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["study_topic", "doc_id"], name="pooled_once"),
            models.UniqueConstraint(
                fields=["study_topic", "role"], condition=~Q(role="other"), name="one_anchor_a_role"
            ),
        ]

    def __str__(self) -> str:
        return self.doc_id
