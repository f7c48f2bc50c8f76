"""Judges against each other, and against themselves where they labelled documents again.

Demeester and others (WSDM 2014), section 3.3: Figures 2 and 3.
"""

from evaluation.analyses.analysis import Analysis
from evaluation.analyses.disagreement import overlaps, repeats
from evaluation.presentation.parts import OnProgress, Result
from evaluation.study import levels
from evaluation.study.applies_to import in_levels
from evaluation.study.data import StudyData

NO_REPEATS = (
    "No two judges labelled the same document twice each, so that inconsistency of one judge "
    "cannot be distinguished from disagreement of two."
)


def analyse(data: StudyData, on_progress: OnProgress) -> Result:
    """Overlap of judges at each level, and self against cross agreement."""
    every = levels.opinions(data)
    if reason := levels.why_not(every):
        return Result([reason, *levels.left_out(data)])
    opinions = levels.without_anchors(data, every)
    if reason := levels.why_not(opinions):
        return Result([f"Without the anchors: {reason[0].lower()}{reason[1:]}"])
    twice = levels.best_two(opinions, least=2)
    overlap = overlaps.analyse(data, opinions, twice)
    on_progress(0.2)
    names = levels.names(data)
    again = repeats.analyse(twice, names, data.seed) if twice.judges else Result([NO_REPEATS])
    on_progress(0.9)
    anchors = ["The anchors are left out: check (c) forces them."] if data.has_anchors else []
    return Result(
        [*overlap.says, *again.says, *anchors, *levels.told(data, each=False)],
        [*overlap.parts[:-1], *again.parts, overlap.parts[-1]],
        {**overlap.numbers, **again.numbers},
    )


ANALYSIS = Analysis(
    "consistency",
    "Is it disagreement, or are judges inconsistent?",
    analyse,
    applies_to=in_levels,
    titled=True,
)
