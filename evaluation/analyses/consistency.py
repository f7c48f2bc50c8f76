"""Judges against each other, and against themselves where they labelled documents again.

Demeester and others (WSDM 2014), section 3.3: Figures 2 and 3.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from evaluation.analyses import in_levels, plots
from evaluation.analyses.data import Floats, StudyData
from evaluation.analyses.in_levels import Two
from evaluation.analyses.parts import Analysed, Figure, Row, Table, Tell, number, percent
from evaluation.comparison.judge_overlap import LevelOverlap, level_overlap
from evaluation.comparison.self_agreement import SelfAndCross, Spread, self_and_cross
from evaluation.gains.disagreement import sums
from evaluation.gains.opinions import Opinions
from evaluation.scaling.resamples import Resamples
from trec.words import count

DRAWS = 1000
BIN = 0.025
ENOUGH_TOPICS = 5
SAME, DIFFERENT = "the same judge", "another judge"
ANY, PAIR = "any two judges", "first and second"
PAPER = "The paper has .36 for the top level of its Web results; Voorhees (2000) .42 to .49."


class Overlaps(NamedTuple):
    """Overlap at each level, of the two judges of each topic and of any two of a document."""

    two: Two
    found: LevelOverlap
    any_two: Floats  # (levels,)
    documents: int  # with two judges


class Again(NamedTuple):
    """What two judges of each topic say twice, drawn with replacement and without.

    gap: p(T|T) of two different labels of the same judge less that of two judges, with its 95%
    interval.
    """

    two: Two
    drawn: SelfAndCross
    different: SelfAndCross
    gap: tuple[float, float, float]
    over: str


def analyse(data: StudyData, tell: Tell) -> Analysed:
    """Overlap of judges at each level, and self against cross agreement."""
    every = in_levels.opinions(data)
    if reason := in_levels.why_not(every):
        return Analysed([reason, *in_levels.left_out(data)])
    said = every if data.study.is_imported else every.where(~data.is_anchor[every.items])
    if reason := in_levels.why_not(said):
        return Analysed([f"Without the anchors: {reason[0].lower()}{reason[1:]}"])
    names = in_levels.names(data)
    overlaps = _overlaps(said)
    tell(0.2)
    again = _again(said, data.seed)
    tell(0.9)
    parts: list[Figure | Table] = [*_overlap_figure(overlaps, names)]
    numbers = {f"overlap_{level}": float(of) for level, of in enumerate(overlaps.any_two)}
    if again:
        own, cross = _known(again.drawn.own), _known(again.drawn.cross)
        if own.size and cross.size:
            parts.append(_histograms(own, cross, again.drawn.items, names))
        if below := [level for level in range(len(names) - 1) if _drawn(again, level).size]:
            parts.append(_by_level(again, below, names))
        parts.append(_again_table(again, names))
        numbers |= {"own": _mean(own), "cross": _mean(cross), "items": again.drawn.items}
    return Analysed(
        [
            *_says(overlaps, names),
            *_says_again(again, names),
            *(
                []
                if data.study.is_imported
                else ["The anchors are left out: check (c) forces them."]
            ),
            *in_levels.told(data, each=False),
        ],
        [*parts, _judges(data, overlaps, again)],
        numbers,
    )


def _overlaps(said: Opinions) -> Overlaps:
    two = in_levels.best_two(said)
    return Overlaps(
        two,
        level_overlap(two.opinions, 0, 1),
        *_any_two(said),
    )


def _any_two(said: Opinions) -> tuple[Floats, int]:
    """The chance that both of two judges give the level or more, over that one of them does."""
    given = said.given
    keys = given.items * (given.judges.max(initial=0) + 1) + given.judges
    _, first = np.unique(keys, return_index=True)
    counts = given.where(np.isin(np.arange(len(keys)), first)).counts
    size = counts.sum(axis=1)
    counts, size = counts[size > 1], size[size > 1, np.newaxis]
    reached = counts[:, ::-1].cumsum(axis=1)[:, ::-1]
    pairs = size * (size - 1)
    both = reached * (reached - 1) / pairs
    neither = (size - reached) * (size - reached - 1) / pairs
    either = (1 - neither).sum(axis=0)
    found = np.full(either.shape, np.nan)
    np.divide(both.sum(axis=0), either, out=found, where=either > 1e-12)
    return found, len(counts)


def _again(said: Opinions, seed: int) -> Again | None:
    two = in_levels.best_two(said, least=2)
    if not two.judges:
        return None
    return Again(
        two,
        self_and_cross(two.opinions, 0, 1, DRAWS, seed=seed),
        self_and_cross(two.opinions, 0, 1, DRAWS, replacement=False, seed=seed),
        *_gap(two.opinions, seed),
    )


def _gap(two: Opinions, seed: int) -> tuple[tuple[float, float, float], str]:
    """How much more often the same judge says T again than the other says it, and how sure it is.

    All pairs of different labels count, of documents that both labelled twice or more. Topics are
    drawn with replacement, or documents where topics are few.
    """
    cells = np.bincount(two.items * 2 + two.judges, minlength=2 * two.n_items).reshape(-1, 2)
    both = two.where((np.minimum(cells[:, 0], cells[:, 1]) >= 2)[two.items])
    own = Opinions(
        both.items * 2 + both.judges,
        both.levels,
        np.arange(len(both.items)),
        both.n_levels,
        np.repeat(both.topic_of_item, 2),
    )
    topics = len(np.unique(both.topic_of_item[both.items]))
    over = "topics" if topics >= ENOUGH_TOPICS else "documents"
    groups = both.topic_of_item if over == "topics" else np.arange(both.n_items)
    columns = []
    for parts, of in ((sums(own), np.repeat(groups, 2)), (sums(both), groups)):
        columns += [np.bincount(of, parts.top[:, -1]), np.bincount(of, parts.said[:, -1])]
    told = np.stack(columns)[:, np.unique(groups[both.items])]
    gaps = [
        _difference(told @ weights.T)
        for _, weights in Resamples(told.shape[1], DRAWS, seed).chunks(0)
    ]
    drawn = np.concatenate(gaps)
    drawn = drawn[~np.isnan(drawn)]
    low, high = np.quantile(drawn, (0.025, 0.975)) if drawn.size else (np.nan, np.nan)
    return (float(_difference(told.sum(axis=1, keepdims=True))[0]), float(low), float(high)), over


def _difference(of: Floats) -> Floats:
    """Of sums (own tops, own, cross tops, cross) by draw."""
    shares = np.full((2, of.shape[1]), np.nan)
    np.divide(of[::2], of[1::2], out=shares, where=of[1::2] > 0)
    return shares[0] - shares[1]


def _known(of: Spread) -> Floats:
    """p(T|T) in the draws that have it."""
    top = of.draws[:, -1]
    return top[~np.isnan(top)]


def _drawn(again: Again, level: int) -> Floats:
    found = again.drawn.cross.draws[:, level]
    return found[~np.isnan(found)]


def _mean(values: Floats) -> float:
    return float(values.mean()) if values.size else float("nan")


def _says(of: Overlaps, names: Sequence[str]) -> Iterator[str]:
    shares = [
        f"{number(share, 2)} at {name}{'' if level == len(names) - 1 else ' or better'}"
        for level, (name, share) in enumerate(zip(names, of.any_two.tolist(), strict=True))
        if level and not np.isnan(share)
    ]
    if shares:
        yield (
            "Overlap, the share of documents to which both of two judges gave a level among those "
            f"to which one did: {'; '.join(shares)}; of any two judges of "
            f"{count(of.documents, 'document')}. {PAPER}"
        )
    else:
        yield f"Nobody gave any of {count(of.documents, 'document')} more than {names[0]}."
    shared = [n for *_, n in of.two.judges]
    if shared:
        top = of.found.pooled[-1]
        overlap = "" if np.isnan(top) else f"; their overlap at {names[-1]} is {number(top, 2)}"
        yield (
            "First and second judge of a topic are the two who share most documents: "
            f"{number(float(np.mean(shared)))} in the mean of {count(len(shared), 'topic')}"
            f"{overlap}."
        )


def _says_again(again: Again | None, names: Sequence[str]) -> Iterator[str]:
    if again is None:
        yield (
            "No two judges labelled the same document twice each, so that inconsistency of one "
            "judge cannot be told from disagreement of two."
        )
        return
    own, cross = _known(again.drawn.own), _known(again.drawn.cross)
    if not own.size or not cross.size:
        yield f"Where two judges labelled documents twice each, nobody said {names[-1]}."
        return
    items = count(again.drawn.items, "document")
    topics = count(len(again.two.judges), "topic")
    spread = [float(of.std(ddof=1)) if of.size > 1 else float("nan") for of in (own, cross)]
    once = _mean(_known(again.different.own))
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
    gap, low, high = again.gap
    if not np.isnan(gap + low):
        yield (
            "Without labels held against themselves, the same judge says it in a share of cases "
            f"that is {100 * gap:.0f} percentage points above another's (95% interval "
            f"{100 * low:.0f} to {100 * high:.0f}, over {again.over}): "
            + (
                "judges disagree by more than they are inconsistent."
                if low > 0
                else "what looks like disagreement may be inconsistency."
            )
        )


# --- overlap ----------------------------------------------------------------------------------
def _overlap_figure(of: Overlaps, names: Sequence[str]) -> Iterator[Figure]:
    columns = {ANY: of.any_two, PAIR: of.found.pooled}
    rows: list[Row] = [
        (f"{'≥ ' if level < len(names) - 1 else ''}{name}", kind, float(shares[level]))
        for level, name in enumerate(names)
        for kind, shares in columns.items()
        if level and not np.isnan(shares[level])
    ]
    if not rows:
        return
    order = list(dict.fromkeys(row[0] for row in reversed(rows)))
    kinds = {ANY: ("circle", plots.MARK), PAIR: ("diamond", plots.OTHER)}
    across = plots.x("overlap", "overlap", domain=(0, 1))
    dots = plots.shaped("overlaps", across, plots.down("level", order), "judges", kinds)
    level, _, share = next(row for row in reversed(rows) if row[1] == ANY)
    yield Figure(
        "overlap",
        f"Of what one of two judges calls {level}, both do so for {percent(share)}",
        "Overlap: of the documents to which one of two judges gave the level, the share to which "
        "both did. If it falls from one level to the next, judges agree less on what is best than "
        "on what is relevant. It bounds what precision or recall by one judge can say of another.",
        plots.sized(
            dots.encode(yOffset=plots.alt.YOffset("judges:N", sort=list(kinds))),
            max(44 * len(order), 70),
            plots.WIDTH - 180,
        ),
        {
            "overlaps": [
                {
                    "level": at,
                    "judges": kind,
                    "overlap": of_two,
                    "name": f"{at}, {kind}: {of_two:.3f}",
                }
                for at, kind, of_two in rows
            ]
        },
        ("level", "judges", "overlap"),
        rows,
        in_levels.source("section 3.3.1"),
    )


def _judges(data: StudyData, of: Overlaps, again: Again | None) -> Table:
    twice = {topic: n for topic, _, _, n in again.two.judges} if again else {}
    rows: list[Row] = [
        (
            data.topics[topic].query_id,
            *(_worker(data, judge) for judge in (first, second)),
            n,
            twice.get(topic, 0),
            *of.found.by_topic[topic, 1:].tolist(),
        )
        for topic, first, second, n in of.two.judges
    ]
    names = in_levels.names(data)
    return Table(
        "judges",
        "First and second judge of each topic, and their overlap",
        (
            *("query_id", "first", "second", "documents_of_both", "twice_by_two"),
            *(f"overlap_{name}".replace(" ", "_") for name in names[1:]),
        ),
        rows,
        (
            "first, second: the two judges who share most documents of the topic. twice by two: "
            "documents that two judges, not always these, each labelled twice or more. overlap: of "
            "documents that one of the two gave the level or a higher one, the share that both "
            "did; a dash where neither gave it.",
        ),
        in_levels.source("section 3.3.1"),
    )


def _worker(data: StudyData, judge: int) -> str:
    return data.workers[judge] if judge < len(data.workers) else f"judge {judge}"


# --- self against cross -----------------------------------------------------------------------
def _shares(values: Floats) -> Iterator[tuple[float, float]]:
    """A histogram: where each bin begins, and its share; the last bin has 1."""
    edges = np.linspace(0, 1, round(1 / BIN) + 1)
    counts, _ = np.histogram(values, edges)
    for edge, n in zip(edges.tolist(), [*(counts / len(values)).tolist(), 0.0], strict=True):
        yield float(edge), n


def _histograms(own: Floats, cross: Floats, items: int, names: Sequence[str]) -> Figure:
    rows: list[Row] = [
        (kind, edge, share)
        for kind, values in ((SAME, own), (DIFFERENT, cross))
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
        f"Who said {names[-1]} says it again in {percent(own.mean())} of cases, and another in "
        f"{percent(cross.mean())}",
        f"How the chance is distributed over {DRAWS:,} lists drawn from what judges said of "
        f"{count(items, 'document')} each time they were asked. How wide each curve is tells how "
        "inconsistent judges are; look at how far the two are apart, which is disagreement.",
        plots.sized(lines, 200),
        {"draws": [{"by": by, "p": edge, "share": share} for by, edge, share in rows]},
        ("by", "from", "share_of_draws"),
        rows,
        in_levels.source("Figure 2"),
    )


def _by_level(again: Again, below: Sequence[int], names: Sequence[str]) -> Figure:
    rows: list[Row] = [
        (names[level], edge, edge + BIN, share)
        for level in reversed(below)
        for edge, share in _shares(_drawn(again, level))
        if share
    ]
    order = [names[level] for level in reversed(below)]
    means = ", ".join(
        f"{names[level]} {percent(_mean(_drawn(again, level)))}" for level in reversed(below)
    )
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
        f"Another judge says {names[-1]} after: {means}",
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


def _again_table(again: Again, names: Sequence[str]) -> Table:
    rows: list[Row] = [
        (
            by,
            drawn,
            name,
            float(spread.mean[level]),
            float(spread.sd[level]),
        )
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
