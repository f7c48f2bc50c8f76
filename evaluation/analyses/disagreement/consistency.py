"""Judges against each other, and against themselves where they labelled documents again.

**Shows** the overlap of two judges at each level: among documents to which one of them assigned
that level or a higher one, the share to which both did. If judges labelled documents more than once
it also shows how often a judge who said T says it again, and how often another judge says it, in
lists drawn 1,000 times.

**Computed**: *any two judges* are all pairs of a document's judges, where every document has the
same weight. *First and second judge* of a topic are the two who share most documents of it; they
are named. A judge's first label counts. For repeats they are the two who share most documents that
each labelled twice or more. The paper draws with replacement, so that a label may be compared with
itself, which makes judges look more consistent than they are: with two labels each, half of the
pairs are of this kind. Both versions are shown, and the conclusion is based on the one without: the
difference between the shares of the same judge and of another, with Student's 95% interval over
topics (from draws of documents on fewer than 5). Anchors are left out.

**Beware**: the spread of the draws shows inconsistency, and is not an interval. In studies judged
here two workers share few documents, and nobody judges one twice.

**Source**: section 3.3, Figures 2 and 3.
"""

from evaluation.analyses.analysis import OnProgress, analysis
from evaluation.analyses.disagreement import overlaps, repeats
from evaluation.presentation.parts import Result
from evaluation.study import levels
from evaluation.study.applies_to import in_levels
from evaluation.study.data import StudyData

NO_REPEATS = (
    "No two judges labelled the same document twice each, so that inconsistency of one judge "
    "cannot be distinguished from disagreement of two."
)


@analysis("Is it disagreement, or are judges inconsistent?", applies_to=in_levels, titled=True)
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
    anchors = ["The anchors are left out: a check forces their order."] if data.has_anchors else []
    return Result(
        [*overlap.sentences, *again.sentences, *anchors, *levels.sentences(data, each=False)],
        [*overlap.parts[:-1], *again.parts, overlap.parts[-1]],
        {**overlap.numbers, **again.numbers},
    )
