"""How far apart the normalised scores of a document are (paper, section 6.1.1, Figure 5)."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evaluation.analyses.analysis import Analysis
from evaluation.presentation import plots
from evaluation.presentation.parts import (
    Analysed,
    Figure,
    Row,
    Table,
    Tell,
    binned,
    drawn,
    number,
    percent,
    thinned,
)
from evaluation.study.data import Floats, StudyData
from evaluation.study.fits import magnitude
from magnitudes.files.words import count
from magnitudes.spread.spread import EXTREME, is_extreme, spread

BINS = 30
QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95, 1.0)
ROLES = {"anchor": ("diamond", plots.OTHER), "other": ("circle", plots.MARK)}
OF_ANCHORS = ". Anchors have far more scores, and therefore larger ratios"
ALWAYS_DRAWN = 50  # documents whose scores are farthest apart


class Bin(NamedTuple):
    """How many documents, or units, have a ratio from `start` to `end`."""

    start: float
    end: float
    n: int


class Document(NamedTuple):
    """How far apart the scores of a document are: largest over smallest, geometric deviation."""

    query_id: str
    doc_id: str
    role: str
    scores: int
    ratio: float
    geometric_sd: float


@dataclass(frozen=True)
class Found:
    """The documents with two scores or more; sd: their ordinary standard deviations."""

    documents: list[Document]
    sd: Floats
    is_anchor: NDArray[np.bool_]
    seed: int

    @property
    def ratio(self) -> Floats:
        return np.array([document.ratio for document in self.documents])

    @property
    def geometric_sd(self) -> Floats:
        return np.array([document.geometric_sd for document in self.documents])

    @property
    def far(self) -> int:
        """How many documents have a ratio of EXTREME or more."""
        return int(is_extreme(self.ratio).sum())

    @property
    def correlation(self) -> float:
        """Of the logarithms of ratio and geometric deviation; NaN where one does not vary."""
        logs = np.log(np.stack([self.ratio, self.geometric_sd]))
        return float(np.corrcoef(logs)[0, 1]) if np.ptp(logs, axis=1).all() else np.nan


def analyse(data: StudyData, tell: Tell) -> Analysed:
    """Ratio of largest to smallest, geometric and ordinary standard deviation of every pair."""
    found = compute(data)
    if not found.documents:
        return Analysed(["No document has two scores yet: nothing can be said of their spread."])
    numbers = {
        "median_ratio": np.median(found.ratio),
        "median_geometric_sd": np.median(found.geometric_sd),
        "far": found.far,
        "documents": len(found.documents),
        "correlation": found.correlation,
    }
    return Analysed([says(found)], [*figures(found), table(found)], numbers)


def compute(data: StudyData) -> Found:
    of_items = spread(data.judgments.normalised, data.judgments.items, len(data.documents))
    several = np.flatnonzero(of_items.counts > 1)
    is_anchor = data.documents.is_anchor[several]
    columns = (
        np.where(is_anchor, "anchor", "other"),
        *(of[several] for of in (of_items.counts, of_items.ratio, of_items.geometric_sd)),
    )
    documents = [
        Document(*data.pair_name(item), *row)
        for item, *row in zip(
            several.tolist(), *(column.tolist() for column in columns), strict=True
        )
    ]
    return Found(documents, of_items.sd[several], is_anchor, data.seed)


def says(found: Found) -> str:
    far = found.far
    extreme = f"; for {far:,} a factor of {EXTREME:,.0f} or more" if far else ""
    return (
        f"The scores of half of the documents lie a factor of {number(np.median(found.ratio))} or "
        f"more apart{extreme}. Those of {count(len(found.documents), 'document')} with two scores "
        "or more were looked at."
    )


def figures(found: Found) -> Iterator[Figure]:
    yield _histogram(found.ratio)
    yield _two_ways(found)


def _histogram(ratio: Floats) -> Figure:
    rows = bins(ratio)
    return Figure(
        "ratios",
        "A document's largest score is its smallest times "
        f"{number(np.median(ratio))} at the median",
        "Documents by the ratio of their largest to their smallest normalised score.",
        plots.bars(
            "bins", "largest over smallest normalised score of a document", "documents", log=True
        ),
        {"bins": binned(rows)},
        ("from", "to", "documents"),
        rows,
        "Figure 5",
        reading="Look for a long tail to the right: documents on which some workers used very "
        "large or very small numbers.",
    )


def bins(ratios: Floats) -> list[Bin]:
    """A histogram on a logarithmic scale from 1 on."""
    logs = np.log10(ratios)
    counts, edges = np.histogram(logs, bins=BINS, range=(0, max(float(logs.max()), 0.1)))
    bounds = 10**edges
    return [Bin(*row) for row in zip(bounds[:-1], bounds[1:], counts.tolist(), strict=True)]


def _two_ways(found: Found) -> Figure:
    rows, together = found.documents, found.correlation
    anchors = OF_ANCHORS if found.is_anchor.any() else ""
    farthest = np.argsort(found.ratio)[-ALWAYS_DRAWN:]
    shown = [rows[place] for place in thinned(len(rows), keep=farthest, seed=found.seed)]
    dots = plots.shaped(
        "pairs",
        plots.axis("ratio", "largest over smallest", log=True),
        plots.axis("geometric_sd", "geometric standard deviation", log=True),
        "role",
        ROLES,
    )
    return Figure(
        "geometric-sd",
        f"Both ways to say how far scores lie apart have a correlation of {number(together)}"
        if np.isfinite(together)
        else "Two ways to say how far scores lie apart",
        "Documents by ratio and by geometric standard deviation, both on axes of ratios"
        + ("." if len(shown) == len(rows) else f"; {len(shown):,} of {len(rows):,} are drawn."),
        plots.sized(dots),
        {"pairs": drawn(shown, "role ratio geometric_sd", _tooltip)},
        Document,
        rows,
        "Figure 5",
        reading="The correlation is that of logarithms. Look for dots far from the others: one "
        f"worker far from the rest gives a large ratio, but a small deviation{anchors}.",
    )


def _tooltip(row: Document) -> str:
    return f"topic {row.query_id}, {row.doc_id}: {row.scores} scores"


def table(found: Found) -> Table:
    groups = {
        "all": np.ones(len(found.documents), dtype=bool),
        **({"without anchors": ~found.is_anchor} if found.is_anchor.any() else {}),
        "anchors": found.is_anchor,
    }
    columns = {"ratio": found.ratio, "geometric sd": found.geometric_sd, "sd": found.sd}
    rows: list[Row] = [
        (name, int(which.sum()), of, *np.quantile(values[which], QUANTILES))
        for name, which in groups.items()
        if which.any()
        for of, values in columns.items()
    ]
    return Table(
        "quantiles",
        "Spread of the scores of a document",
        ("documents", "n", "of", *map(percent, QUANTILES)),
        rows,
        ("Columns are quantiles over documents.",),
    )


ANALYSIS = Analysis(
    "spread", "How far apart are the scores of a document?", analyse, fits=magnitude
)
