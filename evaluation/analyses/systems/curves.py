"""How p rises from the pair of systems that is surest to differ to the least sure, by measure.

Sakai (SIGIR 2006), section 5. A part of the analysis `power`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from evaluation.presentation import plots
from evaluation.presentation.parts import Figure, drawn
from evaluation.study.data import Floats
from magnitudes.comparison.top_set import LEVEL
from magnitudes.files.words import count

TEST = "bootstrap"  # whose p are drawn
STEPS = 100  # between the first pair and the last
HIGHEST = 0.2  # p that is drawn
LEAST = 0.1  # of the pairs are drawn, at least


class Step(NamedTuple):
    """A place on a measure's curve, beside the lowest and the highest curve there."""

    measure: str
    share_of_pairs: float
    p: float
    lowest_of_all: float
    highest_of_all: float


@dataclass(frozen=True)
class Found:
    """The curves of all measures, at the same shares of pairs."""

    measures: list[str]
    steps: list[Step]

    @property
    def end(self) -> float:
        """The share of pairs from which on all curves are above what is drawn."""
        low = (step.share_of_pairs for step in self.steps if step.lowest_of_all <= HIGHEST)
        return max(low, default=0.0)


def compute(curves: Mapping[str, Floats]) -> Found:
    """curves: p of all tested pairs by measure, ascending; each has one pair or more."""
    shares = np.linspace(0, 1, STEPS + 1)
    p = [np.quantile(curve, shares, method="lower") for curve in curves.values()]
    ends = np.min(p, axis=0).tolist(), np.max(p, axis=0).tolist()
    return Found(
        list(curves),
        [
            Step(measure, *step)
            for measure, of_measure in zip(curves, p, strict=True)
            for step in zip(shares.tolist(), of_measure.tolist(), *ends, strict=True)
        ],
    )


def figure(found: Found, called: Mapping[str, str]) -> Figure:
    """called: what measures are called in it."""
    end = max(LEAST, found.end)
    steps = [_cut_off(step) for step in found.steps if step.share_of_pairs <= end]
    columns = {"share": "share_of_pairs", "low": "lowest_of_all", "high": "highest_of_all"}
    return Figure(
        "curves",
        f"p of all pairs of systems, smallest first, by {count(len(found.measures), 'measure')}",
        f"Line: p by the {TEST} test, from the pair that is surest to differ to the one that is "
        f"least; drawn to {HIGHEST}. It crosses the dashed line, p = {LEVEL}, at the share of "
        "pairs told apart. Shade: from the lowest to the highest line of all measures. Look for "
        "lines along its lower edge.",
        plots.panels(_panel(end), "measure", [called[name] for name in found.measures]),
        {
            "curves": [
                mark | {"measure": called[mark["measure"]]}
                for mark in (
                    *drawn(steps, "measure p", None, **columns),
                    *({"measure": measure, "level": LEVEL} for measure in found.measures),
                )
            ]
        },
        Step,
        found.steps,
        "section 5 of Sakai, SIGIR 2006",
    )


def _cut_off(step: Step) -> Step:
    """With a shade that ends where the figure does."""
    return step._replace(
        lowest_of_all=min(step.lowest_of_all, HIGHEST),
        highest_of_all=min(step.highest_of_all, HIGHEST),
    )


def _panel(end: float) -> Any:
    """The curve of a measure, to a share of pairs."""
    share = plots.axis("share", "pairs", percent=True, ticks=3, domain=(0, end))
    low, p, level = (plots.axis(field, "p", domain=(0, HIGHEST)) for field in ("low", "p", "level"))
    return plots.layer(
        plots.band("curves", share, low, "high"),
        plots.line("curves", share, p),
        plots.rule_at("curves", y=level),
    )
