"""The settings of a study: what Django does not know of the fields that its team sets.

A setting is a field of the study, with its label (`verbose_name`), its hint (`help_text`), its
bounds (`validators`) and its default. One row here says the rest. The study.toml, the forms, the
admin, REST, archives, clones, rehearsals and the comparison with the paper are made of both.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, Literal

from django.db.models import Field
from django.utils.text import capfirst

from judging.currencies import MINIMUM_HOURLY_PAY
from judging.models import Study, StudyTopic
from judging.models.wording import PASTING_IS_RECORDED
from judging.platforms import platforms_taking


class Step(StrEnum):
    TOPICS = "topics"
    POOL = "pool"
    ANCHORS = "anchors"
    QUESTIONS = "questions"
    SETTINGS = "settings"
    TEXTS = "texts"
    RECRUITING = "recruiting"
    CONSENT = "consent"
    ENTRY = "entry"
    PLAN = "plan"
    COLLECTION = "collection"  # mended by an import


@dataclass(frozen=True)
class Paper:
    """What a setting is in the paper that devised the method.

    Attributes:
        value: its value there.
        label: as lists of departures name it; empty: as the field is named.
        effective: the attribute of a study with its value in effect; empty: the field itself.
        none: what None means.
        along: further settings, with their values, that are needed to follow the paper.
    """

    value: Any
    label: str = ""
    effective: str = ""
    none: str = "no limit"
    along: Mapping[str, Any] = field(default_factory=dict)

    def text_of(self, value: Any) -> str:
        if value is None:
            return self.none
        if isinstance(value, bool):
            return "yes" if value else "no"
        return f"{value:g}" if isinstance(value, int | float) else str(value)

    @property
    def text(self) -> str:
        return self.text_of(self.value)


@dataclass(frozen=True)
class Setting:
    """One setting of a study.

    Attributes:
        name: of the field, in a study.toml and in REST.
        fixed_from: from when on it may not be changed. `plan`: as long as units are planned, and
            once the study has opened; `opening`: once it has opened.
        copied: `clones`: clones have it, rehearsals do not; `never`: neither.
        archived_later: archives made before there were any lack it; it has its default then.
        archived_before: what it has then in the place of its default.
        paper: what it is in the paper; None: it is not compared.
        remark: a sentence that pages show after the hint.
        unit: that people type on pages, where files have another.
        step, heading: the page of the set-up that has it, and where on it; see `_on`.
    """

    name: str
    fixed_from: Literal["plan", "opening", "never"] = "opening"
    copied: Literal["always", "clones", "never"] = "always"
    archived_later: bool = False
    archived_before: Any = None
    paper: Paper | None = None
    remark: str = ""
    unit: str = ""
    step: Step = Step.SETTINGS
    heading: str = ""

    @property
    def field(self) -> "Field[Any, Any]":
        return Study._meta.get_field(self.name)  # type: ignore[return-value]

    @property
    def label(self) -> str:
        name = str(self.field.verbose_name)
        return capfirst(f"{name.split(',')[0]}, {self.unit}" if self.unit else name)

    @property
    def hint(self) -> str:
        """What it changes, and its value in the paper."""
        in_paper = f"In the paper: {self.paper.text}." if self.paper else ""
        return " ".join(filter(None, (str(self.field.help_text), self.remark, in_paper)))


def _on(step: Step, heading: str, *settings: Setting) -> tuple[Setting, ...]:
    return tuple(replace(setting, step=step, heading=heading) for setting in settings)


def _ways_back(*settings: Setting) -> tuple[Setting, ...]:
    """Settings of the way back, each under a heading that names the platforms that take it."""
    placed: list[Setting] = []
    for setting in settings:
        *titles, last = (platform.title for platform in platforms_taking(setting.name))
        heading = f"The way back to {', '.join(titles)}{' and ' if titles else ''}{last}"
        placed += _on(Step.RECRUITING, heading, replace(setting, fixed_from="never"))
    return tuple(placed)


# In the order of the pages and of the departures from the paper.
SETTINGS = (
    *_on(
        Step.SETTINGS,
        "Pay",
        Setting("payment", copied="clones"),
        Setting("currency"),
        Setting("platform_fee", "never", unit="in percent"),
        Setting(
            "minimum_hourly_pay",
            "never",
            "clones",
            remark="Leave blank for "
            + ", ".join(f"{pay} {currency}" for currency, pay in MINIMUM_HOURLY_PAY.items())
            + "; 0: no minimum.",
        ),
    ),
    *_on(
        Step.SETTINGS,
        "What is asked",
        Setting("title", fixed_from="never"),
        Setting("scale", paper=Paper("magnitude", along={"levels": [], "level_descriptions": []})),
        Setting("levels"),
        Setting("level_descriptions"),
    ),
    *_on(Step.SETTINGS, "Texts", Setting("language"), Setting("text_language")),
    *_on(
        Step.SETTINGS,
        "Units",
        Setting("unit_size", "plan", paper=Paper(8)),
        Setting(
            "redundancy", "plan", "clones", paper=Paper(10, "judgments planned for each document")
        ),
    ),
    *_on(
        Step.POOL,
        "",
        Setting("pool_depth", "plan", paper=Paper(10, "documents of each run that are pooled")),
        Setting("pool_by", "plan", paper=Paper("rank", "what runs are pooled by", "pooled_by")),
        Setting("cutoff", archived_later=True),
    ),
    *_on(
        Step.ANCHORS,
        "",
        Setting("labels", "plan"),
        Setting(
            "unlabelled_n_k",
            "plan",
            paper=Paper(False, "an irrelevant anchor may be a document without a label"),
        ),
    ),
    *_on(
        Step.SETTINGS,
        "Checks",
        Setting("minimum_seconds", paper=Paper(20)),
        Setting("practice", paper=Paper("every unit", "practice with lines, and instructions")),
        Setting(
            "ratios_after_practice",
            archived_later=True,
            archived_before=False,
            paper=Paper(False, "ratios are shown after practice"),
        ),
        Setting(
            "hints",
            archived_later=True,
            archived_before=False,
            paper=Paper(False, "hints on the first number and on other topics"),
        ),
        Setting(
            "show_previous_score", paper=Paper(False, "the score of the document before is shown")
        ),
        Setting("check_before_finish", paper=Paper(False, "answers are listed before Finish")),
        Setting(
            "most_failed_finishes",
            paper=Paper(None, "failed Finishes, at most", "max_failed_finishes"),
        ),
        Setting("pay_after_limit"),
    ),
    *_on(
        Step.SETTINGS,
        "Time",
        Setting("expiry_minutes"),
        Setting("practice_minutes"),
        Setting("long_visit_minutes"),
    ),
    *_on(
        Step.SETTINGS,
        "Comparison with labels",
        Setting("unlabelled_as_zero", "never", archived_later=True),
    ),
    *_on(Step.SETTINGS, "Trying it out", Setting("demo", copied="clones")),
    *_on(
        Step.TEXTS,
        "",
        Setting("introduction"),
        Setting("practice_instructions"),
        Setting("instructions"),
    ),
    *_on(
        Step.RECRUITING,
        "Where people come from",
        Setting("platform", copied="clones"),
        Setting("entry", copied="clones"),
    ),
    *_ways_back(
        Setting("completion_code", copied="never"),
        Setting("completion_address", copied="never"),
        Setting("screen_out_code", copied="never"),
        Setting("screen_out_reward", copied="never"),
        Setting("return_code", copied="never"),
        Setting("submission_minutes", copied="clones"),
    ),
    *_on(Step.RECRUITING, "How much each does", Setting("further_units", copied="clones")),
    *_on(
        Step.RECRUITING,
        "Further tries",
        Setting(
            "question_tries",
            paper=Paper(1, "answers to the question, at most", "tries_at_question"),
        ),
        Setting("attempts", copied="clones", paper=Paper(None)),
    ),
    *_on(
        Step.RECRUITING,
        "How much each does",
        Setting(
            "max_units_per_worker",
            copied="clones",
            paper=Paper(
                None, effective="max_units", none="one on each topic", along={"further_units": ""}
            ),
        ),
    ),
    *_on(
        Step.ENTRY,
        "",
        Setting("most_workers", "never", "clones", paper=Paper(None)),
        Setting("newcomers_an_hour", "never", "clones"),
        Setting("newcomers_a_day", "never", "clones"),
        Setting("quiet_hours", "never", "clones"),
    ),
    *_on(
        Step.CONSENT,
        "",
        Setting("consent"),
        Setting("consent_by"),
        Setting("contact", "never"),
        Setting("ethics_approval"),
        Setting("ethics_exemption", archived_later=True),
        Setting("retention_days"),
        Setting("withdraw_days"),
        Setting("record_pasting", remark=f"The text above must say so: “{PASTING_IS_RECORDED}”"),
    ),
)
BY_NAME = {setting.name: setting for setting in SETTINGS}


def name_of(field: str) -> str:
    """What pages call a setting, or what is set of a topic.

    >>> name_of("redundancy"), name_of("n_k"), name_of("pool"), name_of("documents")
    ('“Judgments of each document”', 'irrelevant anchor', 'list of documents', 'documents')
    """
    if field in BY_NAME:
        return f"“{BY_NAME[field].label}”"
    of_topic = {each.name: each.verbose_name for each in StudyTopic._meta.concrete_fields}
    return str(of_topic.get(field, field))
