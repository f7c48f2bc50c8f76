"""How often the same is said again, as it is shown: a part of `consistency`."""

from collections.abc import Iterator, Sequence

import numpy as np

from evaluation.analyses import in_levels, plots
from evaluation.analyses.data import Floats
from evaluation.analyses.parts import Figure, Row, Table, number, percent
from evaluation.analyses.repeats import DRAWS, Again, known, mean
from trec.words import count

BIN = 0.025
SAME, DIFFERENT = "the same judge", "another judge"


def says(again: Again | None, names: Sequence[str]) -> Iterator[str]:
    if again is None:
        yield (
            "No two judges labelled the same document twice each, so that inconsistency of one "
            "judge cannot be told from disagreement of two."
        )
        return
    own, cross = again.own, again.cross
    if not own.size or not cross.size:
        yield f"Where two judges labelled documents twice each, nobody said {names[-1]}."
        return
    items = count(again.drawn.items, "document")
    topics = count(len(again.two.judges), "topic")
    spread = [float(of.std(ddof=1)) if of.size > 1 else float("nan") for of in (own, cross)]
    once = mean(known(again.different.own))
    without = (
        "" if np.isnan(once) else f" ({percent(once)} if a label is never held against itself)"
    )
    yield (
        f"Who said {names[-1]} says so again in {percent(own.mean())} of cases{without}, and "
        f"another judge in {percent(cross.mean())}; over {DRAWS:,} draws (seed "
        f"{again.drawn.seed}) standard deviations are {number(spread[0], 2)} and "
        f"{number(spread[1], 2)}. This is from {items} of {topics} that two judges labelled at "
        "least twice each (the paper: 92% and 52%, from 387)."
    )
    gap, low, high, over = again.gap
    if not np.isnan(gap + low):
        yield (
            "Without labels held against themselves, the same judge says it in a share of cases "
            f"that is {100 * gap:.0f} percentage points above another's (95% interval "
            f"{100 * low:.0f} to {100 * high:.0f}, over {over}): "
            + (
                "judges disagree by more than they are inconsistent."
                if low > 0
                else "what looks like disagreement may be inconsistency."
            )
        )


def parts(again: Again, names: Sequence[str]) -> Iterator[Figure | Table]:
    """All figures and tables."""
    if again.own.size and again.cross.size:
        yield _histograms(again, names)
    levels = reversed(range(len(names) - 1))
    below = [(names[level], known(again.drawn.cross, level)) for level in levels]
    if below := [(name, draws) for name, draws in below if draws.size]:
        yield _by_level(below, names[-1])
    yield _table(again, names)


def _shares(values: Floats) -> Iterator[tuple[float, float]]:
    """A histogram: where each bin begins, and its share; the last bin has 1."""
    edges = np.linspace(0, 1, round(1 / BIN) + 1)
    counts, _ = np.histogram(values, edges)
    for edge, n in zip(edges.tolist(), [*(counts / len(values)).tolist(), 0.0], strict=True):
        yield float(edge), n


def _histograms(again: Again, names: Sequence[str]) -> Figure:
    rows: list[Row] = [
        (kind, edge, share)
        for kind, values in ((SAME, again.own), (DIFFERENT, again.cross))
        for edge, share in _shares(values)
    ]
    lines = plots.kinds_of_lines(
        "draws",
        plots.x("p", f"chance that {names[-1]} is said again", domain=(0, 1)),
        plots.y("share", "share of draws", format="%"),
        "by",
        [SAME, DIFFERENT],
        step="step-after",
    )
    return Figure(
        "self-and-cross",
        f"Who said {names[-1]} says it again in {percent(again.own.mean())} of cases, and another "
        f"in {percent(again.cross.mean())}",
        f"How the chance is distributed over {DRAWS:,} lists drawn from what judges said of "
        f"{count(again.drawn.items, 'document')} each time they were asked. How wide each curve is "
        "tells how inconsistent judges are; look at how far the two are apart, which is "
        "disagreement.",
        plots.sized(lines, 200),
        {"draws": [{"by": by, "p": edge, "share": share} for by, edge, share in rows]},
        ("by", "from", "share_of_draws"),
        rows,
        in_levels.source("Figure 2"),
    )


def _by_level(below: Sequence[tuple[str, Floats]], top: str) -> Figure:
    rows: list[Row] = [
        (name, edge, edge + BIN, share)
        for name, draws in below
        for edge, share in _shares(draws)
        if share
    ]
    order = [name for name, _ in below]
    means = ", ".join(f"{name} {percent(mean(draws))}" for name, draws in below)
    most = max(row[2] for row in rows)
    drawn = plots.on("draws").mark_rect(color=plots.MARK, aria=False)
    chart = drawn.encode(
        x=plots.x(
            "from", "p from another judge", domain=(0, min(1.0 + BIN, most + 0.1)), tickCount=3
        ),
        x2="to:Q",
        y=plots.y("share", "share of draws", format="%"),
        y2=plots.alt.datum(0),
    )
    return Figure(
        "by-level",
        f"Another judge says {top} after: {means}",
        "Under the name of a level: how the chance that another judge gives the top level is "
        "distributed over the draws. Levels whose bars lie apart can be told apart in spite of "
        "what judges are inconsistent in.",
        plots.panels(chart, "level", order, columns=in_levels.columns(order), height=120),
        {
            "draws": [
                {"level": level, "from": start, "to": end, "share": share}
                for level, start, end, share in rows
            ]
        },
        ("level", "from", "to", "share_of_draws"),
        rows,
        in_levels.source("Figure 3"),
    )


def _table(again: Again, names: Sequence[str]) -> Table:
    rows: list[Row] = [
        (by, drawn, name, float(spread.mean[level]), float(spread.sd[level]))
        for by, drawn, spread in (
            (SAME, "with replacement", again.drawn.own),
            (SAME, "two different ones", again.different.own),
            (DIFFERENT, "one of each", again.drawn.cross),
        )
        for level, name in enumerate(names)
    ]
    return Table(
        "repeats",
        f"The chance of {names[-1]} from the same judge and from another",
        ("from", "labels_drawn", "level", "p", "sd"),
        rows,
        (
            f"Of {count(again.drawn.items, 'document')} that two judges labelled twice or more "
            f"each; mean and standard deviation of {DRAWS:,} draws, seed {again.drawn.seed}. With "
            "replacement, as in the paper, a label may be held against itself, which makes judges "
            "look more consistent than they are. A dash: no draw has the level.",
        ),
        in_levels.source("section 3.3.2"),
    )
