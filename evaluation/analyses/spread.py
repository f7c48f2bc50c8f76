"""How far apart the normalised scores of a document are (paper, section 6.1.1, Figure 5)."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluation.analyses import plots
from evaluation.analyses.data import Floats, StudyData
from evaluation.analyses.parts import Analysed, Figure, Table, Tell, number, percent
from evaluation.analyses.thinning import thinned
from evaluation.scaling.spread import Spread, spread
from trec.words import count

EXTREME = 1e4  # the paper looks at every pair from here on
BINS = 30


def is_extreme(ratios: Floats) -> NDArray[np.bool_]:
    """Which are 10,000 or more, but for rounding: 12,000 over 1.2 is."""
    return ratios >= EXTREME * (1 - 1e-12)


def analyse(data: StudyData, tell: Tell) -> Analysed:
    """Ratio of largest to smallest, geometric and ordinary standard deviation of every pair."""
    found = spread(data.values, data.items, data.n_items)
    several = np.flatnonzero(found.counts > 1)
    if not several.size:
        return Analysed(["No document has two scores yet: nothing can be said of their spread."])
    ratio, geometric_sd = found.ratio[several], found.geometric_sd[several]
    far = int(is_extreme(ratio).sum())
    return Analysed(
        [
            f"Of {count(len(several), 'document')} with two scores or more, half have scores that "
            f"lie a factor of {number(np.median(ratio))} or more apart; "
            f"{count(far, 'has', 'have')} a factor of {EXTREME:,.0f} or more.",
        ],
        [_histogram(ratio), _two_ways(data, found, several), _quantiles(data, found, several)],
        {"median_ratio": np.median(ratio), "median_geometric_sd": np.median(geometric_sd)},
    )


def _histogram(ratio: Any) -> Figure:
    logs = np.log10(ratio)
    counts, edges = np.histogram(logs, bins=BINS, range=(0, max(float(logs.max()), 0.1)))
    rows = [
        (low, high, int(n))
        for low, high, n in zip(10 ** edges[:-1], 10 ** edges[1:], counts, strict=True)
    ]
    return Figure(
        "ratios",
        f"Largest over smallest score: {number(np.median(ratio))} at the median",
        "Look for a long tail to the right: documents on which some workers used very large or "
        "very small numbers.",
        plots.bars(
            "bins", "largest over smallest normalised score of a document", "documents", log=True
        ),
        {"bins": [{"from": low, "to": high, "n": n} for low, high, n in rows]},
        ("from", "to", "documents"),
        rows,
        "Figure 5",
    )


def _two_ways(data: StudyData, found: Spread, several: Any) -> Figure:
    logs = np.log(np.stack([found.ratio[several], found.geometric_sd[several]]))
    together = float(np.corrcoef(logs)[0, 1]) if np.ptp(logs, axis=1).all() else np.nan
    rows = [
        (
            *data.pair_name(item),
            "anchor" if data.is_anchor[item] else "other",
            int(found.counts[item]),
            found.ratio[item],
            found.geometric_sd[item],
        )
        for item in several.tolist()
    ]
    drawn = thinned(len(rows), keep=np.argsort(found.ratio[several])[-50:], seed=data.seed)
    return Figure(
        "geometric-sd",
        f"Ratio and geometric standard deviation: correlation {number(together)}",
        "Correlation of logarithms. Look for dots far from the others: one worker far from the "
        "rest gives a large ratio, but a small deviation. Anchors have far more scores, and "
        f"therefore larger ratios. {len(drawn):,} of {len(rows):,} documents are drawn.",
        plots.sized(
            plots.marked(
                "pairs",
                plots.x("ratio", "largest over smallest", log=True),
                plots.y("geometric_sd", "geometric standard deviation", log=True),
                "role",
                "anchor",
                "other",
            )
        ),
        {
            "pairs": [
                {
                    "name": f"topic {topic}, {doc_id}: {n} scores",
                    "role": role,
                    "ratio": ratio,
                    "geometric_sd": sd,
                }
                for topic, doc_id, role, n, ratio, sd in (rows[row] for row in drawn)
            ]
        },
        ("query_id", "doc_id", "role", "scores", "ratio", "geometric_sd"),
        rows,
        "Figure 5",
    )


def _quantiles(data: StudyData, found: Spread, several: Any) -> Table:
    parts = {
        "all": several,
        "without anchors": several[~data.is_anchor[several]],
        "anchors": several[data.is_anchor[several]],
    }
    shares = (0.05, 0.25, 0.5, 0.75, 0.95, 1.0)
    return Table(
        "quantiles",
        "Spread of the scores of a document",
        ("documents", "n", "of", *(percent(share) for share in shares)),
        [
            (name, len(which), of, *np.quantile(values[which], shares))
            for name, which in parts.items()
            if which.size
            for of, values in (
                ("ratio", found.ratio),
                ("geometric sd", found.geometric_sd),
                ("sd", found.sd),
            )
        ],
        ("Columns are quantiles over documents.",),
    )
