"""How likely others find best what one labelled lower, and what levels are worth by that.

The analyses of this section follow Demeester, Aly, Hiemstra, Nguyen, Trieschnigg and Develder,
Exploiting User Disagreement for Web Search Evaluation: an Experimental Approach, WSDM 2014. They
are for studies of every kind except imported magnitudes, which no anchors cut into levels. If there
are opinions on several aspects of a document, those on the aspect `page` are used, or on the one
with most opinions. Magnitudes are cut into four levels, by thresholds for each topic in equal steps
of ratios between the gains of N_k and H_k, which are shown. A topic whose H_k has no more gain than
its N_k is left out, and the page says so.

**Shows** the probability that another judge assigns the top level T to a document to which one
assigned level i, p(T|i), with its interval and the number of labels behind it; and the weights of
all levels, P(M/N), the probability that at least M of N users find such a document best, beside
linear and exponential gains.

**Computed**: both directions of every pair of labels of a document count, and every document has
the same weight. Intervals (95%) are Student's over topics, or from 1,000 draws of documents with
replacement on fewer than 5 topics. The lowest level has weight 0. For studies judged here this is
shown with and without anchors, which everybody judges and whose order check (c) forces. Labels
given elsewhere count individually, as in the paper, on documents with 6 labels or more, if there
are any, and on all. If a worker labelled a document more than once, the result without comparing
these labels with each other is also shown.

**Beware**: p of one level may be below that of a lower one, which is reported; weights are
probabilities for an average topic. A scale whose levels are all equally likely to be someone's best
carries no information.

**Source**: sections 3.2 and 4.4.
"""

import numpy as np

from evaluation.analyses.analysis import Numbers, OnProgress, analysis
from evaluation.analyses.disagreement import chances
from evaluation.analyses.disagreement.chances import OF_THREE
from evaluation.presentation import plots
from evaluation.presentation.frame import ROWS, Frame
from evaluation.presentation.parts import Figure, Result, Table, percent, with_ends
from evaluation.study import levels
from evaluation.study.applies_to import in_levels
from evaluation.study.data import StudyData
from magnitudes.files.words import count

ABOUT = {
    levels.MANY: "every label counts for itself, on documents with at least as many as the "
    "paper asks for",
    levels.APART: "the same, but labels of one worker on one document are not compared with "
    "each other",
    levels.OTHERS: "without the anchors, which everybody judges and whose order a check forces",
}
SHAPES = {
    "1/2": ("circle", plots.MARK),
    "1/3": ("square", plots.MARK),
    "1/4": ("triangle-up", plots.MARK),
    "linear": ("diamond", plots.OTHER),
    "exponential": ("cross", plots.OTHER),
}


def methods(data: StudyData, numbers: Numbers) -> str:
    names = levels.names(data)
    cut = "" if data.study.is_graded else f"{levels.sentences(data, each=False)[0]} "
    return (
        f"{cut}By the user disagreement model ({levels.PAPER}) p(T|i), the chance that another "
        f"judge says {names[-1]} of a document of which one said level i, is estimated from "
        f"{count(numbers['observations'], 'label')} ({numbers['reading']}), each pair of judges in "
        f"both directions; its 95% intervals are {numbers['interval']}. From it "
        f"follows {OF_THREE}, the weight of a level: the chance that at least 1 of 3 users "
        "give a document the top level, if one of them gave it this one."
    )


@analysis(
    "What is a level worth, as others may find it the best?",
    methods=methods,
    applies_to=in_levels,
    titled=True,
)
def analyse(data: StudyData, on_progress: OnProgress) -> Result:
    """p(T|i) with intervals, and the weights of levels for several numbers of users."""
    names = levels.names(data)
    if reason := levels.why_no_chances(levels.opinions(data), names[-1]):
        return Result([reason, *levels.left_out(data)])
    every, main = chances.compute(data, on_progress), levels.readings(data)[0]
    of_main = chances.by_reading(every)[main.name]
    *_, best = of_main
    numbers = {
        "reading": main.name,
        "top": names[-1],
        **with_ends("p_top", best.p, best.low, best.high),
        **{f"p_{level}": p for level, p in enumerate(of_main["p"].tolist())},
        "observations": int(of_main["labels"].sum()),
        "interval": chances.interval(data),
    }
    return Result(
        [*chances.sentences(data, every, main.opinions), *levels.sentences(data)],
        [
            chances.figure(data, every),
            _figure(of_main, names),
            _table(data, every),
            *levels.thresholds(data),
        ],
        numbers,
    )


def _figure(main: Frame, names: list[str]) -> Figure:
    """What each level is worth, the top one 1, by each of SHAPES."""
    level = np.arange(len(names))
    worth = {name: main[f"P({name})"] for name in ("1/2", "1/3", "1/4")}
    worth |= {"linear": level / level[-1], "exponential": (2.0**level - 1) / (2.0 ** level[-1] - 1)}
    rows = [(name, by, worth[by][place]) for place, name in enumerate(names) for by in SHAPES]
    weights = Frame.of_rows("level by weight", rows).with_heads(by="weight for")
    values = [0, 0.2, 0.4, 0.6, 0.8, 1]
    across = plots.axis("weight", "weight of a level", domain=(-0.04, 1.04), values=values)
    down = plots.names("level", names[::-1])
    dots = plots.shaped(ROWS, across, down, "by", SHAPES, apart=True)
    weight = main[OF_THREE][-2]
    return weights.where(~np.isnan(weights["weight"])).figure(
        "weights",
        f"A document called {names[-2]} is {names[-1]} to at least one of three users in "
        f"{percent(weight)} of cases"
        if not np.isnan(weight)
        else f"What levels are worth beside {names[-1]}",
        "What each level is worth to two, three or four users, and by the usual gains.",
        plots.sized(dots, max(58 * len(names), 120), plots.WIDTH - 150),
        label="{level}, {by}: {weight}",
        source=levels.source("section 4.4"),
        reading="1/2, 1/3, 1/4: the chance that at least one of two, three, four users finds a "
        "document best that one of them gave this level; linear, exponential: the level, and "
        "2^level - 1, over that of the top. The lowest level is worth 0 in all, as in the paper. "
        "Look for how far the usual gains are from the chances.",
    )


def _table(data: StudyData, every: Frame) -> Table:
    top, of = levels.names(data)[-1], dict.fromkeys(every["counted"])
    dash = "A dash: no document with two judges has the level."
    return every.table(
        "levels",
        f"The chance that another says {top}, and the weights of levels",
        "Labels: those of the level that stand beside another judge's label of the document. "
        f"Chance: the share of {top} among the document's other labels, a document "
        f"weighing as much whether it has two labels or ten. Low, high: {chances.interval(data)}. "
        f"P(M/N): the chance that at least M of N users say {top}, the one who gave the "
        "level among them; 0 for the lowest level.",
        dash if np.isnan(every["p"]).any() else "",
        *(f"{counted}: {ABOUT[counted]}." for counted in of if counted in ABOUT),
        source=levels.source("section 4.4"),
    )
