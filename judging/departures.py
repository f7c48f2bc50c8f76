"""Where a study departs from the paper that devised the method: each setting once, with its value.

The paper is Maddalena, Mizzaro, Scholer and Turpin, On Crowdsourcing Relevance Magnitudes for
Information Retrieval Evaluation, ACM TOIS 35(3), 2017, sections 3.2 and 4. Forms,
reports and releases are made of this table; texts of pages, and what is paid, are not compared.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from judging.models import Study


@dataclass(frozen=True)
class Setting:
    """A setting of the protocol, and what it is in the paper.

    Attributes:
        name: of the study's field.
        label: as lists name it.
        paper_value: its value in the paper.
        effective: the attribute of a study with its value in effect; empty: the field itself.
        none: what None means.
        along: further settings, with their values, that are needed to follow the paper.
    """

    name: str
    label: str
    paper_value: Any
    effective: str = ""
    none: str = "no limit"
    along: Mapping[str, Any] = field(default_factory=dict)

    def value_in(self, study: Study) -> Any:
        """The value in effect in a study."""
        return getattr(study, self.effective or self.name)

    def text_of(self, value: Any) -> str:
        """A value as people read it."""
        if value is None:
            return self.none
        if isinstance(value, bool):
            return "yes" if value else "no"
        return f"{value:g}" if isinstance(value, int | float) else str(value)

    @property
    def paper_text(self) -> str:
        return self.text_of(self.paper_value)


class Departure(NamedTuple):
    """A setting that is not as in the paper: its value in the study and there, in words."""

    name: str
    label: str
    value: str
    paper_value: str


SETTINGS = (
    Setting("scale", "scale", "magnitude", along={"levels": [], "level_descriptions": []}),
    Setting("unit_size", "documents in a unit", 8),
    Setting("redundancy", "judgments planned for each document", 10),
    Setting("pool_depth", "documents of each run that are pooled", 10),
    Setting("pool_by", "what runs are pooled by", "rank", "pooled_by"),
    Setting("unlabelled_n_k", "N_k may be a document without a label", paper_value=False),
    Setting("minimum_seconds", "seconds on each document, at least", 20),
    Setting("practice", "practice with lines, and instructions", "every unit"),
    Setting("ratios_after_practice", "ratios are shown after practice", paper_value=False),
    Setting("hints", "hints on the first number and on other topics", paper_value=False),
    Setting("show_previous_score", "the score of the document before is shown", paper_value=False),
    Setting("check_before_finish", "answers are listed before Finish", paper_value=False),
    Setting("most_failed_finishes", "failed Finishes, at most", None, "max_failed_finishes"),
    Setting("question_tries", "answers to the question, at most", 1, "tries_at_question"),
    Setting("attempts", "failures of practice or question, at most", None),
    Setting(
        *("max_units_per_worker", "units of one worker, at most", None, "max_units"),
        none="one on each topic",
        along={"further_units": ""},
    ),
    Setting("most_workers", "people, at most", None),
)  # fmt: skip
BY_NAME = {setting.name: setting for setting in SETTINGS}
# What sets a study as in the paper, by the names of a study.toml.
AS_IN_PAPER: dict[str, Any] = {
    name: value
    for setting in SETTINGS
    for name, value in {setting.name: setting.paper_value, **setting.along}.items()
}


def departures(study: Study) -> list[Departure]:
    """Where a study departs from the paper, by the values in effect.

    On a platform some settings are never as in the paper: an attempt ends with some failed Finish,
    and a submission pays one unit. A study that was judged elsewhere has no settings of its own.
    """
    if study.is_imported:
        return []
    return [
        Departure(setting.name, setting.label, setting.text_of(value), setting.paper_text)
        for setting in SETTINGS
        if (value := setting.value_in(study)) != setting.paper_value
    ]
