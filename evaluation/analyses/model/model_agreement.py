"""People and the model beside each other: agreement, numbers, gains by label, order of systems.

**Shows** Krippendorff's alpha between the gains of both, between two halves of people, and within
each crowd; which numbers both use; gains by the level of labels; Kendall's tau of documents by
topic, and of systems by nDCG and ERR, with top sets. Only in a model's run, if everybody who sees
it may see the study of people.

**Computed** from the documents that both judged, without anchors; systems are measured on these
documents alone. Only ratios of magnitudes have a meaning, so each crowd's gains on a topic are
divided by their geometric mean; levels are taken as they are. All alphas are within topics. Those
of gains have intervals from draws of documents alone, as a crowd is one judge in them, and none
below 20 documents a topic; those of scores are computed as in `internal`. p: 999 permutations of
the model's gains (or of one half's) among the documents of each topic. Agreement is claimed only if
p is below .05 and the interval of alpha, where there is one, above 0. Better than chance is not as
good as people: compare alpha with that between two halves of people, drawn at random for each
document, with half of its scores. Alphas of single scores are lower than those of gains.
"""

from collections.abc import Iterator, Mapping

import numpy as np

from evaluation.analyses.analysis import OnProgress, analysis
from evaluation.analyses.model import alphas_of_both, parts_of_both
from evaluation.presentation import two_orders
from evaluation.presentation.frame import Frame
from evaluation.presentation.parts import (
    Result,
    correlation,
    interval,
    number,
    p_value,
    percent,
    with_ends,
)
from evaluation.study import scoring, two_crowds
from evaluation.study.applies_to import about_people
from evaluation.study.data import StudyData
from evaluation.study.two_crowds import TwoCrowds
from magnitudes.comparison.compared import Compared, compare
from magnitudes.comparison.correlation import tau_b
from magnitudes.comparison.interval import t_interval
from magnitudes.files.words import count
from magnitudes.measures.names import Measure

SIGNIFICANT = 0.05
RANKINGS = "ranking by people", "ranking by the model"


@analysis(
    "Does the model judge as people do?",
    applies_to=about_people,
    of_about=True,
    of_systems=True,
)
def analyse(data: StudyData, on_progress: OnProgress) -> Result:
    """Alpha between and within, numbers, gains by label, tau of documents and of systems."""
    crowds = two_crowds.read(data)
    if isinstance(crowds, str):
        return Result([crowds])
    alphas, topics, numbers = (
        alphas_of_both.compute(crowds, on_progress),
        _topics(crowds),
        parts_of_both.numbers(crowds),
    )
    values = {by: crowds.values(by) for by in scoring.measures(data.study) if data.runs}
    orders = {by: compare(*both, RANKINGS) for by, both in values.items()}
    between, given = next(iter(alphas)), "level" if crowds.is_graded else "number"
    return Result(
        [
            *_sentences(crowds, alphas, topics),
            _numbers(numbers, given),
            *_systems(orders, len(topics)),
        ],
        [
            *parts_of_both.gains_by_label(crowds),
            *parts_of_both.systems(data, values, orders),
            alphas_of_both.table(alphas),
            numbers.table("numbers", "Numbers of people and of the model", parts_of_both.KINDS),
            topics.table(
                "documents",
                "Documents that both judged, by topic",
                "tau: Kendall's tau-b of the gains; NaN, shown as a dash, where one crowd gave all "
                "of them the same.",
            ),
        ],
        with_ends("alpha", between.alpha, between.low, between.high)
        | {"alpha_p": between.p, "documents": len(crowds.topics), "topics": len(topics)}
        | {f"tau_{by.name}": order.tau.tau for by, order in orders.items()},
    )


def _topics(crowds: TwoCrowds) -> Frame:
    """Of each topic tau between the gains of its documents."""
    names = [topic.query_id for topic in crowds.model.data.topics]
    of = [crowds.topics == place for place in range(len(names))]
    taus = [tau_b(*(crowd.gains[its] for crowd in crowds)) for its in of]
    return Frame.of(query_id=names, documents=[its.sum() for its in of], tau=taus)


def _sentences(crowds: TwoCrowds, alphas: Frame, topics: Frame) -> Iterator[str]:
    between, *others = alphas
    if np.isnan(between.alpha):
        yield "Alpha is not defined: it takes two documents of a topic, and gains that differ."
        return
    agree = "The model's gains agree with those of people better than chance"
    if not between.p < SIGNIFICANT or between.low <= 0:  # NaN: there is no interval
        agree = f"It cannot be said that {agree[0].lower()}{agree[1:]}"
    low, high = between.low, between.high
    ends = "" if np.isnan(low) else f"95% interval {interval(low, high)}; "
    yield (
        f"{agree}: within topics, Krippendorff's alpha between both is {number(between.alpha)}"
        f" ({ends}{p_value(between.p)}). It is of {count(len(crowds.topics), 'document')} on "
        f"{count(len(topics), 'topic')}; p is that of a randomisation test."
    )
    known = [
        f"{number(row.alpha)} between {row.between}" for row in others if row.alpha == row.alpha
    ]
    if known:
        yield f"For comparison, alpha is {', '.join(known)}."
    taus = topics["tau"][~np.isnan(topics["tau"])]
    mean, low, high = map(float, t_interval(taus))
    if taus.size:
        of = "" if np.isnan(low) else f" (95% interval {interval(low, high)})"
        yield f"Documents: the mean over topics of Kendall's tau is {correlation(mean, 3)}{of}."


def _numbers(numbers: Frame, given: str) -> str:
    said = [
        f"{row.crowd} gave {count(row.different, f'different {given}')} in "
        f"{count(row.judgments, 'judgment')}"
        + (f", {percent(row.round)} of them 1, 2, 5 or 10" if "round" in numbers.names else "")
        for row in numbers
    ]
    return f"{said[0][0].upper()}{said[0][1:]}; {said[1]}."


def _systems(orders: Mapping[Measure, Compared], topics: int) -> Iterator[str]:
    said = [
        f"by {by.short}, {two_orders.tau_or_why(of)}"
        f"{two_orders.top_sets(of, 'people', 'the model', ', ')}"
        for by, of in orders.items()
    ]
    if said:
        yield f"Systems: {'; '.join(said)}."
        yield from two_orders.too_few(topics)
