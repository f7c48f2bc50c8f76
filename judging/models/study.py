from decimal import Decimal

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.core.exceptions import ValidationError
from django.db import models
from django.db.models import F, Q

from accounts.models import Visitor
from judging.currencies import CURRENCIES, MINIMUM_HOURLY_PAY, currency_choices
from judging.levels import MAX_LEVELS, MIN_LEVELS
from judging.models.batched_checks import BatchedChecksModel
from judging.models.collection import (
    LONGEST_LANGUAGE,
    Collection,
    Document,
    Topic,
    id_field,
    language_field,
)
from judging.models.recruiting import MAX_AMOUNT, MAX_MINUTES, Recruiting, optional_between
from judging.models.wording import Wording
from web.bounds import between, bounded, whole_between

MAX_DAYS = 36_500  # a hundred years
MAX_PEOPLE = 1_000_000
MAX_SEED = 2**63 - 1
DEFAULT_CUTOFF = 10  # the rank to which systems are compared, where the pools go as deep
MIN_CUTOFF = 3  # below it systems are ranked only on request
MAX_SENTENCE_LENGTH = 1_000  # characters
MAX_BACKUP_DAYS = 30


def languages() -> list[tuple[str, str]]:
    return list(settings.LANGUAGES)


PLATFORM_FAILED_FINISHES = 3  # on a platform, unless the study's owner says otherwise
ANALYSIS_PLAN_TYPES = {"measure": str, "gains": str, "test": str, "level": float, "end": int}
MAX_LINE_LENGTH = 200  # characters of a line of it


def validate_analysis_plan(lines: object) -> None:
    """Raise ValidationError unless it has five lines, or none, as before the study opens."""
    if lines == {}:
        return
    named = lines if isinstance(lines, dict) else {}
    typed = {name: type(line) for name, line in named.items()}
    if typed != ANALYSIS_PLAN_TYPES or any(
        len(str(line)) > MAX_LINE_LENGTH for line in named.values()
    ):
        expected = ", ".join(
            f"{name} ({kind.__name__})" for name, kind in ANALYSIS_PLAN_TYPES.items()
        )
        raise ValidationError(f"Five lines were expected: {expected}.")


class StudyQuerySet(models.QuerySet["Study"]):
    def locked(self) -> "StudyQuerySet":
        return self.select_for_update(of=("self",), no_key=True)

    def seen_by(self, user: Visitor) -> "StudyQuerySet":
        if not user.is_authenticated:
            return self.none()
        if user.is_superuser:
            return self
        return self.filter(Q(memberships__user=user) | Q(rehearsal_of__memberships__user=user))

    def without_rehearsals(self) -> "StudyQuerySet":
        return self.filter(rehearsal_of=None)


@bounded
class Study(BatchedChecksModel, Recruiting, Wording):
    # Names the state of its row, where `judging.flow.reading` has read it; another after a change.
    row_version = ""

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
        MODEL = "model", "A language model"

    class PooledBy(models.TextChoices):
        RANK = "rank", "The rank field"
        ORDER = "order", "The order by score"

    class Entry(models.TextChoices):
        USUAL = "", "The usual: only people from the platform if it sends ids, otherwise anybody"
        OPEN = "open", "Anybody"
        PLATFORMS = "platforms", "Those whom a participant platform sends"

    slug = models.SlugField(unique=True)
    collection = models.ForeignKey(Collection, on_delete=models.PROTECT, related_name="studies")
    stage = models.CharField(max_length=6, choices=Stage, default=Stage.DRAFT)
    title = models.CharField(
        max_length=200, help_text="What colleagues and workers read on top of every page."
    )
    scale = models.CharField(
        max_length=9,
        choices=Scale,
        default=Scale.MAGNITUDE,
        help_text="Whether workers type any positive number, or choose a level.",
    )
    levels = ArrayField(
        models.CharField(max_length=40),
        blank=True,
        default=list,
        help_text="Their names, one a line, the lowest first; for a graded scale alone.",
    )
    main_aspect = models.CharField(
        max_length=40, blank=True, help_text="The aspect that gains of imported opinions are of."
    )
    demo = models.BooleanField(
        "this is a demonstration",
        default=False,
        help_text="Takes people and artificial workers, and pays nothing.",
    )
    # Settled by whoever comes first; only a demo takes both.
    crowd = models.CharField(
        "who judges", max_length=10, choices=Crowd, default=Crowd.NOBODY, blank=True, editable=False
    )
    unit_size = models.PositiveSmallIntegerField(
        "documents in a unit",
        default=8,
        validators=whole_between(3, 50),
        help_text="What one worker judges at a time, both anchors among them.",
    )
    redundancy = models.PositiveSmallIntegerField(
        "judgments of each document",
        default=10,
        validators=whole_between(1, 500),
        help_text="More make a gain more certain, and cost in proportion.",
    )
    minimum_seconds = models.FloatField(
        "minimum seconds on each document",
        default=20,
        validators=between(0, 3_600),
        help_text="Whoever is faster on any of them must revise before the unit counts.",
    )
    long_visit_minutes = models.FloatField(
        "long visits, in minutes",
        default=10,
        validators=between(0, MAX_MINUTES),
        help_text="Times are shown with and without visits that last longer. As a rule: 10.",
    )
    pool_depth = models.PositiveIntegerField(
        "depth",
        default=10,
        validators=whole_between(1, 100_000),
        help_text="How many documents of each run's list are judged.",
    )
    cutoff = models.PositiveSmallIntegerField(
        "compare systems to rank",
        **optional_between(1, 1_000),
        help_text="The cutoff of the measures that rank them. Leave blank for 10, or less where "
        "not every run is judged so far down.",
    )
    topics_seed = models.BigIntegerField(
        null=True,
        editable=False,
        validators=whole_between(0, MAX_SEED),
        help_text="By which its topics were drawn from the collection's; empty: chosen by hand.",
    )
    pooled_to = models.PositiveSmallIntegerField(
        null=True,
        editable=False,
        help_text="The rank to which the plan holds every run whole, at most the usual cutoff.",
    )
    payment = models.DecimalField(
        "payment for a unit",
        max_digits=8,
        decimal_places=2,
        default=Decimal("0.20"),
        validators=between(0, MAX_AMOUNT),
        help_text="What a worker earns for a completed unit; 0: volunteers, unpaid. In the "
        "paper, of 2017: 0.20.",
    )
    platform_fee = models.DecimalField(
        "the platform's share on top, 0.20 for 20%",
        max_digits=5,
        decimal_places=4,
        default=Decimal("0.20"),
        validators=between(0, 5),
        help_text="Of what workers are paid; they do not get it.",
    )
    minimum_hourly_pay = models.DecimalField(
        "minimum pay per hour",
        max_digits=8,
        decimal_places=2,
        null=True,
        blank=True,
        validators=between(0, MAX_AMOUNT),
        help_text="Where the median person earns less you are warned, and asked why before the "
        "study opens.",
    )
    currency = models.CharField(
        max_length=3,
        default="USD",
        choices=currency_choices,
        help_text="In which workers are paid, by its code of ISO 4217.",
    )
    # False: made on a page, and the pay of a unit is not set yet.
    pay_is_chosen = models.BooleanField(default=True, editable=False)
    practice = models.CharField(
        "practice with lines",
        max_length=15,
        choices=Practice,
        default=Practice.EVERY_UNIT,
        help_text="Before every unit, or before a worker's first alone: who has passed a unit "
        "then begins the next at its topic.",
    )
    show_previous_score = models.BooleanField(
        "show the score of the document before",
        default=True,
        help_text="Each score is given in relation to it.",
    )
    ratios_after_practice = models.BooleanField(
        "show the ratios after practice",
        default=True,
        help_text="After the first practice that they pass, workers read how many times the "
        "number of the line before each line got.",
    )
    hints = models.BooleanField(
        "give hints on the first number and on other topics",
        default=True,
        help_text="Workers read that their first number should leave room above and below, and "
        "that a text which has nothing to do with the topic gets a small number.",
    )
    check_before_finish = models.BooleanField(
        "list the answers before the end",
        default=False,
        help_text="Workers see their own numbers and reasons once more before they finish.",
    )
    expiry_minutes = models.FloatField(
        "minutes until a unit is free again",
        default=60,
        validators=between(1, MAX_MINUTES),
        help_text="Counted from a worker's last page. As a rule: 60.",
    )
    entry = models.CharField(
        "who may enter",
        max_length=9,
        choices=Entry,
        default=Entry.USUAL,
        blank=True,
        help_text="Anybody with the link, or only those whom a participant platform sends. The "
        "latter is usual if the study names a platform that sends ids.",
    )
    practice_minutes = models.FloatField(
        "minutes until the first document is sent",
        default=10,
        validators=between(1, MAX_MINUTES),
        help_text="A unit is held so long for somebody who has not sent its first document yet, "
        "counted from their last page. As a rule: 10.",
    )
    most_failed_finishes = models.PositiveSmallIntegerField(
        "maximum failed checks at the end",
        **optional_between(1, 1_000),
        help_text="The attempt ends with this one; leave blank for 3 on a platform that names its "
        "people, else no limit.",
    )
    pay_after_limit = models.BooleanField(
        "pay workers who reach that limit",
        default=True,
        help_text="Platforms expect it; their scores count nowhere.",
    )
    max_units_per_worker = models.PositiveSmallIntegerField(
        "maximum units of one worker",
        **optional_between(1, 10_000),
        help_text="Fewer bring more different people; leave blank for one on each topic, unless "
        "further units are not offered.",
    )
    language = models.CharField(
        "language of the workers' pages",
        max_length=LONGEST_LANGUAGE,
        choices=languages,
        default=settings.LANGUAGE_CODE,
        help_text="Buttons, instructions and messages are in it; write your own texts in it, "
        "too. Your own pages stay in English.",
    )
    text_language = language_field(
        verbose_name="language of topics and documents",
        help_text="A tag, as en or pt-BR, by which browsers choose letters and voices; for texts "
        "that name none themselves. Leave blank for that of the pages.",
    )
    record_pasting = models.BooleanField(
        "record pasting and hidden pages",
        default=False,
        help_text="How many characters are pasted into a page, and for how many seconds it is "
        "hidden; no keystrokes.",
    )
    # Their participants are excluded, as long as their platforms' ids are stored.
    excluded_studies = models.ManyToManyField(
        "self", symmetrical=False, blank=True, related_name="excluded_by"
    )
    most_workers = models.PositiveIntegerField(
        "maximum number of people",
        **optional_between(1, MAX_PEOPLE),
        help_text="Whoever stops or fails gives the place to somebody else; leave blank for any "
        "number.",
    )
    newcomers_an_hour = models.PositiveIntegerField(
        "maximum new people within an hour",
        **optional_between(1, MAX_PEOPLE),
        help_text="Others are told when to come back; leave blank for any number.",
    )
    newcomers_a_day = models.PositiveIntegerField(
        "maximum new people within 24 hours",
        **optional_between(1, MAX_PEOPLE),
        help_text="Spreads a crowd over days and times of day; leave blank for any number.",
    )
    quiet_hours = models.PositiveSmallIntegerField(
        "hours without activity until the monitor warns",
        default=12,
        validators=whole_between(1, 8_760),
        help_text="The light Flow then turns amber. Choose more than a night.",
    )
    contact = models.CharField(
        max_length=500, blank=True, help_text="Whom workers write to: a name and an address."
    )
    ethics_approval = models.CharField(
        max_length=500, blank=True, help_text="Board and number, as workers read it."
    )
    ethics_exemption = models.CharField(
        "exempt, because …",
        max_length=500,
        blank=True,
        help_text="If no approval is needed: the reason, as workers read it. It takes the "
        "place of an approval.",
    )
    retention_days = models.PositiveIntegerField(
        "days that platforms' ids are kept",
        **optional_between(0, MAX_DAYS),
        help_text="Counted from when the study closes; leave blank to keep them until somebody "
        "deletes them.",
    )
    withdraw_days = models.PositiveIntegerField(
        "days for withdrawing answers",
        **optional_between(0, MAX_DAYS),
        help_text="Counted from the end of a unit, for workers by themselves on their own page; "
        "leave blank for as long as the answers are stored.",
    )
    labels = id_field(
        verbose_name="label set",
        default="reference",
        help_text="Where anchors are proposed and drawn from.",
    )
    unlabelled_n_k = models.BooleanField(
        "draw irrelevant anchors from documents without a label",
        default=False,
        help_text="Where labels name relevant documents alone. Somebody must then read each.",
    )
    unlabelled_as_zero = models.BooleanField(
        "unlabelled documents count as 0",
        default=False,
        help_text="Judged documents without a label, where pairs of documents, orders of systems "
        "or gains are compared with labels, as tools that read qrels do. Anchors "
        "do not.",
    )
    pool_by = models.CharField(
        "which documents come first",
        max_length=5,
        choices=PooledBy,
        blank=True,
        help_text="By the rank field as it is written, or by score, as lists are evaluated.",
    )
    all_judgments = models.BooleanField(
        "all judgments count",
        default=False,
        help_text="Those of batches too that go beyond the redundancy.",
    )
    plan_seed = models.BigIntegerField(null=True, blank=True, validators=whole_between(0, MAX_SEED))
    pilot = models.ForeignKey(
        "self",
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
        editable=False,
        help_text="Whose median time is expected until its own units tell.",
    )
    # Raised with each change of what is set up, so that two editors notice each other.
    version = models.PositiveBigIntegerField(default=0, editable=False)
    placeholder_came_at = models.DateTimeField(
        null=True,
        blank=True,
        editable=False,
        help_text="When somebody last came by a link in which the platform filled in no id.",
    )
    rehearsal_of = models.ForeignKey(
        "self",
        on_delete=models.CASCADE,
        null=True,
        blank=True,
        related_name="rehearsals",
        help_text="The study that a few people try out here; their data stay apart.",
    )
    about = models.ForeignKey(
        "self",
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="model_runs",
        editable=False,
        help_text="The study of people whose documents a language model judges here.",
    )
    analysis_plan = models.JSONField(
        default=dict,
        blank=True,
        editable=False,
        validators=[validate_analysis_plan],
        help_text="Measure, gains, test, level and end, as they were when the study opened.",
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
                condition=Q(currency__in=sorted(CURRENCIES)),
                name="currency_of_iso_4217",
                violation_error_message="currency: expected a code of ISO 4217, as USD or EUR.",
            ),
            models.CheckConstraint(
                condition=Q(ethics_approval="") | Q(ethics_exemption=""),
                name="approved_or_exempt",
                violation_error_message=(
                    "ethics_exemption: expected an approval or a reason why none is needed, "
                    "not both."
                ),
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
                condition=Q(crowd__in=["", "people", "artificial", "both", "imported", "model"]),
                name="crowd_known",
            ),
            models.CheckConstraint(
                condition=Q(about=None) | Q(crowd="model"), name="about_of_a_model"
            ),
            models.CheckConstraint(
                condition=~Q(crowd="model") | Q(payment=0, rehearsal_of=None),
                name="model_is_not_paid",
            ),
            models.CheckConstraint(
                condition=Q(scale="magnitude", levels__len=0)
                | Q(scale="graded", levels__len__gte=MIN_LEVELS, levels__len__lte=MAX_LEVELS),
                name="levels_of_a_graded_scale",
                violation_error_message=(
                    f"levels: expected {MIN_LEVELS} to {MAX_LEVELS} names for a graded scale, "
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
        return self.crowd == self.Crowd.IMPORTED

    @property
    def takes_people(self) -> bool:
        """Whether anybody may ever come to judge: by a link, from a platform, for pay."""
        return self.crowd not in (self.Crowd.IMPORTED, self.Crowd.MODEL)

    @property
    def pooled_by(self) -> str:
        """One of `PooledBy`, never empty."""
        return self.pool_by or self.PooledBy.RANK

    @property
    def max_counted_judgments(self) -> int | None:
        """Of each pair; None: any number."""
        return None if self.is_imported or self.all_judgments else self.redundancy

    @property
    def used_cutoff(self) -> int | None:
        """The rank to which its systems are compared; None: they are pooled too little for it."""
        if self.cutoff is not None:
            return self.cutoff
        pooled_to = DEFAULT_CUTOFF if self.pooled_to is None else self.pooled_to
        return pooled_to if pooled_to >= MIN_CUTOFF else None

    @property
    def minimum_pay(self) -> Decimal | None:
        own = self.minimum_hourly_pay
        return MINIMUM_HOURLY_PAY.get(self.currency) if own is None else own

    @property
    def only_from_platform(self) -> bool:
        usual = self.Entry.PLATFORMS if self.from_platform.participant else self.Entry.OPEN
        return (self.entry or usual) == self.Entry.PLATFORMS

    @property
    def max_failed_finishes(self) -> int | None:
        """The failed Finish that ends an attempt; None: no limit. On a platform there is one."""
        usual = PLATFORM_FAILED_FINISHES if self.from_platform.participant else None
        return self.most_failed_finishes or usual

    @property
    def pays_after_limit(self) -> bool:
        """Whether an attempt that ended by it is paid; on a platform it is."""
        return self.pay_after_limit or bool(self.from_platform.participant)

    @property
    def pays_for_leaving(self) -> bool:
        """Whether a worker who leaves after a failed Finish is paid, if all answers are there."""
        return bool(self.from_platform.participant)

    @property
    def max_units(self) -> int | None:
        """How many units a worker may complete; None: one on each topic."""
        return 1 if self.further == self.Further.NONE else self.max_units_per_worker

    def max_units_each(self, topics: int) -> int:
        return min(topics, self.max_units or topics)

    @property
    def backup_days(self) -> int:
        """For how many days backups may contain what was deleted, as its pages say."""
        maximum = MAX_BACKUP_DAYS if self.retention_days is None else self.retention_days
        return max(1, min(MAX_BACKUP_DAYS, maximum))

    @property
    def team_study_id(self) -> int:
        """The key of the study whose team may see this one: a rehearsal has its study's."""
        return self.rehearsal_of_id or self.pk

    @property
    def mark(self) -> str:
        """The mark on everything exported from the study; empty: people judged it in earnest."""
        if self.rehearsal_of_id:
            return "rehearsal"
        marks = {"artificial": "simulated", "both": "demo"}
        marks |= {crowd: crowd for crowd in ("imported", "model")}
        return marks.get(self.crowd, "")

    def file_name(self, what: str, ending: str) -> str:
        return f"{'-'.join(filter(None, (self.slug, self.mark, what)))}.{ending}"


class FormerSlug(models.Model):
    """A name that a study had in addresses: as long as no other study has it, it leads there."""

    slug = models.SlugField(unique=True)
    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="former_slugs")

    def __str__(self) -> str:
        return f"{self.slug}, now {self.study}"


class StudyTopic(models.Model):
    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="topics")
    topic = models.ForeignKey(Topic, on_delete=models.PROTECT)
    question = models.TextField(blank=True)
    options = ArrayField(models.TextField(), blank=True, default=list)
    answer = models.TextField(blank=True)
    answer_sentence = models.TextField(
        "sentence of the answer",
        blank=True,
        max_length=MAX_SENTENCE_LENGTH,
        help_text="Of the topic's text, where the answer stands: shown after a wrong answer.",
    )
    h_k = id_field(blank=True, verbose_name="relevant anchor")
    n_k = id_field(blank=True, verbose_name="irrelevant anchor")
    anchors_reason = models.TextField(
        "reason for anchors against their labels",
        blank=True,
        max_length=MAX_SENTENCE_LENGTH,
        help_text="Why its anchors are right although labels contradict them.",
    )
    anchors_drawn = models.BooleanField(default=False, help_text="From the labels, not by hand.")
    anchors_unread = models.BooleanField(
        default=False, help_text="Proposed or drawn, and nobody has said yet that they read them."
    )
    pool = ArrayField(
        id_field(),
        verbose_name="list of documents",
        blank=True,
        default=list,
        help_text="An explicit list.",
    )
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

    @property
    def anchors_are_replaceable(self) -> bool:
        """Whether the next plan draws others: nobody chose these, or has read them."""
        return self.anchors_drawn and self.anchors_unread


class PooledDocument(models.Model):
    class Role(models.TextChoices):
        H_K = "h_k", "relevant anchor"
        N_K = "n_k", "irrelevant anchor"
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
