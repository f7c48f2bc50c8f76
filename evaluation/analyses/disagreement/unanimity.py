"""What changes if agreement counts: unanimity-aware gains (Sakai, EVIA 2017)."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from evaluation.analyses.analysis import Analysis, Numbers
from evaluation.analyses.disagreement import ratings, unanimity_orders
from evaluation.analyses.disagreement.ratings import SOURCE, Rated
from evaluation.presentation import plots
from evaluation.presentation.parts import (
    Analysed,
    Figure,
    Row,
    Table,
    Tell,
    number,
    percent,
)
from evaluation.study.data import Ints, StudyData
from evaluation.study.fits import in_levels
from magnitudes.files.words import count
from magnitudes.gains.scores import LEVELS
from magnitudes.gains.unanimity import P, unanimity

TITLE = "D: largest rating less the smallest"
INSET = 0.06  # of a bar
MOST = 500  # documents that are listed
BINS = 10  # of a scale without levels


class Bin(NamedTuple):
    """Shares of documents whose D lies from `start` to `end`: as rated, and if nobody agreed."""

    start: float
    end: float
    middle: float
    share: float
    nobody: float

    @property
    def left(self) -> float:
        """Where its bar begins."""
        return self.start + INSET * (self.end - self.start)

    @property
    def right(self) -> float:
        return self.end - INSET * (self.end - self.start)


def analyse(data: StudyData, tell: Tell) -> Analysed:
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
        return Analysed([reason])
    orders, documents = unanimity_orders.compute(data, rated, tell), table(data, rated)
    return Analysed(
        [*says(rated), *unanimity_orders.says(orders), *_counted(data, rated)],
        [figure(rated), *unanimity_orders.parts(orders), documents],
        {
            "n": rated.n,
            "unanimous": float(rated.unanimous.mean()),
            "most_divided": _most_divided(documents),
            **(orders.numbers() if orders else {}),
        },
    )


def _most_divided(documents: Table) -> list[Any]:
    """The ratings, RawG and UG of the document from which disagreement takes most."""
    first = dict(zip(documents.columns, documents.rows[0], strict=True))
    return [first[name] for name in ("ratings", "RawG", f"UG_{P:g}")]


def says(rated: Rated) -> Iterator[str]:
    spread, zero = rated.gains.spread[rated.several], rated.gains.raw[rated.several] == 0
    unanimous = rated.unanimous
    lowest, others = ((unanimous & documents).mean() for documents in (zero, ~zero))
    yield (
        f"Of {count(len(spread), 'document')} with two ratings or more, {percent(lowest, 1)} have "
        f"ratings that are all {rated.lowest}, which stay worth nothing, and {percent(others, 1)} "
        "others that are all equal. If ratings did not agree at all, D, the largest less the "
        f"smallest, would be {number(float(rated.simulated_spread.mean()))} in the mean."
    )


def _counted(data: StudyData, rated: Rated) -> Iterator[str]:
    """Which ratings count, how magnitudes became ratings, and what is left out."""
    short = int(rated.gains.short.sum())
    more = int((rated.counts > rated.n).sum())
    why = "most have" if data.study.max_counted_judgments is None else "each is to have"
    yield (
        f"Every document counts with {count(rated.n, 'rating')}, as many as {why}"
        + (f": of {count(more, 'document')} with more, the first {rated.n}" if more else "")
        + (
            f". {count(short, 'document has', 'documents have')} fewer: the sum is scaled up as if "
            "the missing ratings had been like the others, and D may be too small."
            if short
            else "."
        )
    )
    if rated.is_continuous:
        yield (
            "A magnitude counts as how far up from N_k to H_k it is, in ratios: 0 for N_k and what "
            f"is below ({percent(rated.below)} of scores), 1 for H_k and what is above "
            f"({percent(rated.above)}). Rounded to {LEVELS} levels, "
            f"{percent(_same_level(data, rated), 1)} of documents have ratings that are all equal. "
            "Gains of these ratings are compared with each other, not with those of magnitudes."
        )
    if rated.lost:
        yield f"Left out: {count(rated.lost, 'topic')} whose H_k has no more gain than its N_k."


def _same_level(data: StudyData, rated: Rated) -> float:
    """The share of documents whose ratings are all equal once they are levels."""
    opinions = data.opinions.given
    gains = unanimity(
        opinions.items, opinions.levels, opinions.n_items, opinions.n_levels - 1, rated.n
    )
    return float((gains.spread[rated.several] == 0).mean())


def figure(rated: Rated) -> Figure:
    rows = _bins(rated)
    spread = float(rated.gains.spread[rated.several].mean())
    return Figure(
        "spread",
        f"{percent(rated.unanimous.mean(), 1)} of documents have ratings that are all equal; in "
        f"the mean ratings of a document lie {number(spread)} apart, of at most "
        f"{number(rated.d_max)}",
        "Bars: documents by D; diamonds: if nobody agreed.",
        plots.sized(_chart(rated, rows), 200),
        {"spread": [_mark(rated, row) for row in rows]},
        ("from", "to", "D", "share", "share_if_nobody_agreed"),
        rows,
        reading="D: the largest rating of a document less the smallest, of two or more. If nobody "
        "agreed: as many ratings as each has, with equal chances from the lowest to the highest. "
        "The farther to the left ratings are of that, the more unanimity counts.",
    )


def _bins(rated: Rated) -> list[Bin]:
    """Ten where ratings have no levels, else one for each D."""
    edges = (
        np.linspace(0, rated.d_max, BINS + 1)
        if rated.is_continuous
        else np.arange(int(rated.d_max) + 2) - 0.5
    )
    spreads = (rated.gains.spread[rated.several], rated.simulated_spread)
    shares = [np.histogram(spread, edges)[0] / len(spread) for spread in spreads]
    columns = (edges[:-1], edges[1:], (edges[:-1] + edges[1:]) / 2, *shares)
    return [Bin(*row) for row in zip(*(column.tolist() for column in columns), strict=True)]


def _chart(rated: Rated, rows: list[Bin]) -> plots.Plot:
    ticks = {} if rated.is_continuous else plots.whole(0, int(rated.d_max))
    across = plots.axis("from", TITLE, **ticks | {"domain": (rows[0].start, rows[-1].end)})
    up = plots.axis("share", "documents", percent=True)
    bars = plots.mark("rect", "spread", x=across, x2="to", y=up, opacity=0.6, named=True)
    style = {"shape": "diamond", "colour": plots.OTHER, "size": 70, "opacity": 1}
    at, nobody = plots.axis("at", TITLE), plots.axis("nobody", "documents")
    dots = plots.points("spread", at, nobody, **style)
    return plots.layer(bars, dots)


def _mark(rated: Rated, row: Bin) -> dict[str, float | str]:
    """What is drawn for a bin."""
    between = (
        f"from {number(row.start)} to {number(row.end)}"
        if rated.is_continuous
        else number(row.middle)
    )
    name = (
        f"D {between}: {percent(row.share, 1)} of documents; {percent(row.nobody, 1)} if nobody "
        "agreed"
    )
    return {
        "from": row.left,
        "to": row.right,
        "at": row.middle,
        "share": row.share,
        "nobody": row.nobody,
        "name": name,
    }


def table(data: StudyData, rated: Rated) -> Table:
    gains = rated.gains
    several = np.flatnonzero(rated.several)
    order = several[np.argsort(-(gains.raw - gains.weighted)[several], kind="stable")][:MOST]
    texts = _texts(rated, order)
    columns = (gains.raw, gains.spread, gains.weighted, gains.aware)
    rows: list[Row] = [
        (
            *data.pair_name(item),
            texts[item],
            *(float(column[item]) for column in columns),
            int(rated.counts[item]),
            "fewer than N" if gains.short[item] else "",
        )
        for item in order.tolist()
    ]
    cut = f" The first {MOST} of {len(several):,} documents." if len(several) > MOST else ""
    return Table(
        "documents",
        "Documents by what disagreement takes from them, most first",
        ("query_id", "doc_id", "ratings", "RawG", "D", "WG", f"UG_{P:g}", "n_ratings", "mark"),
        rows,
        (
            f"Ratings: the {rated.n} that count, in the order in which they came. Sorted by "
            f"RawG - WG.{cut}",
        ),
        f"Table 1 {SOURCE}",
    )


def _texts(rated: Rated, items: Ints) -> dict[int, str]:
    """The ratings that count of some items."""
    order = np.argsort(rated.given.items, kind="stable")
    starts = np.searchsorted(rated.given.items[order], items)
    return {
        item: " ".join(f"{rating:.3g}" for rating in rated.given.ratings[places].tolist())
        for item, start, n in zip(items.tolist(), starts.tolist(), rated.counts[items], strict=True)
        for places in [order[start : start + min(n, rated.n)]]
    }


def methods(data: StudyData, numbers: Numbers) -> str:
    rating = "a level, the lowest being 0"
    if not data.study.is_graded:
        rating = "log(s / N_k) / log(H_k / N_k) of a score s, cut off at 0 and 1"
    return (
        f"Gains that count unanimity, RawG, WG and UG {ratings.SOURCE}, are from N = "
        f"{numbers['n']} ratings of a document, with p = {', '.join(f'{p:g}' for p in ratings.P)}; "
        f"a rating is {rating}."
    )


ANALYSIS = Analysis(
    "unanimity",
    "What changes if unanimity counts?",
    analyse,
    methods=methods,
    fits=in_levels,
    titled=True,
    of_systems=True,
)
