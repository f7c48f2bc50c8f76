"""What a study is asked: the analyses, by section, in the order in which pages show them.

An analysis is a module of a section, and goes by its name: from the data of a study (`study.data`)
to sentences, figures and tables (`telling.parts.Analysed`). Its declaration stands at its end. The
pages, REST and the report all show what it gives.
"""

from dataclasses import dataclass
from types import ModuleType

from evaluation.analyses.agreement import (
    differences,
    internal,
    judges,
    label_sets,
    labels,
    levels,
    schemes,
    topics,
    workers,
)
from evaluation.analyses.analysis import Analysis
from evaluation.analyses.disagreement import (
    aspects,
    consistency,
    every_judgment,
    prediction,
    robustness,
    unanimity,
    users,
    weights,
)
from evaluation.analyses.gain import definitions, profiles, ratios
from evaluation.analyses.scores import distributions, levels_given, numbers, order, spread
from evaluation.analyses.systems import (
    enough,
    mappings,
    power,
    preferences,
    rankings,
    resampling,
    sensitivity,
    significance,
    studies,
    subruns,
    widths,
)
from evaluation.analyses.time import reader, reading
from judging.models import Study


@dataclass(frozen=True)
class Section:
    """A page of analyses, and the question that they answer together."""

    title: str
    asks: str
    modules: tuple[ModuleType, ...]

    @property
    def analyses(self) -> list[Analysis]:
        return [module.ANALYSIS for module in self.modules]


SECTIONS = {
    "scores": Section(
        "Scores",
        "Are the scores reasonable?",
        (distributions, levels_given, spread, numbers, order),
    ),
    "agreement": Section(
        "Agreement",
        "Is this crowd reliable?",
        (
            *(internal, levels, labels, label_sets, schemes),
            *(judges, differences, workers, topics),
        ),
    ),
    "systems": Section(
        "Systems",
        "Do magnitudes rank systems as labels do?",
        (
            *(rankings, subruns, resampling, mappings, widths, sensitivity),
            *(significance, power, enough, preferences, studies),
        ),
    ),
    "gain": Section("Gain", "How do magnitudes relate to gain?", (profiles, ratios, definitions)),
    "disagreement": Section(
        "Disagreement",
        "What does it tell that judges differ?",
        (
            *(every_judgment, weights, prediction, consistency),
            *(unanimity, robustness, users, aspects),
        ),
    ),
    "time": Section("Time", "What do systems give for a reader's time?", (reading, reader)),
}
ANALYSES = {
    analysis.name: analysis for section in SECTIONS.values() for analysis in section.analyses
}


def of_study(study: Study) -> dict[str, Analysis]:
    """The analyses that fit a study, by name."""
    return {name: analysis for name, analysis in ANALYSES.items() if analysis.fits(study)}


def of_section(section: str, study: Study | None = None) -> list[Analysis]:
    """The analyses of a section; only those that fit the study, if one is given."""
    analyses = SECTIONS[section].analyses if section in SECTIONS else []
    return [analysis for analysis in analyses if study is None or analysis.fits(study)]


def sections_of(study: Study) -> dict[str, Section]:
    """The sections in which a study has analyses."""
    return {name: section for name, section in SECTIONS.items() if of_section(name, study)}
