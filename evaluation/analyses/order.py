"""Whether scores and seconds depend on when a document comes: order, scores before, experience."""

from typing import Any

import numpy as np

from evaluation.analyses import plots
from evaluation.analyses.data import StudyData
from evaluation.analyses.effects import Effect, effects
from evaluation.analyses.parts import Analysed, Figure, Table, Tell, listed, number
from evaluation.scaling.drift import against_others
from trec.words import count

BY_CHANCE = 0.05
COLUMNS = ("of", "by", "group", "n", "workers", "factor", "low", "high", "excludes_1")


def analyse(data: StudyData, tell: Tell) -> Analysed:
    """Scores, distances and seconds against others' on the same document, by what came before."""
    off = against_others(np.log(data.values), data.items, data.n_items, data.worker_of)
    if np.isnan(off).all():
        return Analysed(
            ["No document has the scores of two workers yet: there is nothing to compare with."]
        )
    found = [effect for effect in effects(data, off) if (effect.found.counts > 0).sum() > 1]
    tell(0.5)
    return Analysed(_sentences(found), [*map(_figure, found), _table(found)])


def _sentences(found: list[Effect]) -> list[str]:
    rows = [row for effect in found for row in effect.rows() if not np.isnan(row[6])]
    out = [row for row in rows if row[-1]]
    if not rows:
        return ["Every group here is of a single worker: there is no interval to be had."]
    said = (
        f"Of {count(len(rows), 'interval')} looked at, {count(len(out), 'excludes', 'exclude')} a "
        f"factor of 1, where about {number(BY_CHANCE * len(rows), 2)} would by chance alone."
    )
    if not out:
        return [said]
    out.sort(key=lambda row: -abs(np.log(row[5])))
    named = (f"{of} by {by} {group} ({number(factor)})" for of, by, group, _, _, factor, *_ in out)
    return [said, f"Farthest from 1: {listed(named, 4)}."]


def _figure(effect: Effect) -> Figure:
    rows = effect.rows()
    drawn = [
        {
            "group": group,
            "mean": factor,
            "low": low,
            "high": high,
            "name": f"{group}: {number(factor)} ({number(low)} to {number(high)}), n = {n:,}",
        }
        for _, _, group, n, _, factor, low, high, _ in rows
    ]
    across = plots.category("group", [row[2] for row in rows], effect.by)
    title = f"factor of {effect.of}"
    one = plots.rule_at("one", along=plots.y("factor", title))
    chart = plots.alt.layer(one, plots.intervals("groups", across, title))
    return Figure(
        effect.name,
        _says(effect, rows),
        f"{effect.look} Lines are 95% intervals that allow for workers who go on like themselves, "
        "and for documents that have many of the scores; a dot without one is of a single worker.",
        plots.sized(chart, 180),
        {"groups": drawn, "one": [{"factor": 1}]},
        COLUMNS,
        rows,
    )


def _says(effect: Effect, rows: list[tuple[Any, ...]]) -> str:
    out = [row for row in rows if row[-1]]
    title = f"{effect.of[0].upper()}{effect.of[1:]} by {effect.by}: "
    if not out:
        return title + "no interval excludes 1"
    farthest = max(out, key=lambda row: abs(np.log(row[5])))
    return title + (
        f"{len(out)} of {len(rows)} intervals exclude 1; {farthest[2]} has {number(farthest[5])}"
    )


def _table(found: list[Effect]) -> Table:
    return Table(
        "intervals",
        "All that was looked at",
        COLUMNS,
        [row for effect in found for row in effect.rows()],
        (
            "factor: against the others' of the same document; 1 is no difference. low and high: "
            "its 95% interval, by clusters (workers and documents; of H_k / N_k, workers and "
            "topics); empty where a single worker is in a group.",
            "Workers with many units are not those with few: what differs by experience may be who "
            "they are.",
        ),
    )
