"""What changes if agreement counts: unanimity-aware gains (Sakai, EVIA 2017)."""

from collections.abc import Iterator

import numpy as np

from evaluation.analyses import plots, ratings, unanimity_orders
from evaluation.analyses.data import Ints, StudyData
from evaluation.analyses.parts import Analysed, Figure, Row, Table, Tell, number, percent
from evaluation.analyses.ratings import SOURCE, Rated
from evaluation.gains.scores import LEVELS
from evaluation.gains.unanimity import P, unanimity
from trec.words import count

TITLE = "D: largest rating less the smallest"
INSET = 0.06  # of a bar
MOST = 500  # documents that are listed
BINS = 10  # of a scale without levels


def analyse(data: StudyData, tell: Tell) -> Analysed:
    """How unanimous ratings are, and systems by RawG, WG and UG."""
    rated = ratings.rated(data)
    if not rated.several.any():
        says = "No document counts with two ratings yet: nobody could agree or disagree."
        if more := int((rated.counts > 1).sum()):
            says += (
                " Most documents have one rating, so that the first alone counts of the "
                f"{count(more, 'document')} with more, here and in the gains raw, weighted and "
                "unanimity:P."
            )
        return Analysed([says])
    orders = unanimity_orders.analyse(data, rated, tell)
    return Analysed(
        [*_says(rated), *orders.says, *_told(data, rated)],
        [_figure(rated), *orders.parts, _documents(data, rated)],
        {"n": rated.n, "unanimous": float(rated.unanimous.mean()), **orders.numbers},
    )


def _says(rated: Rated) -> Iterator[str]:
    spread, zero = rated.gains.spread[rated.several], rated.gains.raw[rated.several] == 0
    unanimous = rated.unanimous
    lowest, others = ((unanimous & of).mean() for of in (zero, ~zero))
    yield (
        f"Of {count(len(spread), 'document')} with two ratings or more, "
        f"{percent(unanimous.mean(), 1)} {'has' if len(spread) == 1 else 'have'} ratings that are "
        f"all equal: {percent(lowest, 1)} all of {rated.lowest}, which stay worth nothing, and "
        f"{percent(others, 1)} others. The largest rating less the smallest, D, is "
        f"{number(float(spread.mean()))} in the mean, "
        f"where {number(rated.d_max)} is the most; of as many ratings that do not agree at all "
        f"it would be {number(float(rated.simulated_spread.mean()))}."
    )


def _told(data: StudyData, rated: Rated) -> Iterator[str]:
    short = int(rated.gains.short.sum())
    more = int((rated.counts > rated.n).sum())
    why = "most have" if data.study.ratings_wanted is None else "each is to have"
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
    said = data.opinions.given
    of = unanimity(said.items, said.levels, said.n_items, said.n_levels - 1, rated.n)
    return float((of.spread[rated.several] == 0).mean())


def _figure(rated: Rated) -> Figure:
    edges = (
        np.linspace(0, rated.d_max, BINS + 1)
        if rated.is_continuous
        else np.arange(int(rated.d_max) + 2) - 0.5
    )
    spread = rated.gains.spread[rated.several]
    share, made = (np.histogram(of, edges)[0] / len(of) for of in (spread, rated.simulated_spread))
    ends = (edges[:-1], edges[1:], (edges[:-1] + edges[1:]) / 2)
    rows: list[Row] = list(zip(*(of.tolist() for of in (*ends, share, made)), strict=True))
    ticks = {} if rated.is_continuous else plots.whole(0, int(rated.d_max))
    across = plots.x("from", TITLE, **ticks | {"domain": (edges[0], edges[-1])})
    up = plots.y("share", "documents", format=".0%")
    bars = plots.on("spread").mark_rect(color=plots.MARK, opacity=0.6)
    drawn = {"shape": "diamond", "color": plots.OTHER, "size": 70, "opacity": 1}
    dots = plots.points("spread", plots.x("at", TITLE), plots.y("nobody", "documents"), **drawn)
    return Figure(
        "spread",
        f"{percent(rated.unanimous.mean(), 1)} of documents have ratings that are all equal; D is "
        f"{number(float(spread.mean()))} of {number(rated.d_max)} in the mean",
        "Bars: documents with two ratings or more by D. Diamonds: if their ratings, as many as "
        "each has, did not agree at all, each with equal chances from the lowest to the highest. "
        "Look how far people are from that: the farther to the left, the more unanimity counts.",
        plots.sized(
            plots.alt.layer(
                bars.encode(x=across, x2="to:Q", y=up, y2=plots.alt.datum(0), description="name:N"),
                dots,
            ),
            200,
        ),
        {
            "spread": [
                {
                    "from": low + INSET * (high - low),
                    "to": high - INSET * (high - low),
                    "at": at,
                    "share": one,
                    "nobody": other,
                    "name": f"D {_between(rated, low, high)}: {percent(one, 1)} of documents; "
                    f"{percent(other, 1)} if nobody agreed",
                }
                for low, high, at, one, other in rows
            ]
        },
        ("from", "to", "D", "share", "share_if_nobody_agreed"),
        rows,
    )


def _between(rated: Rated, low: float, high: float) -> str:
    if rated.is_continuous:
        return f"from {number(low)} to {number(high)}"
    return number((low + high) / 2)


def _documents(data: StudyData, rated: Rated) -> Table:
    of = rated.gains
    known = np.flatnonzero(rated.several)
    order = known[np.argsort(-(of.raw - of.weighted)[known], kind="stable")][:MOST]
    texts = _texts(rated, order)
    rows: list[Row] = [
        (
            *data.pair_name(item),
            texts[item],
            *(float(value[item]) for value in (of.raw, of.spread, of.weighted, of.aware)),
            int(rated.counts[item]),
            "fewer than N" if of.short[item] else "",
        )
        for item in order.tolist()
    ]
    cut = f" The first {MOST} of {len(known):,} documents." if len(known) > MOST else ""
    return Table(
        "documents",
        "Documents by what disagreement takes from them, most first",
        ("query_id", "doc_id", "ratings", "RawG", "D", "WG", f"UG_{P:g}", "n_ratings", "mark"),
        rows,
        (
            f"ratings: the {rated.n} that count, in the order in which they came. Sorted by "
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
