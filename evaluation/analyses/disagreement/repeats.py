"""How often judges say what they said before, and how often another judge says it.

Demeester and others (WSDM 2014), section 3.3.2. A part of the analysis `consistency`.
"""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from evaluation.presentation import plots, published
from evaluation.presentation.frame import ROWS, Frame
from evaluation.presentation.parts import OF_PAPER, Figure, Result, Table, percent
from evaluation.study.data import Floats
from evaluation.study.levels import ENOUGH_TOPICS, Two, columns, source
from magnitudes.agreement.overlap import Spread, self_and_cross
from magnitudes.files.words import count
from magnitudes.gains.self_agreement import Gap, self_over_cross

DRAWS = 1000
BIN = 0.025
SAME, DIFFERENT = "the same judge", "another judge"
PAPERS = "the same judge, as in the paper"  # who may say again what was counted already
UP = plots.axis("share_of_draws", "share of draws", percent=True)
IN_PAPER = published.quote("{key_again.self:.0%} and {key_again.cross:.0%}, from {urls}")


def analyse(two: Two, names: Sequence[str], seed: int) -> Result:
    """two: of some topics two judges who labelled documents twice each; names: of the levels."""
    top = names[-1]
    drawn = self_and_cross(two.opinions, 0, 1, DRAWS, seed=seed)
    apart = self_and_cross(two.opinions, 0, 1, DRAWS, replacement=False, seed=seed).own
    gap = self_over_cross(two.opinions, DRAWS, ENOUGH_TOPICS, seed=seed)
    chances = {SAME: _known(apart), DIFFERENT: _known(drawn.cross), PAPERS: _known(drawn.own)}
    again, cross, papers = map(_mean, chances.values())
    spreads = {
        (SAME, "with replacement"): drawn.own,
        (SAME, "two different ones"): apart,
        (DIFFERENT, "one of each"): drawn.cross,
    }
    documents = count(drawn.items, "document")
    table = _table(spreads, names, documents, drawn.seed)
    parts = [*_by_level(drawn.cross, names), table]
    numbers = {"own": papers, "own_apart": again, "cross": cross, "items": drawn.items}
    if not all(of_judge.size for of_judge in chances.values()):
        nobody = f"Where two judges labelled documents twice each, nobody said {top}."
        return Result([nobody], parts, numbers)
    # By labels that are never held against themselves, which would always be the same.
    own, other = percent(again), percent(cross)
    finding = (
        f"A judge who assigned {top} assigns it again in {own} of cases, another judge in {other}"
    )
    sentence = (
        f"{finding}, from {documents} of {count(len(two.judges), 'topic')} that two judges "
        "labelled at least twice each. Where a draw may hold a label against itself, as in the "
        f"paper, that is {percent(papers)} and {other} (the paper: {IN_PAPER}); "
        f"{DRAWS:,} draws, seed {drawn.seed}."
    )
    parts = [_histograms(chances, finding, top, documents), *parts]
    return Result([sentence, *_of_gap(gap)], parts, numbers)


def _known(spread: Spread, level: int = -1) -> Floats:
    """p of a level, the top one unless another is given, in the draws that have it."""
    chances = spread.draws[:, level]
    return chances[~np.isnan(chances)]


def _mean(values: Floats) -> float:
    """NaN of nothing."""
    return float(values.mean()) if values.size else float("nan")


def _of_gap(gap: Gap) -> Iterator[str]:
    share, low, high = (100 * each for each in gap[:3])
    is_more = "judges disagree by more than they are inconsistent"
    conclusion = is_more if low > 0 else "what looks like disagreement may be inconsistency"
    if not np.isnan(share + low):
        yield (
            "Without labels compared with themselves, the same judge says it in a share of cases "
            f"that is {share:.0f} percentage points above another's (95% interval {low:.0f} to "
            f"{high:.0f}, over {gap.over}): {conclusion}."
        )


def _bins(values: Floats) -> Iterator[tuple[float, float]]:
    """A histogram: where each bin begins, and its share; the last bin has 1."""
    edges = np.linspace(0, 1, round(1 / BIN) + 1)
    counts, _ = np.histogram(values, edges)
    return zip(edges.tolist(), [*(counts / len(values)).tolist(), 0.0], strict=True)


def _histograms(chances: Mapping[str, Floats], finding: str, top: str, documents: str) -> Figure:
    rows = [(by, *each) for by, values in chances.items() for each in _bins(values)]
    across = plots.axis("from", f"chance that {top} is said again", domain=(0, 1))
    lines = plots.kinds_of_lines(ROWS, across, UP, "by", list(chances), step="after")
    of_paper = [
        {"from": chance, "share_of_draws": 0, "name": f"the paper, {who}: {percent(chance)}"}
        for who, chance in published.values("key_again").items()
    ]
    bins = Frame.of_rows("by from share_of_draws", rows).with_heads(by="who says it again")
    return bins.figure(
        "self-and-cross",
        finding,
        f"The chance over {DRAWS:,} draws from what judges said of {documents} each time. A "
        "wide curve: inconsistent judges; curves far apart: disagreement. The paper lets a draw "
        "hold a label against itself, which makes judges look more consistent than they are.",
        plots.sized(plots.layer(lines, plots.paper(across, UP)), 200),
        data={
            ROWS: bins.marks(
                lambda row: f"{row.by}: {percent(float(chances[row.by].mean()))} on average"
            ),
            OF_PAPER: of_paper,
        },
        source=source("Figure 2"),
    )


def _by_level(cross: Spread, names: Sequence[str]) -> Iterator[Figure]:
    """Levels under the top, of which a draw of another judge has some."""
    known = {name: _known(cross, n) for n, name in reversed(list(enumerate(names[:-1])))}
    below = {name: chances for name, chances in known.items() if chances.size}
    if not below:
        return
    rows = [
        (name, start, start + BIN, share)
        for name, chances in below.items()
        for start, share in _bins(chances)
        if share
    ]
    bins = Frame.of_rows("level from to share_of_draws", rows)
    means = ", ".join(f"{name} {percent(_mean(chances))}" for name, chances in below.items())
    domain = (0, min(1.0 + BIN, float(bins["to"].max()) + 0.1))
    across = plots.axis("from", "p from another judge", domain=domain, ticks=3)
    chart = plots.mark("rect", ROWS, x=across, x2="to", y=UP)
    yield bins.figure(
        "by-level",
        f"Another judge says {names[-1]} after: {means}",
        "Under the name of a level: how the chance that another judge gives the top level is "
        "distributed over the draws. Levels whose bars lie apart differ by more than judges "
        "are inconsistent.",
        plots.panels(chart, "level", list(below), columns=columns(list(below)), height=120),
        source=source("Figure 3"),
    )


def _table(
    spreads: Mapping[tuple[str, str], Spread], names: Sequence[str], documents: str, seed: int
) -> Table:
    rows = [
        (*drawn, *row)
        for drawn, spread in spreads.items()
        for row in zip(names, spread.mean, spread.sd, strict=True)
    ]
    chances = Frame.of_rows("from labels_drawn level p sd", rows).with_heads(p="chance")
    return chances.table(
        "repeats",
        f"The chance of {names[-1]} from the same judge and from another",
        f"Of {documents} that two judges labelled twice or more each; mean and standard deviation "
        f"of {DRAWS:,} draws, seed {seed}. With replacement, as in the paper, a label may be held "
        "against itself, which makes judges look more consistent than they are. A dash: no draw "
        "has the level.",
        source=source("section 3.3.2"),
    )
