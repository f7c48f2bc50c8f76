"""Agreement with the labels by pairs of levels: of gains, and of other label sets.

Paper, section 6.1.2, Figure 7. A part of the analysis `labels`.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from evaluation.presentation import plots, published
from evaluation.presentation.frame import ROWS, Frame
from evaluation.presentation.parts import OF_PAPER, Result, percent, thinned
from evaluation.study import pairs_in_order
from evaluation.study.data import StudyData
from evaluation.study.pairs_in_order import EVERY, GAINS, Pairs
from magnitudes.comparison.top_set import LEAST_TOPICS
from magnitudes.files.words import count
from web.drawing.charts import Plot

MOST_COLUMNS, MOST_TOPICS = 15, 60  # that are drawn
PAPERS_PAIRS = {"0, 2": "N-R", "0, 3": "N-H"}  # two of its levels N, M, R and H
SHARE = "share of pairs in the labels' order"
Marks = dict[str, list[dict[str, Any]]]


def analyse(data: StudyData) -> Result:
    """By each two levels that some topic has, by any two, and of other label sets."""
    whole, sets = pairs_in_order.gains(data), pairs_in_order.label_sets(data)
    by_levels = [*pairs_in_order.by_levels(data)]
    every, query_ids = [*by_levels, whole, *sets], [topic.query_id for topic in data.topics]
    alone, in_no_pair = len(every) == 1, data.unlabelled if data.with_zeros is data else 0
    plot, marks = _of_topics(whole, query_ids) if alone else _of_levels(by_levels, [whole, *sets])
    look = "topics far to the left" if alone else "levels that the crowd does not distinguish"
    unlabelled = count(in_no_pair, "unlabelled document (U) is", "unlabelled documents (U) are")
    names = "values", "levels", "mean", "topics", "pairs", "smallest", "largest"
    frame = Frame.of_rows(names, [_row(pairs) for pairs in every])
    figure = frame.of_columns(*names[:4]).figure(
        "levels",
        f"Gains and labels agree on {percent(whole.mean)} of pairs of documents",
        f"Dots: topics; {'dashed' if alone else 'diamonds'}: their mean.",
        plot,
        data=marks,
        source="Figure 7",
        reading="Gains agree with labels on two documents unless the one with the lower label has "
        f"the higher gain. Look for {look}: as chance would have it, half of the pairs agree."
        f"{f' {unlabelled} in no pair.' if in_no_pair else ''}",
    )
    table = frame.table(
        "levels-table",
        "Agreement with the labels by pairs of levels",
        "Values: gains, or labels of another set, which are compared with the labels, both as "
        "binary ones (above 0 or not). Mean, smallest, largest: over topics that have "
        "documents of both levels. Pairs: of documents, on all topics.",
        published.quote(
            "The paper: N and H {pairs.N-H}, N and R {pairs.N-R}, all levels {pairs.graded}, "
            "binary labels {pairs.binary}, between its two label sets {pairs.label_sets}."
        ),
        source="Figure 7",
    )
    shares = {
        f"{'' if of.values == GAINS else f'{of.values}: '}{of.levels}": of.shares for of in every
    }
    empty = any(np.isnan(column).any() for column in shares.values())
    by_topic = Frame.of(query_id=query_ids, **shares).table(
        "topics",
        "Agreement with the labels by topic",
        "A dash: no two judged documents of these levels." if empty else "",
    )
    sentences = [*_sentences(whole, sets, data.label_set)]
    return Result(sentences, [figure, table, by_topic], _numbers(data, by_levels, whole, sets))


def _row(of: Pairs) -> tuple[Any, ...]:
    ends = np.nanmin(of.shares), np.nanmax(of.shares)
    return of.values, of.levels, of.mean, of.topics, of.pairs.sum(), *ends


def _numbers(
    data: StudyData, by_levels: list[Pairs], whole: Pairs, sets: list[Pairs]
) -> dict[str, float | int | str]:
    """How often gains are in the order of labels, and the same as the paper counts it."""
    others = pairs_in_order.without_anchors(data)
    pairs = others or whole
    numbers: dict[str, float | int | str] = {
        **pairs.numbers("pairs_in_order"),
        "pairs_in_order_p": pairs.p_of_chance,
        "pairs_topics": pairs.topics,
        "pairs": int(pairs.pairs.sum()),
        "pairs_of": "others" if others else "all",  # than anchors
    }
    # With the anchors: by binary labels, by graded ones, of two sets as binary.
    if data.with_zeros is data:
        binary = pairs_in_order.binary_gains(data)
        numbers |= binary.numbers("pairs_binary", LEAST_TOPICS) if binary.topics else {}
        numbers |= whole.numbers("pairs_graded", LEAST_TOPICS) if by_levels else {}
    return {**numbers, **({"pairs_label_sets": sets[0].mean} if sets else {})}


def _sentences(whole: Pairs, sets: list[Pairs], label_set: str) -> Iterator[str]:
    yield (
        "The gains of two documents with different labels are in the labels' order in "
        f"{percent(whole.mean)} of cases (mean over {count(whole.topics, 'topic')}; the paper: "
        + published.quote("{pairs.graded} with graded labels, {pairs.binary} with binary ones).")
    )
    for each in sets:
        yield (
            f"Both taken as binary, relevant (above 0) or not, the labels “{each.values}” put "
            f"documents with different labels “{label_set}” in their order in "
            f"{percent(each.mean)} of cases (mean over {count(each.topics, 'topic')}; the "
            + published.quote("paper: {pairs.label_sets} between its two label sets); equal ")
            + "labels do not disagree."
        )


def _of_topics(whole: Pairs, query_ids: list[str]) -> tuple[Plot, Marks]:
    """All pairs, topic by topic, the highest agreement on top."""
    known = Frame.of(topic=query_ids, share=whole.shares).where(whole.pairs > 0)
    topics = known.sorted_by("share", descending=True)
    topics = topics.where(np.arange(len(topics))[-MOST_TOPICS:])
    domain = (min(0.5, topics["share"].min()), 1)
    across = plots.axis("share", SHARE, domain=domain, percent=True)
    down = plots.names("topic", topics["topic"].tolist())
    dots = plots.points(ROWS, across, down, size=60, opacity=1)
    plot = plots.layer(plots.rule_at("mean", x=across), dots)
    marks = topics.marks("topic {topic}: {share:percent}")
    sized = plots.sized(plot, height=max(18 * len(topics), 60))
    return sized, {ROWS: marks, "mean": [{"share": whole.mean}]}


def _of_paper(by_levels: list[Pairs]) -> Iterator[dict[str, Any]]:
    """What the paper found, at the levels that it has."""
    keys = {EVERY: "graded" if by_levels else "binary"}
    if {name for of in by_levels for name in of.levels.split(", ")} == {*"0123"}:
        keys |= PAPERS_PAIRS
    for column, key in keys.items():
        share = published.value(f"pairs.{key}")
        yield {"column": column, "share": share, "name": f"the paper: {percent(share)}"}


def _of_levels(by_levels: list[Pairs], others: list[Pairs]) -> tuple[Plot, Marks]:
    """Side by side; with too many pairs of levels for a plot, the table alone has them."""
    shown = [*by_levels, *others] if len(by_levels) + len(others) <= MOST_COLUMNS else others
    across = plots.names(
        "column",
        [of.name for of in shown],
        "two levels; all: any two; by name: of another label set",
    )
    up = plots.axis("share", SHARE, domain=(0, 1), percent=True)
    style = {"shape": "diamond", "colour": plots.OTHER, "size": 150, "filled": False}
    diamonds = plots.points("means", across, up, width=2, opacity=1, **style)
    some = thinned(len(others[0].shares), most=MOST_TOPICS)
    dots = [(of.name, share) for of in shown for share in of.shares[some] if not np.isnan(share)]
    means = [(of.name, of.mean, count(of.topics, "topic")) for of in shown]
    dotted = plots.points(ROWS, across, up, size=14)
    return plots.sized(plots.layer(dotted, diamonds, plots.paper(across, up))), {
        OF_PAPER: [*_of_paper(by_levels)],
        ROWS: Frame.of_rows("column share", dots).marks("{column}: {share:percent}"),
        "means": Frame.of_rows("column share topics", means).marks(
            "{column}: mean {share:percent}, {topics}"
        ),
    }
