"""How much measures depend on who judged, and chances on topics, lists and ranks.

Demeester and others (WSDM 2014), section 6: Tables 2 and 3.
"""

from evaluation.analyses.analysis import Analysis
from evaluation.analyses.disagreement import dependence, judge_by_judge
from evaluation.presentation.parts import OnProgress, Result
from evaluation.study import levels
from evaluation.study.applies_to import in_levels
from evaluation.study.data import StudyData

NO_RUN = "The collection has no run: lists and ranks cannot be compared."


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
        [*judged.says, *chances.says, *no_run, *levels.told(data)],
        [*judged.parts, *chances.parts],
        judged.numbers,
    )


ANALYSIS = Analysis(
    "robustness",
    "How much depends on who judged, and on topics and lists?",
    analyse,
    applies_to=in_levels,
    titled=True,
    of_systems=True,
)
