"""People and the model beside each other: agreement, numbers, order of systems.

**Shows** Krippendorff's alpha between the gains of both, between two halves of people, and within
each crowd; how round and how far apart the numbers of both are; and systems and documents as
`studies` compares them. For gains by label see `model_differences`, and `levels` of both studies.
Only in a model's run, if everybody who sees it may see the study of people.

**Computed** from the documents that both judged, without anchors; systems are measured on these
documents alone. Only ratios of magnitudes have a meaning, so each crowd's gains on a topic are
divided by their geometric mean; levels are taken as they are. All alphas are within topics. Those
of gains have intervals from draws of documents alone, as a crowd is one judge in them, and none
below 20 documents a topic; those of scores are computed as in `internal`. p: 999 permutations of
the model's gains (or of one half's) among the documents of each topic. Agreement is claimed only if
p is below .05 and the interval of alpha, where there is one, above 0. Better than chance is not as
good as people: compare alpha with that between two halves of people, drawn at random for each
document, with half of its scores. Alphas of single scores are lower than those of gains. Numbers
are compared by Student's interval and t test over topics.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from evaluation import pipeline
from evaluation.analyses.agreement import alphas
from evaluation.analyses.agreement.by_person import by_person
from evaluation.analyses.analysis import OnProgress, analysis
from evaluation.analyses.question import first_counted
from evaluation.analyses.systems import shared_with, studies
from evaluation.presentation.frame import Frame
from evaluation.presentation.parts import (
    Result,
    dashes,
    interval,
    number,
    p_value,
    with_ends,
)
from evaluation.study import two_crowds
from evaluation.study.applies_to import about_people
from evaluation.study.data import Floats, Ints, StudyData
from evaluation.study.other_studies import OtherStudy
from evaluation.study.two_crowds import PEOPLE, Crowd, TwoCrowds, off_means, over_topics
from magnitudes.agreement.alpha_randomised import STAYS
from magnitudes.comparison.halves import split_by_score
from magnitudes.files.words import count
from magnitudes.scaling.aggregation import aggregate
from magnitudes.spread.distribution import ROUND

SIGNIFICANT = 0.05
BETWEEN, HALVES = "gains of people and of the model", "gains of two halves of people"


@analysis("Does the model judge as people do?", applies_to=about_people, of_systems=True)
def analyse(data: StudyData, on_progress: OnProgress) -> Result:
    """Alpha between and within, numbers, tau of documents and of systems."""
    crowds = two_crowds.read(data)
    if isinstance(crowds, str):
        return Result([crowds])
    (agreement, reasons), numbers = _alphas(crowds), _numbers(crowds)
    on_progress(0.6)
    between = next(iter(agreement))
    own = Result(
        [*_sentences(agreement), _in_words(numbers)],
        [
            agreement.table(
                "alpha",
                "Krippendorff's alpha between people and the model, and within each, within topics",
                "Low, high: 95% interval. p: of the test of no agreement. Single scores agree less "
                "than gains, which are made of several.",
                *dashes(reasons),
            ),
            numbers.table(
                "numbers",
                "Numbers of people and of the model",
                "Means over topics; difference: the model less people. sd: of normalised scores, "
                "of magnitudes their natural logarithms.",
            ),
        ],
        with_ends("alpha", between.alpha, between.low, between.high) | {"alpha_p": between.p},
    )
    return own.followed_by(_beside(crowds))


def _beside(crowds: TwoCrowds) -> Result:
    """Systems and documents, compared as those of two studies."""
    data, study = crowds.people.data, crowds.people.data.study
    gains = {topic.query_id: (topic.codes, topic.gains) for topic in data.topics}
    people = OtherStudy(study.pk, PEOPLE, study.title, study.scale, study.mark, gains)
    shared = shared_with.compute(crowds.model.data, people)
    return studies.beside(crowds.model.data, [shared], studies.Sides("the model", PEOPLE))


def _alphas(crowds: TwoCrowds) -> tuple[Frame, list[str]]:
    """Between gains of both, between two halves of people, within each; why without interval."""
    rows, reasons = [], []

    def add(between: str, values: Floats, items: Ints, blocks: Ints, **of: Any) -> None:
        data = crowds.model.data
        shared = {"level": alphas.level(data), "strata": crowds.topics[items], **of}
        numbers, reason = alphas.numbers(values, items, blocks, data.seed, **shared)
        if between == BETWEEN or numbers[4]:  # documents
            rows.append((between, *numbers[:5]))
            reasons.append(reason)

    pairs = {BETWEEN: [crowd.gains for crowd in crowds], HALVES: _halves(crowds)}
    for between, both in pairs.items():
        items = np.flatnonzero(~np.isnan(sum(both)))
        topics = crowds.topics[items]
        values = np.concatenate([crowds.in_one_unit(gains[items], topics) for gains in both])
        # The first stays, the second changes places within topics.
        blocks = np.append(np.full(len(items), STAYS), topics)
        add(between, values, np.tile(items, 2), blocks)
    for crowd in crowds:
        (which, items), judgments = crowd.judged, crowd.data.judgments
        of = {"judges": judgments.workers[which], "first": first_counted(crowd.data.study)}
        blocks = alphas.blocks(crowd.data)[which]
        add(f"scores of {crowd.name}", judgments.normalised[which], items, blocks, **of)
    return Frame.of_rows("between alpha low high p documents", rows), reasons


def _halves(crowds: TwoCrowds) -> list[Floats]:
    """Logs of the gains of documents by two halves of their judges; NaN where a half has none."""
    crowd, judgments = crowds.people, crowds.people.data.judgments
    which, items = crowd.judged
    scores, items = by_person(judgments.normalised[which], items, judgments.workers[which])
    first = split_by_score(items, np.random.default_rng(crowd.data.seed))
    how = pipeline.schemes(crowd.data.study)[1]
    halves = (aggregate(scores[h], items[h], len(crowd.items), how) for h in (first, ~first))
    return [crowd.logs(half.values) for half in halves]


def _sentences(agreement: Frame) -> Iterator[str]:
    between, *others = agreement
    if np.isnan(between.alpha):
        yield "Alpha is not defined: it takes two documents of a topic, and gains that differ."
        return
    agree = "The model's gains agree with those of people better than chance"
    if not between.p < SIGNIFICANT or between.low <= 0:  # NaN: there is no interval
        agree = f"It cannot be said that {agree[0].lower()}{agree[1:]}"
    ends = "" if np.isnan(between.low) else f"95% interval {interval(between.low, between.high)}; "
    yield (
        f"{agree}: within topics, Krippendorff's alpha between both is {number(between.alpha)}"
        f" ({ends}{p_value(between.p)}). It is of {count(between.documents, 'document')}; p is "
        "that of a randomisation test."
    )
    known = [
        f"{number(row.alpha)} between {row.between}" for row in others if row.alpha == row.alpha
    ]
    if known:
        yield f"For comparison, alpha is {', '.join(known)}."


def _numbers(crowds: TwoCrowds) -> Frame:
    """What the numbers of both are like, on the mean of topics."""
    people, model = (_by_topic(crowds, crowd) for crowd in crowds)
    rows = [
        (name, people[name].mean(), model[name].mean(), *over_topics(model[name] - people[name]))
        for name in people
    ]
    return Frame.of_rows("numbers people model difference low high p topics", rows)


def _by_topic(crowds: TwoCrowds, crowd: Crowd) -> dict[str, Floats]:
    (which, items), judgments = crowd.judged, crowd.data.judgments
    given, topics = judgments.scores[which], crowds.topics[items]
    n = np.bincount(topics)
    off = off_means(crowd.logs(judgments.normalised[which]), topics)
    of_each, _ = np.unique([topics, given], axis=1)
    by_name = {
        f"different {'levels' if crowds.is_graded else 'numbers'}": np.bincount(
            of_each.astype(np.int64)
        ).astype(np.float64),
        "sd": np.sqrt(np.bincount(topics, off**2) / n),
    }
    if not crowds.is_graded:
        first_figure = given / 10.0 ** np.floor(np.log10(given))
        is_one = np.isclose(first_figure, np.rint(first_figure))
        by_name["% that are 1, 2, 5 or 10"] = 100 * np.bincount(topics, np.isin(given, ROUND)) / n
        by_name["% with one significant figure"] = 100 * np.bincount(topics, is_one) / n
    return by_name


def _in_words(numbers: Frame) -> str:
    different, spread, *round_ones = numbers
    shares = (
        f"; {number(row.people)}% of people's and {number(row.model)}% of the model's "
        f"{row.numbers.removeprefix('% that ').replace('% with', 'have')}"
        for row in round_ones
    )
    return (
        f"On the mean topic people gave {number(different.people)} {different.numbers}, with an sd "
        f"of {number(spread.people)}, and the model {number(different.model)}, with one of "
        f"{number(spread.model)}{''.join(shares)}."
    )
