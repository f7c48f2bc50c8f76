"""Every analysis of the magnitude-estimation paper on a study's own data.

One analysis is one module: data in (`data.StudyData`), sentences, figures and tables out
(`parts.Analysed`). The pages, the API and the report all show what these give.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from evaluation import VERSION
from evaluation.analyses import (
    consistency,
    definitions,
    differences,
    distributions,
    given,
    internal,
    judges,
    labels,
    level_weights,
    levels,
    mappings,
    numbers,
    order,
    power,
    predictions,
    preferences,
    profiles,
    rankings,
    ratios,
    reader,
    reading,
    resampling,
    robustness,
    schemes,
    sensitivity,
    significance,
    spread,
    studies,
    subruns,
    topics,
    two_aspects,
    unanimity,
    user_rankings,
    verdicts,
    widths,
    workers,
)
from evaluation.analyses.asking import USUAL, Question
from evaluation.analyses.data import StudyData
from evaluation.analyses.fitting import any_study, graded, imported, judged_here, magnitude
from evaluation.analyses.parts import Analysed, Table, Tell
from judging.models import Study


@dataclass(frozen=True)
class Analysis:
    """One analysis: its name in addresses, its section, the question that it answers."""

    name: str
    section: str
    asks: str
    analyse: Callable[..., Analysed]  # of StudyData and Tell
    # Tables that are not kept, but asked for whenever somebody looks.
    live: Callable[[Study, str], Iterable[Table]] | None = None
    # Which studies it is for.
    fits: Callable[[Study], bool] = magnitude
    # It reads other studies of the collection, and is old when they change.
    of_others: bool = False
    # What it can be asked, of asking.ASKABLE; then `analyse` takes a Question, too.
    takes: tuple[str, ...] = ()

    def of(
        self,
        data: StudyData,
        tell: Tell = lambda share: None,
        asked: Question = USUAL,
    ) -> dict[str, Any]:
        """The analysis of a study, as it is kept, with what it is from."""
        question = (asked,) if self.takes else ()
        return self.analyse(data, tell, *question).kept(data.study.mark) | {
            "units": data.units,
            "judgments": len(data.raw),
            "label_set": data.label_set,
            "seed": data.seed,
            "crowd": data.study.mark or "people",
            "code_version": VERSION,
        }

    def with_live(
        self, study: Study, label_set: str, result: dict[str, Any] | None
    ) -> dict[str, Any] | None:
        """A kept result, and the tables that are not kept."""
        if result is None or self.live is None:
            return result
        more = [table.kept() for table in self.live(study, label_set)]
        return result | {"parts": [*result["parts"], *more]}


@dataclass(frozen=True)
class Section:
    """A page of analyses, and the question of the paper that it answers."""

    title: str
    asks: str


SECTIONS = {
    "scores": Section("Scores", "Are the scores reasonable?"),
    "agreement": Section("Agreement", "Can this crowd give them?"),
    "systems": Section("Systems", "What do they do to the ranking of systems?"),
    "gain": Section("Gain", "What do they say about gain?"),
    "disagreement": Section("Disagreement", "What can be learnt from it that judges differ?"),
    "time": Section("Time", "What do systems give for a reader's time?"),
}
# In the order in which a section shows them.
ANALYSES = {
    analysis.name: analysis
    for analysis in (
        Analysis(
            "distributions", "scores", "How are the scores distributed?", distributions.analyse
        ),
        Analysis(
            "given",
            "scores",
            "Which levels do workers give?",
            given.analyse,
            fits=graded,
        ),
        Analysis("spread", "scores", "How far apart are the scores of a document?", spread.analyse),
        Analysis(
            "numbers",
            "scores",
            "Do workers use numbers as ratios, and how extreme are they?",
            numbers.analyse,
        ),
        Analysis("order", "scores", "Does the order matter, and do workers drift?", order.analyse),
        Analysis(
            "internal",
            "agreement",
            "Do workers agree with each other?",
            internal.analyse,
            fits=any_study,
        ),
        Analysis(
            "levels", "agreement", "Do scores follow the labels?", levels.analyse, fits=any_study
        ),
        Analysis(
            "labels",
            "agreement",
            "How far does the crowd agree with labels?",
            labels.analyse,
            fits=judged_here,
        ),
        Analysis("schemes", "agreement", "Would other ways to scale agree more?", schemes.analyse),
        Analysis(
            "judges",
            "agreement",
            "How many judges does a document need?",
            judges.analyse,
            fits=any_study,
        ),
        Analysis(
            "differences",
            "agreement",
            "Where do crowd and labels differ most?",
            differences.analyse,
            verdicts.tables,
            fits=any_study,
        ),
        Analysis("workers", "agreement", "How do workers differ?", workers.analyse, fits=any_study),
        Analysis("topics", "agreement", "How do topics differ?", topics.analyse, fits=any_study),
        Analysis(
            "rankings",
            "systems",
            "Does the crowd rank systems as labels do?",
            rankings.analyse,
            fits=any_study,
        ),
        Analysis(
            "subruns",
            "systems",
            "And systems whose documents all have labels?",
            subruns.analyse,
            fits=any_study,
        ),
        Analysis(
            "resampling",
            "systems",
            "How much depends on who judged a document?",
            resampling.analyse,
            fits=any_study,
        ),
        Analysis(
            "mappings",
            "systems",
            "What if labels gave other gains?",
            mappings.analyse,
            fits=any_study,
        ),
        Analysis(
            "widths",
            "systems",
            "Does it matter how wide a scale workers use?",
            widths.analyse,
        ),
        Analysis(
            "sensitivity",
            "systems",
            "Does the ranking depend on how it was made?",
            sensitivity.analyse,
            fits=judged_here,
        ),
        Analysis(
            "significance",
            "systems",
            "Which systems differ?",
            significance.analyse,
            fits=any_study,
            takes=("measure", "gains"),
        ),
        Analysis(
            "power",
            "systems",
            "Which measures tell most systems apart?",
            power.analyse,
            fits=any_study,
            takes=("measure", "gains"),
        ),
        Analysis(
            "preferences",
            "systems",
            "Do systems keep the order of judged documents?",
            preferences.analyse,
            fits=any_study,
        ),
        Analysis(
            "studies",
            "systems",
            "Do other studies of this collection say the same?",
            studies.analyse,
            fits=any_study,
            of_others=True,
        ),
        Analysis("profiles", "gain", "What gain do people give a level?", profiles.analyse),
        Analysis("ratios", "gain", "How much more is a higher level worth?", ratios.analyse),
        Analysis(
            "gains",
            "gain",
            "Does the ranking depend on how gain is defined?",
            definitions.analyse,
            fits=any_study,
        ),
        Analysis(
            "weights",
            "disagreement",
            "What is a level worth, as others may find it the best?",
            level_weights.analyse,
            fits=any_study,
        ),
        Analysis(
            "prediction",
            "disagreement",
            "Do these chances come true where documents have many labels?",
            predictions.analyse,
            fits=any_study,
        ),
        Analysis(
            "consistency",
            "disagreement",
            "Is it disagreement, or are judges inconsistent?",
            consistency.analyse,
            fits=any_study,
        ),
        Analysis(
            "unanimity",
            "disagreement",
            "What changes if unanimity counts?",
            unanimity.analyse,
            fits=any_study,
        ),
        Analysis(
            "reading",
            "time",
            "How long do documents take?",
            reading.analyse,
            fits=judged_here,
        ),
        Analysis(
            "reader",
            "time",
            "What do readers save before they stop?",
            reader.analyse,
            fits=any_study,
            takes=("reader",),
        ),
        Analysis(
            "robustness",
            "disagreement",
            "How much depends on who judged, and on topics and lists?",
            robustness.analyse,
            fits=any_study,
        ),
        Analysis(
            "users",
            "disagreement",
            "Do systems change places if levels are worth these chances?",
            user_rankings.analyse,
            fits=any_study,
        ),
        Analysis(
            "aspects",
            "disagreement",
            "What are two judgments of a document worth together?",
            two_aspects.analyse,
            fits=imported,
        ),
    )
}


def of_section(section: str, study: Study | None = None) -> list[Analysis]:
    """The analyses of a section; only those that are for the study, if one is given."""
    fitting = ANALYSES if study is None else of_study(study)
    return [analysis for analysis in fitting.values() if analysis.section == section]


def of_study(study: Study) -> dict[str, Analysis]:
    """The analyses that are for a study."""
    return {name: analysis for name, analysis in ANALYSES.items() if analysis.fits(study)}


def sections_of(study: Study) -> dict[str, Section]:
    """The sections in which a study has analyses."""
    filled = {analysis.section for analysis in of_study(study).values()}
    return {name: section for name, section in SECTIONS.items() if name in filled}
