"""What each analysis of a study shows, how it is computed, and where the paper has its counterpart:
Maddalena, Mizzaro, Scholer and Turpin, On Crowdsourcing Relevance Magnitudes for Information
Retrieval Evaluation, ACM TOIS 35(3), 2017 (here: the paper). By default no data are dropped. Every
random draw starts from a seed that is printed beside its result.

Which systems differ, and which measures have most power, can be computed for any measure and any
gains: every page of analyses has fields for both, and *More options* has one for the parameters of
a reader. `manage.py report` uses the defaults.

A heading calls two orders of systems nearly alike from a tau of .9, alike only in part from .5, and
hardly alike below. If the 95% interval of tau includes 0, it says that they cannot be said to be
alike; below six topics, where there is no interval, it says “so far”. Orders computed from the same
lists and judgments with other gains or measures differ by definition, and only their tau is given.
Headings give a measure's name and cutoff; its options are in the text and in captions. Every
analysis measures to the cutoff by which the study's systems are ranked: 10, or the depth to which
its pools contain every run.

Every analysis of a study that was judged here can be restricted to units that were completed within
a number of tries, by a field on each page or `tries=1` over REST: 1 leaves out workers who had to
correct scores or spend more time. Gains are then computed from those units alone, and a topic
without any is left out.

Studies with levels have all analyses except those of ratios or normalisation: distributions,
numbers, spread, order, schemes, widths, profiles and ratios. The other analyses use differences of
levels instead of ratios, factors or logarithms, alpha is ordinal, and nothing is normalised.
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
        declared = [getattr(module, "analyse", None) for module in modules]
        there = {each.name: each for each in declared if isinstance(each, Analysis)}
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
            "What does disagreement between judges mean?",
            "every_judgment weights prediction consistency unanimity robustness users aspects",
        ),
        Section(
            "model",
            "The model",
            "Does the model judge as people do?",
            "model_agreement model_differences model_worth",
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
