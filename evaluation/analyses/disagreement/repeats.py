"""How often judges say what they said before, and how often another judge says it.

Demeester and others (WSDM 2014), section 3.3.2. A part of the analysis `consistency`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from evaluation.presentation import plots, published
from evaluation.presentation.parts import Figure, Table, drawn, percent
from evaluation.study.data import Floats
from evaluation.study.levels import ENOUGH_TOPICS, Two, best_two, columns, source
from magnitudes.agreement.opinions import Opinions
from magnitudes.agreement.overlap import SelfAndCross, Spread, self_and_cross
from magnitudes.files.words import count
from magnitudes.gains.self_agreement import Gap, self_over_cross

DRAWS = 1000
BIN = 0.025
BIN_FIELDS = ("level", "from", "to", "share")  # of LevelBin, as the chart names them
SAME, DIFFERENT = "the same judge", "another judge"
PAPERS = "the same judge, as in the paper"  # who may say again what was counted already
IN_PAPER = published.quote("{key_again.self:.0%} and {key_again.cross:.0%}, from {urls}")


class Bin(NamedTuple):
    """The share of draws in which a chance lies in a bin that begins at `start`."""

    by: str
    start: float
    share: float


class LevelBin(NamedTuple):
    """The same, for the chance of the top level after another one."""

    level: str
    start: float
    end: float
    share: float


class Chance(NamedTuple):
    """The chance of the top level after a level, in the mean of the draws."""

    judge: str
    labels_drawn: str
    level: str
    p: float
    sd: float


@dataclass(frozen=True)
class Found:
    """What two judges of each topic say twice, drawn with replacement and without."""

    names: Sequence[str]  # of the levels
    two: Two
    drawn: SelfAndCross
    different: SelfAndCross
    gap: Gap

    @property
    def own(self) -> Floats:
        """p(T|T) of the same judge in the draws that have it."""
        return known(self.drawn.own)

    @property
    def cross(self) -> Floats:
        """p(T|T) of two judges in the draws that have it."""
        return known(self.drawn.cross)

    @property
    def apart(self) -> Floats:
        """As `own`, of two different labels: the others may hold a label against itself."""
        return known(self.different.own)

    @property
    def known(self) -> bool:
        """Whether there is a chance to speak of: somebody said the top level."""
        return bool(self.own.size and self.apart.size and self.cross.size)

    @property
    def top(self) -> str:
        return self.names[-1]

    @property
    def documents(self) -> str:
        return count(self.drawn.items, "document")

    def numbers(self) -> dict[str, float]:
        return {
            "own": mean(self.own),
            "own_apart": mean(self.apart),
            "cross": mean(self.cross),
            "items": self.drawn.items,
        }


def known(spread: Spread, level: int = -1) -> Floats:
    """p of a level, the top one unless another is given, in the draws that have it."""
    chances = spread.draws[:, level]
    return chances[~np.isnan(chances)]


def mean(values: Floats) -> float:
    """NaN of nothing."""
    return float(values.mean()) if values.size else float("nan")


def compute(opinions: Opinions, names: Sequence[str], seed: int) -> Found | None:
    """None where no two judges labelled the same document twice each."""
    two = best_two(opinions, least=2)
    if not two.judges:
        return None
    return Found(
        names,
        two,
        self_and_cross(two.opinions, 0, 1, DRAWS, seed=seed),
        self_and_cross(two.opinions, 0, 1, DRAWS, replacement=False, seed=seed),
        self_over_cross(two.opinions, DRAWS, ENOUGH_TOPICS, seed=seed),
    )


def says(found: Found | None, top: str) -> Iterator[str]:
    if found is None:
        yield (
            "No two judges labelled the same document twice each, so that inconsistency of one "
            "judge cannot be told from disagreement of two."
        )
    elif not found.known:
        yield f"Where two judges labelled documents twice each, nobody said {top}."
    else:
        yield _says_again(found)
        yield from _says_gap(found.gap)


def _says_again(found: Found) -> str:
    own, cross = percent(found.own.mean()), percent(found.cross.mean())
    judged = (
        f"from {found.documents} of {count(len(found.two.judges), 'topic')} that two judges "
        "labelled at least twice each"
    )
    return (
        f"{_finding(found)}, {judged}. Where a draw may hold a label against itself, as in the "
        f"paper, that is {own} and {cross} (the paper: {IN_PAPER}); {DRAWS:,} draws, "
        f"seed {found.drawn.seed}."
    )


def _finding(found: Found) -> str:
    """By labels that are never held against themselves, which would always be the same."""
    return (
        f"Who said {found.top} says it again in {percent(mean(found.apart))} of cases, and another "
        f"judge says it in {percent(mean(found.cross))}"
    )


def _says_gap(gap: Gap) -> Iterator[str]:
    if np.isnan(gap.share + gap.low):
        return
    yield (
        "Without labels held against themselves, the same judge says it in a share of cases "
        f"that is {100 * gap.share:.0f} percentage points above another's (95% interval "
        f"{100 * gap.low:.0f} to {100 * gap.high:.0f}, over {gap.over}): "
        + (
            "judges disagree by more than they are inconsistent."
            if gap.low > 0
            else "what looks like disagreement may be inconsistency."
        )
    )


def parts(found: Found) -> Iterator[Figure | Table]:
    if found.known:
        yield _histograms(found)
    below = {
        name: known(found.drawn.cross, level)
        for level, name in reversed(list(enumerate(found.names[:-1])))
    }
    if below := {name: chances for name, chances in below.items() if chances.size}:
        yield _by_level(below, found.top)
    yield _table(found)


def _bins(values: Floats) -> Iterator[tuple[float, float]]:
    """A histogram: where each bin begins, and its share; the last bin has 1."""
    edges = np.linspace(0, 1, round(1 / BIN) + 1)
    counts, _ = np.histogram(values, edges)
    return zip(edges.tolist(), [*(counts / len(values)).tolist(), 0.0], strict=True)


def _histograms(found: Found) -> Figure:
    rows = [
        Bin(by, start, share)
        for by, values in ((SAME, found.apart), (DIFFERENT, found.cross), (PAPERS, found.own))
        for start, share in _bins(values)
    ]
    lines = plots.kinds_of_lines(
        "draws",
        plots.axis("p", f"chance that {found.top} is said again", domain=(0, 1)),
        plots.axis("share", "share of draws", percent=True),
        "by",
        [SAME, DIFFERENT, PAPERS],
        step="after",
    )
    return Figure(
        "self-and-cross",
        _finding(found),
        f"The chance over {DRAWS:,} draws from what judges said of {found.documents} each time. A "
        "wide curve: inconsistent judges; curves far apart: disagreement. The paper lets a draw "
        "hold a label against itself, which makes judges look more consistent than they are.",
        plots.sized(lines, 200),
        {"draws": drawn(rows, "by share", p="start")},
        ("by", "from", "share_of_draws"),
        rows,
        source("Figure 2"),
    )


def _by_level(below: dict[str, Floats], top: str) -> Figure:
    """below: p(T|i) of another judge in the draws that have it, by level under the top."""
    rows = [
        LevelBin(name, start, start + BIN, share)
        for name, chances in below.items()
        for start, share in _bins(chances)
        if share
    ]
    means = ", ".join(f"{name} {percent(mean(chances))}" for name, chances in below.items())
    end = min(1.0 + BIN, max(row.end for row in rows) + 0.1)
    chart = plots.mark(
        "rect",
        "draws",
        x=plots.axis("from", "p from another judge", domain=(0, end), ticks=3),
        x2="to",
        y=plots.axis("share", "share of draws", percent=True),
    )
    order = list(below)
    return Figure(
        "by-level",
        f"Another judge says {top} after: {means}",
        "Under the name of a level: how the chance that another judge gives the top level is "
        "distributed over the draws. Levels whose bars lie apart can be told apart in spite of "
        "what judges are inconsistent in.",
        plots.panels(chart, "level", order, columns=columns(order), height=120),
        {"draws": [dict(zip(BIN_FIELDS, row, strict=True)) for row in rows]},
        ("level", "from", "to", "share_of_draws"),
        rows,
        source("Figure 3"),
    )


def _table(found: Found) -> Table:
    rows = [
        Chance(judge, labels, name, float(spread.mean[level]), float(spread.sd[level]))
        for judge, labels, spread in (
            (SAME, "with replacement", found.drawn.own),
            (SAME, "two different ones", found.different.own),
            (DIFFERENT, "one of each", found.drawn.cross),
        )
        for level, name in enumerate(found.names)
    ]
    return Table(
        "repeats",
        f"The chance of {found.top} from the same judge and from another",
        ("from", *Chance._fields[1:]),
        rows,
        (
            f"Of {found.documents} that two judges labelled twice or more "
            f"each; mean and standard deviation of {DRAWS:,} draws, seed {found.drawn.seed}. With "
            "replacement, as in the paper, a label may be held against itself, which makes judges "
            "look more consistent than they are. A dash: no draw has the level.",
        ),
        source("section 3.3.2"),
    )
