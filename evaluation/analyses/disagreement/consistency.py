"""Judges against each other, and against themselves where they labelled documents again.

Demeester and others (WSDM 2014), section 3.3: Figures 2 and 3.
"""

from evaluation.analyses.analysis import Analysis
from evaluation.analyses.disagreement import overlaps, repeats
from evaluation.presentation.parts import Analysed, Tell
from evaluation.study import levels
from evaluation.study.data import StudyData
from evaluation.study.fits import in_levels


def analyse(data: StudyData, tell: Tell) -> Analysed:
    """Overlap of judges at each level, and self against cross agreement."""
    every = levels.opinions(data)
    if reason := levels.why_not(every):
        return Analysed([reason, *levels.left_out(data)])
    opinions = levels.without_anchors(data, every)
    if reason := levels.why_not(opinions):
        return Analysed([f"Without the anchors: {reason[0].lower()}{reason[1:]}"])
    names = levels.names(data)
    query_ids = [topic.query_id for topic in data.topics]
    overlap = overlaps.compute(opinions, names, query_ids, data.workers)
    tell(0.2)
    again = repeats.compute(opinions, names, data.seed)
    tell(0.9)
    return Analysed(
        [
            *overlaps.says(overlap),
            *repeats.says(again, names[-1]),
            *(["The anchors are left out: check (c) forces them."] if data.has_anchors else []),
            *levels.told(data, each=False),
        ],
        [
            *overlaps.figures(overlap),
            *(repeats.parts(again) if again else []),
            overlaps.table(overlap, again.two if again else None),
        ],
        {
            **{f"overlap_{level}": float(share) for level, share in enumerate(overlap.any_two)},
            **(again.numbers() if again else {}),
        },
    )


ANALYSIS = Analysis(
    "consistency",
    "Is it disagreement, or are judges inconsistent?",
    analyse,
    fits=in_levels,
    titled=True,
)
