"""What a study is asked: the analyses, by section, in the order in which pages show them.

An analysis is a module of a section, and goes by its name: from the data of a study (`study.data`)
to sentences, figures and tables (`telling.parts.Analysed`). Its declaration stands at its end. The
pages, REST and the report all show what it gives.
"""

import pkgutil
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module

from evaluation.analyses.analysis import Analysis
from judging.models import Study


@dataclass(frozen=True)
class Section:
    """A page of analyses, and the question that they answer together.

    first: the names of those that come first, divided by blanks; any others follow.
    """

    name: str
    title: str
    asks: str
    first: str

    @cached_property
    def analyses(self) -> list[Analysis]:
        """The analyses that modules of the section declare."""
        package = import_module(f"evaluation.analyses.{self.name}")
        names = [module.name for module in pkgutil.iter_modules(package.__path__)]
        modules = [import_module(f"{package.__name__}.{name}") for name in names]
        there = {
            module.ANALYSIS.name: module.ANALYSIS
            for module in modules
            if "ANALYSIS" in vars(module)
        }
        order = dict.fromkeys([*self.first.split(), *there])
        return [there[name] for name in order]


SECTIONS = {
    section.name: section
    for section in (
        Section(
            "scores",
            "Scores",
            "Are the scores reasonable?",
            "distributions levels_given spread numbers order",
        ),
        Section(
            "agreement",
            "Agreement",
            "Is this crowd reliable?",
            "internal levels labels label_sets schemes judges differences workers topics",
        ),
        Section(
            "systems",
            "Systems",
            "Do magnitudes rank systems as labels do?",
            "rankings subruns resampling mappings widths sensitivity significance power enough "
            "preferences studies",
        ),
        Section("gain", "Gain", "How do magnitudes relate to gain?", "profiles ratios definitions"),
        Section(
            "disagreement",
            "Disagreement",
            "What does it tell that judges differ?",
            "every_judgment weights prediction consistency unanimity robustness users aspects",
        ),
        Section("time", "Time", "What do systems give for a reader's time?", "reading reader"),
    )
}
ANALYSES = {
    analysis.name: analysis for section in SECTIONS.values() for analysis in section.analyses
}


def of_study(study: Study) -> dict[str, Analysis]:
    """The analyses that fit a study, by name."""
    return {name: analysis for name, analysis in ANALYSES.items() if analysis.applies_to(study)}


def of_section(section: str, study: Study | None = None) -> list[Analysis]:
    """The analyses of a section; only those that fit the study, if one is given."""
    analyses = SECTIONS[section].analyses if section in SECTIONS else []
    return [analysis for analysis in analyses if study is None or analysis.applies_to(study)]


def sections_of(study: Study) -> dict[str, Section]:
    """The sections in which a study has analyses."""
    return {name: section for name, section in SECTIONS.items() if of_section(name, study)}
