"""What changes if agreement counts: unanimity-aware gains (Sakai, EVIA 2017).

This analysis follows Sakai, Unanimity-Aware Gain for Highly Subjective Assessments, EVIA 2017.

**Shows** how many documents have ratings that are all equal, and the distribution of D, the largest
rating minus the smallest, beside that of ratings that do not agree at all; by four measures, how
the order of systems by gains that count unanimity agrees with that by the plain sum of ratings, and
which pairs of systems differ under only one of the two gains; and the documents whose gain
disagreement reduces most.

**Computed**: RawG is the sum of N ratings from 0 to Dmax, WG = (1 - D/Dmax) RawG, UG = RawG + p N
(Dmax - D), or 0 where RawG is 0; p is .1, .2 (the paper's) and .5. N is the study's redundancy or,
for labels given elsewhere, the number of ratings that most documents have. For a document with more
ratings the first N count; for one with fewer the sum is scaled up, and the document is marked.
Levels are ratings as they are. A magnitude becomes a rating from 0 to 1: log(s/N_k) / log(H_k/N_k),
with the gains of the topic's anchors, cut off at both ends. The anchors are the only bounds of a
scale of magnitudes, and equal ratios are equal steps, as they are to the workers; below N_k a
rating is 0, because RawG must be able to be 0. Such gains are compared with RawG of the same
ratings, not with magnitudes. Pairs are tested by the randomised Tukey HSD test, with the same
random orders for both gains. Ratings that do not agree are simulated, as many for each document as
it has: whole numbers with equal probabilities (for magnitudes, eighths), as in section 4 of the
paper, for documents with a label above 0, or in a study without labels with a rating above 0;
others have 0. Tau is then the median of 20 draws.

**Beware**: D of few ratings is small by chance, and that of many is near Dmax if a single one is an
outlier. P+ and nERR depend on the unit of gain: they change with N.

**Source**: Tables 1, 2 and 3, section 4.
"""

from types import SimpleNamespace

import numpy as np

from evaluation.analyses.analysis import Numbers, OnProgress, analysis
from evaluation.analyses.disagreement import ratings, unanimity_orders
from evaluation.analyses.disagreement.ratings import SOURCE, Rated
from evaluation.presentation import plots
from evaluation.presentation.frame import ROWS, Column, Frame
from evaluation.presentation.parts import Figure, Result, Table, number, percent
from evaluation.study.applies_to import in_levels
from evaluation.study.data import StudyData
from magnitudes.files.words import count
from magnitudes.gains.unanimity import P

TITLE = "D: largest rating less the smallest"
INSET = 0.06  # of a bar
MAX_DOCUMENTS = 500  # that are listed
BINS = 10  # of a scale without levels
NOBODY = {"shape": "diamond", "colour": plots.OTHER, "size": 70, "opacity": 1}


def methods(data: StudyData, numbers: Numbers) -> str:
    magnitude = "log(s / N_k) / log(H_k / N_k) of a score s, cut off at 0 and 1"
    rating = "a level, the lowest being 0" if data.study.is_graded else magnitude
    return (
        f"Gains that count unanimity, RawG, WG and UG {ratings.SOURCE}, are from N = "
        f"{numbers['n']} ratings of a document, with p = {', '.join(f'{p:g}' for p in ratings.P)}; "
        f"a rating is {rating}."
    )


@analysis(
    "What changes if unanimity counts?",
    methods=methods,
    applies_to=in_levels,
    titled=True,
    of_systems=True,
)
def analyse(data: StudyData, on_progress: OnProgress) -> Result:
    """How unanimous ratings are, and systems by RawG, WG and UG."""
    rated = ratings.rated(data)
    if not rated.several.any():
        reason = "No document counts with two ratings yet: nobody could agree or disagree."
        if more := int((rated.counts > 1).sum()):
            reason += (
                " Most documents have one rating, so that the first alone counts of the "
                f"{count(more, 'document')} with more, here and in the gains raw, weighted and "
                "unanimity:P."
            )
        return Result([reason])
    orders, documents = unanimity_orders.analyse(data, rated, on_progress), _documents(data, rated)
    divided = documents.of_columns("ratings", "RawG", f"UG_{P:g}").rows[0]
    return Result(
        [_unanimous(rated), *orders.sentences, *ratings.counted(data, rated)],
        [_figure(rated), *orders.parts, _table(rated, documents)],
        {"n": rated.n, "unanimous": rated.unanimous.mean(), "most_divided": list(divided)}
        | {**orders.numbers},
    )


def _unanimous(rated: Rated) -> str:
    spread, zero = rated.gains.spread[rated.several], rated.gains.raw[rated.several] == 0
    lowest, others = ((rated.unanimous & documents).mean() for documents in (zero, ~zero))
    return (
        f"Of {count(len(spread), 'document')} with two ratings or more, {percent(lowest, 1)} have "
        f"ratings that are all {rated.lowest}, which stay worth nothing, and {percent(others, 1)} "
        "others that are all equal. If ratings did not agree at all, D, the largest less the "
        f"smallest, would average {number(float(rated.simulated_spread.mean()))}."
    )


def _figure(rated: Rated) -> Figure:
    """Shares of documents by D, as rated, and if nobody agreed."""
    d_max, rates = rated.d_max, (rated.gains.spread[rated.several], rated.simulated_spread)
    whole = np.arange(int(d_max) + 2) - 0.5  # around each D
    edges = np.linspace(0, d_max, BINS + 1) if rated.is_continuous else whole
    start, end = edges[:-1], edges[1:]
    shares, nobody = (np.histogram(spread, edges)[0] / len(spread) for spread in rates)
    ends = {"from": start, "to": end}
    bins = Frame.of(**ends, D=(start + end) / 2, share=shares, share_if_nobody_agreed=nobody)
    inset = INSET * (end - start)
    bars = bins.with_columns(left=start + inset, right=end - inset)

    def label(row: SimpleNamespace) -> str:
        between = f"from {number(vars(row)['from'])} to {number(row.to)}"
        return (
            f"D {between if rated.is_continuous else number(row.D)}: {percent(row.share, 1)} of "
            f"documents; {percent(row.share_if_nobody_agreed, 1)} if nobody agreed"
        )

    ticks = {} if rated.is_continuous else plots.whole(0, int(d_max))
    across = plots.axis("left", TITLE, **ticks | {"domain": (edges[0].item(), edges[-1].item())})
    up, middle = plots.axis("share", "documents", percent=True), plots.axis("D", TITLE)
    chart = plots.layer(
        plots.mark("rect", ROWS, x=across, x2="right", y=up, opacity=0.6, named=True),
        plots.points(ROWS, middle, plots.axis("share_if_nobody_agreed", "documents"), **NOBODY),
    )
    return bins.figure(
        "spread",
        f"{percent(rated.unanimous.mean(), 1)} of documents have ratings that are all equal; "
        f"ratings of a document lie {number(float(rates[0].mean()))} apart on average, of at most "
        f"{number(d_max)}",
        "Bars: documents by D; diamonds: if nobody agreed.",
        plots.sized(chart, 200),
        data={ROWS: bars.marks(label)},
        reading="D: the largest rating of a document less the smallest, of two or more. If nobody "
        "agreed: as many ratings as each has, with equal chances from the lowest to the highest. "
        "The farther to the left ratings are of that, the more unanimity counts.",
    )


def _documents(data: StudyData, rated: Rated) -> Frame:
    """Those with several ratings, by what disagreement takes from them, most first."""
    gains, several = rated.gains, np.flatnonzero(rated.several)
    order = several[np.argsort(-(gains.raw - gains.weighted)[several], kind="stable")]
    order = order[:MAX_DOCUMENTS]
    query_ids, doc_ids = zip(*map(data.pair_name, order.tolist()), strict=True)
    return Frame.of(
        query_id=query_ids,
        doc_id=doc_ids,
        ratings=rated.texts(order),
        RawG=gains.raw[order],
        D=gains.spread[order],
        WG=gains.weighted[order],
        **{f"UG_{P:g}": Column(gains.aware[order], head=f"UG, p = {P:g}")},
        n_ratings=Column(rated.counts[order], head="ratings given"),
        mark=np.where(gains.short[order], "fewer than N", ""),
    )


def _table(rated: Rated, documents: Frame) -> Table:
    n, most = int(rated.several.sum()), MAX_DOCUMENTS
    cut = f" The first {most} of {n:,} documents." if n > most else ""
    return documents.table(
        "documents",
        "Documents by what disagreement takes from them, most first",
        f"Ratings: the {rated.n} that count, in the order in which they came. Sorted by "
        f"RawG - WG.{cut}",
        source=f"Table 1 {SOURCE}",
    )
