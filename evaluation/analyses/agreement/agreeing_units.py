"""How far units agree with the labels of their documents, with the anchors and without."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from evaluation.presentation import plots
from evaluation.presentation.frame import ROWS, Frame
from evaluation.presentation.parts import Figure, percent
from evaluation.study import label_levels
from evaluation.study.data import Floats, Ints, StudyData
from magnitudes.agreement.units import unit_agreement
from web.drawing.charts import Plot

WITH, WITHOUT = "with anchors", "without anchors"
EVERYTHING = "all documents"  # where there are no anchors
REACHED = {"perfect": "on all pairs", "above_.8": "on more than .8", "above_.6": "on more than .6"}
ACROSS = plots.axis("agreement", "agreement with the labels", domain=(0, 1))
UP = plots.axis("share", "share of units with at least this", domain=(0, 1), percent=True)


class Agreement(NamedTuple):
    """Of all units, by some of their documents."""

    documents: str
    shares: Floats  # (units,), of the pairs with different labels; NaN without a pair
    pairs: Ints  # (units,)
    equal_scores: float  # share of all pairs

    @property
    def known(self) -> Floats:
        """The shares of units with a pair."""
        return self.shares[self.pairs > 0]

    @property
    def reached(self) -> list[float]:
        """The shares of these units that agree so far, as REACHED has them."""
        known = self.known
        masks = (known == 1, known > 0.8, known > 0.6)
        return [float(mask.mean()) if known.size else np.nan for mask in masks]


def compute(data: StudyData) -> list[Agreement]:
    """With the anchors, and without them where there are some that are compared."""
    counted = data.with_zeros
    units = label_levels.units(counted)
    if counted is not data or not data.has_anchors:
        documents = WITHOUT if data.has_anchors else EVERYTHING
        return [_agreement(documents, units.scores, units.labels)]
    others = np.where(units.is_anchor, np.nan, units.labels)
    return [
        _agreement(WITH, units.scores, units.labels),
        _agreement(WITHOUT, units.scores, others),
    ]


def unforced(units: list[Agreement]) -> Agreement:
    """Those of which sentences speak: without the anchors, where a unit then has a pair."""
    return units[-1] if units[-1].known.size else units[0]


def _agreement(documents: str, scores: Floats, labels: Floats) -> Agreement:
    shares, pairs, _ = unit_agreement(scores, labels)
    # Equal scores agree upside down as well.
    equal, n = shares + unit_agreement(-scores, labels).shares - 1, int(pairs.sum())
    return Agreement(documents, shares, pairs, float(np.nansum(equal * pairs) / n) if n else np.nan)


def figure(
    groups: Mapping[str, Agreement],
    names: tuple[str, str],
    title: str,
    caption: str,
    reading: str,
    diamonds: Plot | None = None,
    **data: list[dict[str, Any]],
) -> Figure:
    """A line a group; names: of the columns of groups, and of how many units agree so far."""
    by, n = names
    rows = [(name, *step) for name, units in groups.items() for step in _steps(units.known)]
    lines = plots.kinds_of_lines(ROWS, ACROSS, UP, by, list(groups), step="before")
    label_of = {row[0]: f"{row[0]}: {percent(row[3])} agree on every pair" for row in rows}
    steps = Frame.of_rows([by, "agreement", n, "share"], rows)
    return steps.figure(
        "units",
        title,
        caption,
        plots.sized(plots.layer(lines, diamonds) if diamonds else lines),
        data={ROWS: steps.marks(lambda of: label_of[getattr(of, by)]), **data},
        source="Figure 6",
        reading="Agreement: the share of a unit's pairs of documents with different labels that "
        f"its scores do not put in the wrong order. {reading}",
    )


def _steps(shares: Floats) -> list[tuple[float, int, float]]:
    """How many units, and which share of those with a pair, agree by so much or more."""
    at = np.unique(np.append(shares, [0, 1])) if shares.size else shares
    reached = len(shares) - np.searchsorted(np.sort(shares), at)
    return list(zip(at.tolist(), reached.tolist(), (reached / len(shares)).tolist(), strict=True))
