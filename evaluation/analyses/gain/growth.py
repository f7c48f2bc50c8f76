"""How the gains of documents settle as units come in (paper, sections 4.3, 5 and 6.3).

**Shows** by what factor the gain of a document from its first scores differs from its gain from all
of them: median and quartiles over documents, by how many scores had come in.

**Computed**: scores in the order in which units were completed, aggregated as the study aggregates
them; the larger of the two gains over the smaller. Documents with fewer than four scores and the
anchors are left out, and a number of scores has a row if ten documents have more.

**Beware**: both gains contain the first scores, so that the factor goes towards 1 by itself as the
last ones come in. It says nothing of the order of systems: see `judges` and `enough`.

**Source**: sections 4.3 and 6.3 explain how gains are made of scores, and how many workers they
need; the picture is in no paper.
"""

from collections.abc import Iterator

import numpy as np

from evaluation import pipeline
from evaluation.analyses.analysis import OnProgress, analysis, tracked
from evaluation.presentation import plots
from evaluation.presentation.frame import ROWS, Column, Frame
from evaluation.presentation.parts import Figure, Result, number, percent
from evaluation.study.applies_to import magnitude_here
from evaluation.study.data import Floats, Ints, StudyData
from magnitudes.files.words import count
from magnitudes.scaling.aggregation import aggregate
from magnitudes.scaling.groups import places_within

MIN_SCORES = 4  # of a document: below, its last gain is hardly more than its first ones
MIN_DOCUMENTS = 10  # that have more scores, for a number of scores to have a row
CLOSE = 1.25  # a factor
QUANTILES = {
    "lower": (0.25, "lower quartile"),
    "median": (0.5, "median factor"),
    "upper": (0.75, "upper quartile"),
    "highest": (0.95, "95th percentile"),
}


@analysis("How do gains settle as units come in?", applies_to=magnitude_here)
def analyse(data: StudyData, on_progress: OnProgress) -> Result:
    """The gain of each document from its first scores, beside that from all of them."""
    documents, judgments = data.documents, data.judgments
    wanted = (documents.counts >= MIN_SCORES) & ~documents.is_anchor
    if wanted.sum() < MIN_DOCUMENTS:
        too_few = f"Fewer than {MIN_DOCUMENTS} documents have {MIN_SCORES} scores or more"
        return Result([f"{too_few}: it cannot be seen yet how gains settle."])
    rows = np.flatnonzero(wanted[judgments.items])
    aggregation = pipeline.schemes(data.study)[1]
    growth = grown(judgments.normalised[rows], judgments.items[rows], aggregation, on_progress)
    *_, last = growth
    numbers = {name: getattr(last, name) for name in ("scores", "median", "close")}
    numbers["half_close_from"] = _half_close_from(growth)
    title = f"Gains from the first 1 to {last.scores} scores, beside those from all"
    return Result([*_sentences(growth)], [_figure(growth), growth.table("growth", title)], numbers)


def grown(
    scores: Floats, items: Ints, how: str, on_progress: OnProgress = lambda share: None
) -> Frame:
    """By what factor gains from the first 1, 2, ... scores differ from those from all.

    scores: (n,), normalised, those of a document in the order in which they came; items: (n,),
    the document of each; how: scores are aggregated, as `aggregate` takes it.
    """
    places, counts = places_within(items), np.bincount(items)
    last = int(np.sort(counts)[-MIN_DOCUMENTS]) - 1
    final = aggregate(scores, items, len(counts), how).values
    factors = []
    for n in tracked(range(1, last + 1), on_progress):
        more = counts > n
        first = (places < n) & more[items]
        gains = aggregate(scores[first], items[first], len(counts), how).values
        factors.append(np.exp(np.abs(np.log(gains[more] / final[more]))))
    return Frame.of(
        scores=Column(
            np.arange(1, last + 1),
            "scores so far",
            "Scores so far: of a document, in the order in which its units were completed. Anchors "
            f"and documents with fewer than {MIN_SCORES} scores are left out.",
        ),
        documents=Column(
            list(map(len, factors)), note="Documents: those that have more scores than that."
        ),
        **{
            name: Column(np.array([np.quantile(each, share) for each in factors]), head)
            for name, (share, head) in QUANTILES.items()
        },
        close=Column(
            np.array([np.mean(each <= CLOSE) for each in factors]),
            f"within {CLOSE:g}",
            "Quartiles and percentile: of the factor, larger over smaller, by which the gain from "
            f"these scores differs from that from all. Within {CLOSE:g}: the share of documents "
            "whose factor is no larger. The two gains share these scores, so that a factor near 1 "
            "is no surprise where few are still to come.",
        ),
    )


def _half_close_from(growth: Frame) -> int | None:
    """From how many scores on half of the gains are close, and stay so; None: of none."""
    apart = np.flatnonzero(growth["close"] < 0.5)
    first = int(apart[-1]) + 1 if apart.size else 0
    return int(growth["scores"][first]) if first < len(growth) else None


def _sentences(growth: Frame) -> Iterator[str]:
    n = _half_close_from(growth)
    shown = f"a factor of {CLOSE:g} of the gain from all scores"
    if n is None:
        yield f"With no number of scores are half of the gains within {shown}."
    else:
        yield f"From {count(n, 'score')} on, half of the gains are within {shown}."
    one, *_, last = growth
    yield (
        f"A first score alone is off by a factor of {number(one.median)} at the median; "
        f"{percent(one.close)} are within {CLOSE:g}. With {count(last.scores, 'score')} it is "
        f"{number(last.median)}, and {percent(last.close)}."
    )


def _figure(growth: Frame) -> Figure:
    across = plots.axis("scores", "scores of a document so far", **plots.whole(1, len(growth)))
    top = max(float(growth["upper"].max()), CLOSE) * 1.05
    title = "factor from the gain of all scores"
    median, lower = (plots.axis(field, title, domain=(1, top)) for field in ("median", "lower"))
    one, last = growth["median"][0], growth["median"][-1]
    return growth.figure(
        "settling",
        f"The median gain goes from a factor of {number(one)} to {number(last)} as scores come in",
        "Gains from the first scores of documents, beside those from all: median and quartiles.",
        plots.sized(
            plots.layer(
                plots.band(ROWS, across, lower, "upper"),
                plots.line(ROWS, across, median),
                plots.points(ROWS, across, median, size=24, opacity=1),
                plots.rule_at("close", y=plots.axis("factor", title, domain=(1, top))),
            )
        ),
        label="{scores} so far: {median} at the median",
        data={"close": [{"factor": CLOSE}]},
        reading=f"Dashed: a factor of {CLOSE:g}. Look for the number of scores from which the "
        "curve hardly falls any more: further units change systems little.",
    )
