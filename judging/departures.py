"""Where a study departs from the paper that devised the method, by the settings' values in effect.

The paper is Maddalena, Mizzaro, Scholer and Turpin, On Crowdsourcing Relevance Magnitudes for
Information Retrieval Evaluation, ACM TOIS 35(3), 2017, sections 3.2 and 4. Texts of pages, and what
is paid, are not compared.
"""

from typing import Any, NamedTuple

from judging.models import Study
from judging.settings import SETTINGS


class Departure(NamedTuple):
    name: str
    label: str
    value: str
    paper_value: str


# What sets a study as in the paper, by the names of a study.toml.
AS_IN_PAPER: dict[str, Any] = {
    name: value
    for setting in SETTINGS
    if (paper := setting.paper)
    for name, value in {setting.name: paper.value, **paper.along}.items()
}


def departures(study: Study) -> list[Departure]:
    """On a platform failed Finishes always have a limit, and a submission always pays one unit."""
    if study.is_imported:
        return []
    return [
        Departure(
            setting.name,
            paper.label or str(setting.field.verbose_name),
            paper.text_of(value),
            paper.text,
        )
        for setting in SETTINGS
        if (paper := setting.paper)
        and (value := getattr(study, paper.effective or setting.name)) != paper.value
    ]
