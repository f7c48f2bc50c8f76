"""Judges against each other, and against themselves where they labelled documents again.

Demeester and others (WSDM 2014), section 3.3: Figures 2 and 3.
"""

from evaluation.analyses import in_levels, overlaps, overlaps_shown, repeats, repeats_shown
from evaluation.analyses.data import StudyData
from evaluation.analyses.parts import Analysed, Tell


def analyse(data: StudyData, tell: Tell) -> Analysed:
    """Overlap of judges at each level, and self against cross agreement."""
    every = in_levels.opinions(data)
    if reason := in_levels.why_not(every):
        return Analysed([reason, *in_levels.left_out(data)])
    said = in_levels.without_anchors(data, every)
    if reason := in_levels.why_not(said):
        return Analysed([f"Without the anchors: {reason[0].lower()}{reason[1:]}"])
    names = in_levels.names(data)
    overlap = overlaps.overlaps(said)
    tell(0.2)
    again = repeats.again(said, data.seed)
    tell(0.9)
    return Analysed(
        [
            *overlaps_shown.says(overlap, names),
            *repeats_shown.says(again, names),
            *(["The anchors are left out: check (c) forces them."] if data.has_anchors else []),
            *in_levels.told(data, each=False),
        ],
        [
            *overlaps_shown.figure(overlap, names),
            *(repeats_shown.parts(again, names) if again else []),
            overlaps_shown.judges(data, overlap, again.two if again else None),
        ],
        {
            **{f"overlap_{level}": float(of) for level, of in enumerate(overlap.any_two)},
            **(again.numbers() if again else {}),
        },
    )
