"""How time-biased gain is shown: figures and tables of `reader`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import altair as alt
import numpy as np

from evaluation.analyses.study import comparing as systems
from evaluation.analyses.study.data import Floats
from evaluation.analyses.study.whole_lists import Lists
from evaluation.analyses.telling import plots
from evaluation.analyses.telling.parts import Figure, Row, Table, number
from evaluation.comparison.ranks import competition_ranks
from evaluation.measures.names import Measure
from evaluation.measures.reader import Reader
from evaluation.measures.time_curves import Curves, curves
from trec.words import count

PAPER = "Smucker and Clarke, SIGIR 2012"
THE_PAPER, OWN, EACH = "the paper's reader", "T_D of this study", "T_D of each topic"
UNTIL, STEP, DOT_EVERY = 900, 20, 100  # seconds
TIMES = np.arange(0.0, UNTIL + STEP, STEP)
Readers = Mapping[str, Sequence[Reader]]


@dataclass(frozen=True, eq=False)
class Found:
    """Systems whose TBG is known: values are (topics, runs), by reader or of the usual measure.

    main: the reader by whose name all is shown that is of one. expected: (topics, runs), documents
    that this reader is expected to save; reached: (runs,), of the documents that this reader comes
    to the share that is judged. lists, words: by topic, (runs, ranks).
    """

    runs: list[str]
    by: Measure
    usual: Floats
    readers: Readers
    main: str
    values: Mapping[str, Floats]
    expected: Floats
    reached: Floats
    lists: Sequence[Lists]
    words: Sequence[Floats]

    @cached_property
    def compared(self) -> dict[str, systems.Compared]:
        """Each reader's order of systems beside the usual one."""
        names = (f"by {self.by}", "by TBG")
        return {name: systems.compare(self.usual, of, names) for name, of in self.values.items()}

    def best(self, name: str) -> int:
        """The system with the largest TBG."""
        return int(self.values[name].mean(axis=0).round(12).argmax())

    @cached_property
    def curves(self) -> list[Curves]:
        """Of each topic, for the main reader: (runs, times)."""
        by = self.readers[self.main][0]._asdict()
        return [
            curves(of.ranked, of.judged, TIMES, listed=of.listed, words=words, rel=of.rel, **by)
            for of, words in zip(self.lists, self.words, strict=True)
        ]


def parts(found: Found) -> list[Figure | Table]:
    """All figures and tables."""
    return [
        *(
            _scatter(found, name, short)
            for name, short in ((found.main, "paper"), (OWN, "study"))
            if name in found.readers
        ),
        _gain(found),
        *_ranks(found),
        _agreement(found),
        _systems(found),
    ]


def _scatter(found: Found, name: str, short: str) -> Figure:
    of = found.compared[name]
    rows = list(
        zip(
            found.runs,
            found.usual.mean(axis=0).tolist(),
            found.values[name].mean(axis=0).tolist(),
            strict=True,
        )
    )
    tau = f"tau {number(of.tau.tau)}" if np.isfinite(of.tau.tau) else f"no tau, as {of.reason}"
    return Figure(
        f"systems-{short}",
        f"TBG with {name} and {found.by}: {tau}",
        "One dot a system. The closer all are to a rising line, the more alike both measures order "
        "systems. Of those far from it, some above have relevant documents that come sooner than "
        "their ranks tell, as what stands above them is short; but TBG also reads on to the end of "
        "a list, knows relevant documents and others alone, and is no share of what there is.",
        plots.sized(
            plots.points(
                "systems", plots.x("usual", f"mean {found.by}"), plots.y("tbg", "documents saved")
            )
        ),
        {
            "systems": [
                {
                    "name": f"{run}: {number(y)} saved, {found.by} {number(x)}",
                    "usual": x,
                    "tbg": y,
                }
                for run, x, y in rows
            ]
        },
        ("system", f"mean_{found.by.name.lower()}", "mean_tbg"),
        rows,
        f"Figure 6 of {PAPER}",
    )


def _chosen(found: Found) -> dict[str, int]:
    """Some systems to draw, each once, by what they stand for."""
    tbg, usual = found.values[found.main].mean(axis=0), found.usual.mean(axis=0)
    order = np.argsort(-tbg.round(12), kind="stable")
    asked = {
        "most by TBG": int(order[0]),
        f"most by {found.by.name}": int(usual.round(12).argmax()),
        "median by TBG": int(order[len(order) // 2]),
        "least by TBG": int(order[-1]),
    }
    of: dict[int, list[str]] = {}
    for what, run in asked.items():
        of.setdefault(run, []).append(what)
    return {f"{found.runs[run]} ({', '.join(what)})": run for run, what in of.items()}


def _gain(found: Found) -> Figure:
    chosen = _chosen(found)
    mean = np.mean([of.gain for of in found.curves], axis=0)
    rows = [
        (run, float(t), float(gain))
        for run, line in zip(found.runs, mean, strict=True)
        for t, gain in zip(TIMES, line, strict=True)
        if np.isfinite(gain)
    ]
    some = [
        (name, t, gain, f"{name}: {number(gain)} saved after {t:g} s")
        for name, run in chosen.items()
        for system, t, gain in rows
        if system == found.runs[run]
    ]
    at = int(np.searchsorted(TIMES, 300))
    after = [f"{number(of)} documents saved after {TIMES[at]:g} s" for of in mean[:, at]]
    said = {run: f"{run}: {what}" for run, what in zip(found.runs, after, strict=True)}
    every = [{"name": said[run], "of": run, "seconds": t, "gain": gain} for run, t, gain in rows]
    least, most = float(np.fmin.reduce(mean[:, at])), float(np.fmax.reduce(mean[:, at]))
    across, up = plots.x("seconds", "seconds"), plots.y("gain", "documents saved")
    return Figure(
        "gain-in-time",
        f"What a reader who goes on has saved: after {TIMES[at]:g} s from "
        f"{number(least)} to {number(most)} documents",
        f"Mean over topics of the documents that {found.main} has saved at a time, if nothing "
        "makes them stop: some systems, and thin the others, of which one can be marked. Look "
        "where lines cross: the upper one serves those who stop before, the lower one those who "
        "go on. A flat line is at the end of its lists.",
        plots.sized(
            alt.layer(
                plots.thin_lines("every", across, up),
                plots.some_lines("lines", across, up, list(chosen), dots="dots"),
            )
        ),
        {"every": every, **_drawn(some, "gain")},
        ("system", "seconds", "documents_saved"),
        rows,
        f"Figure 4 of {PAPER}",
    )


def _ranks(found: Found) -> list[Figure]:
    ranks = np.concatenate([of.rank for of in found.curves])
    there = np.concatenate([of.listed.any(axis=1) for of in found.lists])
    known = ranks[there & ~np.isnan(ranks).any(axis=1)]
    if not len(known):
        return []
    kinds = {
        "maximum": known.max(axis=0),
        "average": known.mean(axis=0),
        "minimum": known.min(axis=0),
    }
    rows: list[Row] = [
        (name, float(t), float(rank))
        for name, line in kinds.items()
        for t, rank in zip(TIMES, line, strict=True)
    ]
    at = int(np.searchsorted(TIMES, 300))
    low, middle, high = (
        number(float(kinds[kind][at])) for kind in ("minimum", "average", "maximum")
    )
    across, up = plots.x("seconds", "seconds"), plots.y("rank", "rank")
    return [
        Figure(
            "rank-in-time",
            f"How far {found.main} has come after 300 s: to rank {middle} in the "
            f"average, {low} to {high}",
            f"Over {count(len(known), 'list')} of all systems and topics. Look how far the lines "
            "are apart: at one time some readers are still at the first documents, while others "
            "have passed many, which a discount by rank does not see. Lines end where lists do.",
            plots.sized(plots.some_lines("lines", across, up, list(kinds), dots="dots")),
            _drawn(
                [(name, t, y, f"{name}: rank {number(y)} after {t:g} s") for name, t, y in rows],
                "rank",
            ),
            ("of_lists", "seconds", "rank"),
            rows,
            f"Figure 3 of {PAPER}",
        )
    ]


def _drawn(
    rows: Sequence[tuple[str, float, float, str]], what: str
) -> dict[str, list[dict[str, Any]]]:
    every = [(t, {"of": of, "seconds": t, what: y, "name": name}) for of, t, y, name in rows]
    dots = [row for t, row in every if not t % DOT_EVERY]
    return {"lines": [row for _, row in every], "dots": dots}


def _agreement(found: Found) -> Table:
    rows: list[Row] = []
    for name, each in found.readers.items():
        of = found.compared[name]
        one = len(set(each)) == 1
        rows.append(
            (
                *(name, each[0].slope if one else None, each[0].intercept if one else None),
                *(float(found.values[name].mean()), *of.tau[:3]),
                *(int(of.first.sum()), int(of.second.sum()), of.both, of.overlap),
            )
        )
    reasons = sorted({of.reason for of in found.compared.values()} - {""})
    return Table(
        "agreement",
        f"Order of systems and top set, by {found.by} and by TBG",
        (
            *("reader", "slope", "intercept", "mean_tbg", "tau", "low", "high"),
            *("top_set", "top_set_by_tbg", "in_both", "overlap"),
        ),
        rows,
        (
            f"tau: Kendall's tau-b of system means by {found.by} and by TBG, with its 95% "
            "interval. Top set: the best system and all that a two-sided Wilcoxon signed-rank "
            "test over topics does not tell from it (p ≥ 0.05). Overlap: the share of the top set "
            f"by {found.by} that is in both. slope and intercept are T_D's, as options of the "
            "measure TBG; a dash: they differ by topic, and are those of the analysis above.",
            *systems.too_few(len(found.usual)),
            *(f"A dash: {reason}." for reason in reasons),
        ),
        f"Table 1 of {PAPER}",
    )


def _systems(found: Found) -> Table:
    means = {f"{found.by.name.lower()}": found.usual.mean(axis=0)}
    for name, short in ((found.main, "tbg"), (OWN, "tbg_of_study"), (EACH, "tbg_of_topics")):
        if name in found.values:
            means[short] = found.values[name].mean(axis=0)
    ranks = {name: competition_ranks(of) for name, of in means.items()}
    expected = found.expected.mean(axis=0)
    return Table(
        "systems",
        "All systems by what they give for a reader's time",
        (
            "system",
            *(column for name in means for column in (name, f"rank_by_{name}")),
            *("expected_saved", "judged"),
        ),
        [
            (
                found.runs[run],
                *(v for name in means for v in (float(means[name][run]), int(ranks[name][run]))),
                *(float(expected[run]), float(found.reached[run])),
            )
            for run in np.argsort(ranks["tbg"], kind="stable").tolist()
        ],
        (
            f"tbg: of {found.main}; tbg_of_study, tbg_of_topics: with T_D of this study's "
            "first views, of all or of each topic. expected_saved: relevant documents that the "
            "same reader is expected to save, equation (10), of which tbg is a lower bound. "
            "judged: of the documents that this reader comes to, the share that is judged.",
        ),
    )
