"""How much measures depend on who judged, and chances on topics, lists and ranks.

Demeester and others (WSDM 2014), section 6: Tables 2 and 3.
"""

from evaluation.analyses import dependence_shown, in_levels, judge_by_judge_shown
from evaluation.analyses.data import StudyData
from evaluation.analyses.dependence import dependence
from evaluation.analyses.judge_by_judge import judge_by_judge
from evaluation.analyses.parts import Analysed, Tell

NO_RUN = "The collection has no run: lists and ranks cannot be told apart."


def analyse(data: StudyData, tell: Tell) -> Analysed:
    """Table 2 for two pairs of judges, and p(T|i) by kinds of topics, lists and ranks."""
    every = in_levels.opinions(data)
    if reason := in_levels.why_not(every):
        return Analysed([reason, *in_levels.left_out(data)])
    names = in_levels.names(data)
    judged, fault = judge_by_judge(in_levels.without_anchors(data, every))
    tell(0.4)
    main = in_levels.readings(data)[0]
    found = dependence(data, every, main.opinions)
    tell(0.9)
    return Analysed(
        [
            *judge_by_judge_shown.says(judged, fault),
            *dependence_shown.says(found, names, main.name),
            *([] if data.runs else [NO_RUN]),
            *in_levels.told(data),
        ],
        [*judge_by_judge_shown.parts(judged), *dependence_shown.parts(found, names, data.seed)],
        {
            f"{measure} of {name}": mean
            for name, one in judged.items()
            for measure, mean in one.means().items()
        },
    )
