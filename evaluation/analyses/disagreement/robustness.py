"""How much measures depend on who judged, and chances on topics, lists and ranks.

**Shows** the AP, GAP and nDCG of one judge's order with another judge's labels as the reference,
and how p(T|i) differs between topics whose judges agree less and more, between good lists and
others, and between the first 5 and the first 10 ranks.

**Computed**: for *two judges*, on each topic those who share most documents, and for *two labels*
of each document, the first and the next one by somebody else. Weights are from the other topics;
means and standard deviations are over topics. Anchors are left out. Topics are halved by the share
of equal labels of the same document. A list is good if its first ten have a document whose *first*
label is the top level: if all labels counted, p would be 0 in the other lists by construction,
which it is not in the paper's Table 3. In lists a document counts as often as it is listed.
Intervals are Student's over topics, if there are 5.

**Beware**: if the reference has no document of the top level, AP is 0 for every order; the number
of such topics is shown beside it. Two workers of a study judged here share a handful of documents:
use the two labels of a document instead. The halves of topics come from the same opinions as p.

**Source**: section 6, Tables 2 and 3.
"""

from evaluation.analyses.analysis import OnProgress, analysis
from evaluation.analyses.disagreement import dependence, judge_by_judge
from evaluation.presentation.parts import Result
from evaluation.study import levels
from evaluation.study.applies_to import in_levels
from evaluation.study.data import StudyData

NO_RUN = "The collection has no run: lists and ranks cannot be compared."


@analysis(
    "How much depends on who judged, and on topics and lists?",
    applies_to=in_levels,
    titled=True,
    of_systems=True,
)
def analyse(data: StudyData, on_progress: OnProgress) -> Result:
    """Table 2 for two pairs of judges, and p(T|i) by kinds of topics, lists and ranks."""
    every = levels.opinions(data)
    if reason := levels.why_not(every):
        return Result([reason, *levels.left_out(data)])
    judged = judge_by_judge.analyse(levels.without_anchors(data, every))
    on_progress(0.4)
    chances = dependence.analyse(data, every)
    on_progress(0.9)
    no_run = [] if data.runs else [NO_RUN]
    return Result(
        [*judged.sentences, *chances.sentences, *no_run, *levels.sentences(data)],
        [*judged.parts, *chances.parts],
        {**judged.numbers, **chances.numbers},
    )
