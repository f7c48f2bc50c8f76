"""How far apart the normalised scores of a document are (paper, section 6.1.1, Figure 5).

**Shows** the ratio of the largest to the smallest normalised score of a document, beside the
geometric standard deviation, and the quantiles of both and of the standard deviation.

**Computed** on all documents with two scores or more; the correlation is that of logarithms. Both
are without unit: a geometric standard deviation of 2 means that scores are typically twice or half
the geometric mean.

**Source**: section 6.1.1, Figure 5.
"""

from collections.abc import Iterator

import numpy as np

from evaluation.analyses.analysis import OnProgress, analysis
from evaluation.presentation import plots
from evaluation.presentation.frame import ROWS, Frame
from evaluation.presentation.parts import Figure, Result, Table, number, percent, thinned
from evaluation.study.applies_to import magnitude
from evaluation.study.data import Floats, StudyData
from magnitudes.files.words import count
from magnitudes.spread.spread import EXTREME, is_extreme, spread

BINS = 30
QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95, 1.0)
ROLES = {"anchor": ("diamond", plots.OTHER), "other": ("circle", plots.MARK)}
OF_ANCHORS = ". Anchors have far more scores, and therefore larger ratios"
ALWAYS_DRAWN = 50  # documents whose scores are farthest apart


@analysis("How far apart are the scores of a document?", applies_to=magnitude)
def analyse(data: StudyData, on_progress: OnProgress) -> Result:
    """Ratio of largest to smallest, geometric and ordinary standard deviation of every pair."""
    of_items = spread(data.judgments.normalised, data.judgments.items, len(data.documents))
    several = np.flatnonzero(of_items.counts > 1)
    if not several.size:
        return Result(["No document has two scores yet: nothing can be said of their spread."])
    pairs = [data.pair_name(item) for item in several.tolist()]
    documents = Frame.of(
        query_id=[query_id for query_id, _ in pairs],
        doc_id=[doc_id for _, doc_id in pairs],
        role=np.where(data.documents.is_anchor[several], "anchor", "other"),
        scores=of_items.counts[several],
        ratio=of_items.ratio[several],
        geometric_sd=of_items.geometric_sd[several],
    )
    far = int(is_extreme(documents["ratio"]).sum())
    numbers = {
        "median_ratio": np.median(documents["ratio"]),
        "median_geometric_sd": np.median(documents["geometric_sd"]),
        "far": far,
        "documents": len(documents),
        "correlation": _correlation(documents),
    }
    extreme = f"; for {far:,} a factor of {EXTREME:,.0f} or more" if far else ""
    sentence = (
        f"The scores of half of the documents lie a factor of {number(numbers['median_ratio'])} or "
        f"more apart{extreme}. Based on {count(len(documents), 'document')} with two scores or "
        "more."
    )
    figures = [_histogram(documents["ratio"]), _two_ways(documents, data.seed)]
    return Result([sentence], [*figures, _quantiles(documents, of_items.sd[several])], numbers)


def _correlation(documents: Frame) -> float:
    """Of the logarithms of ratio and geometric deviation; NaN where one does not vary."""
    logs = np.log(np.stack([documents["ratio"], documents["geometric_sd"]]))
    return float(np.corrcoef(logs)[0, 1]) if np.ptp(logs, axis=1).all() else np.nan


def bins(ratios: Floats, counted: str) -> Frame:
    """A histogram on a logarithmic scale from 1 on; counted: what has the ratios."""
    logs = np.log10(ratios)
    counts, edges = np.histogram(logs, bins=BINS, range=(0, max(float(logs.max()), 0.1)))
    bounds = 10**edges
    return Frame.of_rows(f"from to {counted}", zip(bounds[:-1], bounds[1:], counts, strict=True))


def _histogram(ratios: Floats) -> Figure:
    title = "largest over smallest normalised score of a document"
    return bins(ratios, "documents").figure(
        "ratios",
        f"A document's largest score is its smallest times {number(np.median(ratios))} at the "
        "median",
        "Documents by the ratio of their largest to their smallest normalised score.",
        plots.bars(ROWS, title, "documents", "documents", log=True),
        label="{from} to {to}: {documents:,} documents",
        source="Figure 5",
        reading="Look for a long tail to the right: documents on which some workers used very "
        "large or very small numbers.",
    )


def _two_ways(documents: Frame, seed: int) -> Figure:
    ratios, together = documents["ratio"], _correlation(documents)
    anchors = OF_ANCHORS if (documents["role"] == "anchor").any() else ""
    farthest = np.argsort(ratios)[-ALWAYS_DRAWN:]
    drawn = documents.where(thinned(len(documents), keep=farthest, seed=seed))
    across = plots.axis("ratio", "largest over smallest", log=True)
    up = plots.axis("geometric_sd", "geometric standard deviation", log=True)
    all_drawn = len(drawn) == len(documents)
    return documents.figure(
        "geometric-sd",
        f"Both ways to say how far scores lie apart have a correlation of {number(together)}"
        if np.isfinite(together)
        else "Two ways to say how far scores lie apart",
        "Documents by ratio and by geometric standard deviation, both on axes of ratios"
        + ("." if all_drawn else f"; {len(drawn):,} of {len(documents):,} are drawn."),
        plots.sized(plots.shaped(ROWS, across, up, "role", ROLES)),
        data={
            ROWS: drawn.marks(
                "topic {query_id}, {doc_id}: ratio {ratio}, sd {geometric_sd}, {scores} scores"
            )
        },
        source="Figure 5",
        reading="The correlation is that of logarithms. Look for dots far from the others: one "
        f"worker far from the rest gives a large ratio, but a small deviation{anchors}.",
    )


def _quantiles(documents: Frame, sd: Floats) -> Table:
    frame = Frame.of_rows(["documents", "n", "of", *map(percent, QUANTILES)], _rows(documents, sd))
    title = "Spread of the scores of a document"
    frame = frame.with_heads(n="how many", of="measure of spread")
    return frame.table("quantiles", title, "Columns are quantiles over documents.")


def _rows(documents: Frame, sd: Floats) -> Iterator[tuple[object, ...]]:
    """For all documents, those that are no anchors, if some are, and the anchors."""
    is_anchor = documents["role"] == "anchor"
    some = {"without anchors": ~is_anchor, "anchors": is_anchor} if is_anchor.any() else {}
    groups = {"all": np.ones(len(documents), dtype=bool), **some}
    of = {"ratio": documents["ratio"], "geometric sd": documents["geometric_sd"], "sd": sd}
    for name, which in groups.items():
        for quantity, values in of.items() if which.any() else ():
            quantiles = np.quantile(values[which], QUANTILES)
            yield name, int(which.sum()), quantity, *quantiles
