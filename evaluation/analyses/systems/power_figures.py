"""The figures of the analysis `power`: shares of pairs that differ, and how p rises from the pair
that is surest to differ to the least sure, by measure (Sakai, SIGIR 2006, section 5).
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from evaluation.analyses.systems.tested_measures import CURVE, TESTS, Tested
from evaluation.presentation import plots, published
from evaluation.presentation.frame import ROWS, Frame
from evaluation.presentation.parts import OF_PAPER, Figure, percent
from evaluation.study import scoring
from evaluation.study.data import Floats
from magnitudes.comparison.top_set import LEVEL
from magnitudes.files.words import count

SOURCE = "of Smucker and Clarke, SIGIR 2012"
SHAPES = ("circle", plots.MARK), ("diamond", plots.OTHER), ("triangle-up", plots.INK)
KINDS = dict(zip(TESTS, SHAPES, strict=True))
STEPS = 100  # between the first pair and the last
HIGHEST = 0.2  # p that is drawn
MIN_SHARE_DRAWN = 0.1  # of the pairs are drawn, at least


def figures(tests: Sequence[Tested], title: str) -> Iterator[Figure]:
    called = scoring.briefly(tested.measure for tested in tests)
    yield _shares(tests, title, called)
    if p := {str(tested.measure): tested.curve for tested in tests if tested.curve.size}:
        yield _curves(p, called)


def _shares(tests: Sequence[Tested], title: str, called: Mapping[str, str]) -> Figure:
    rows = [
        (str(tested.measure), name, *power[:3])
        for tested in tests
        for name, power in tested.known.items()
    ]
    shares = Frame.of_rows("measure test share significant tested", rows)
    down = plots.names("brief", list(called.values()))
    share = plots.axis("share", "pairs that differ", percent=True)
    dots = plots.shaped(ROWS, share, down, "test", KINDS, apart=True)
    of_paper = [
        {"brief": called[name], "share": share, "name": f"the paper, {of}: {percent(share, 1)}"}
        for name in dict.fromkeys(shares["measure"])
        for of, share in published.values("power_t").items()
        if called[name] == of or (name.startswith("AP") and of == "MAP")
    ]
    diamonds = plots.paper(share, down)
    brief = shares.with_columns(brief=[called[name] for name in shares["measure"]])
    return shares.figure(
        "power",
        title,
        f"Dots: the share of pairs of systems with p < {LEVEL}, by three tests of single pairs. "
        "Look at the order of measures, and whether the tests agree on it.",
        plots.sized(plots.layer(dots, diamonds), 34 * len(tests), plots.WIDTH - 180),
        data={
            ROWS: brief.marks(
                lambda row: (
                    f"{row.brief}, {row.test}: {percent(row.share, 1)}, {row.significant:,} of "
                    f"{row.tested:,}"
                )
            ),
            OF_PAPER: of_paper,
        },
        source=f"Table 2 {SOURCE}",
    )


def _steps(curves: Mapping[str, Floats]) -> Frame:
    """A row for each step of each measure, with the lowest and highest curve of all there.

    curves: p of all tested pairs by measure, ascending; each has one pair or more.
    """
    shares = np.linspace(0, 1, STEPS + 1)
    p = np.array([np.quantile(curve, shares, method="lower") for curve in curves.values()])
    return Frame.of(
        measure=np.repeat(np.array(list(curves), dtype=object), len(shares)),
        share_of_pairs=np.tile(shares, len(curves)),
        p=p.ravel(),
        lowest_of_all=np.tile(p.min(axis=0), len(curves)),
        highest_of_all=np.tile(p.max(axis=0), len(curves)),
    )


def _curves(curves: Mapping[str, Floats], called: Mapping[str, str]) -> Figure:
    """called: what measures are called in it."""
    steps, names = _steps(curves), [called[name] for name in curves]
    seen = steps["share_of_pairs"][steps["lowest_of_all"] <= HIGHEST]
    end = max(
        MIN_SHARE_DRAWN, float(seen.max(initial=0))
    )  # from where on all curves are above the figure
    drawn = steps.where(steps["share_of_pairs"] <= end)
    below = {name: float(np.mean(curve < LEVEL)) for name, curve in curves.items()}
    drawn = drawn.with_columns(
        panel=[called[name] for name in drawn["measure"]],
        name=[
            f"{called[name]}: {percent(below[name])} of pairs have p < {LEVEL}"
            for name in drawn["measure"]
        ],
        low=np.minimum(drawn["lowest_of_all"], HIGHEST),
        high=np.minimum(drawn["highest_of_all"], HIGHEST),
    )
    levels = [{"panel": name, "level": LEVEL} for name in names]
    return steps.figure(
        "curves",
        f"p of all pairs of systems, smallest first, by {count(len(names), 'measure')}",
        f"Line: p by the {CURVE} test, from the pair that is surest to differ to the one that is "
        f"least; drawn to {HIGHEST}. It crosses the dashed line, p = {LEVEL}, at the share of "
        "pairs that differ. Shade: from the lowest to the highest line of all measures. Look for "
        "lines along its lower edge.",
        plots.panels(_panel(end), "panel", names),
        data={ROWS: [*drawn.marks(), *levels]},
        source="section 5 of Sakai, SIGIR 2006",
    )


def _panel(end: float) -> Any:
    """The curve of a measure, to a share of pairs."""
    share = plots.axis("share_of_pairs", "pairs", percent=True, ticks=3, domain=(0, end))
    low, p, level = (plots.axis(field, "p", domain=(0, HIGHEST)) for field in ("low", "p", "level"))
    return plots.layer(
        plots.band(ROWS, share, low, "high"),
        plots.line(ROWS, share, p, named=True, where="p"),
        plots.rule_at(ROWS, y=level),
    )
