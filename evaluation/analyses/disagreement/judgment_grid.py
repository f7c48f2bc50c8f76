"""One topic as a grid: what each judge said of each document, and which each found best.

A part of the analysis `every_judgment`, as Demeester and others draw it (Figure 4).
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from evaluation.presentation import plots
from evaluation.presentation.frame import ROWS, Frame
from evaluation.presentation.parts import Figure
from evaluation.study import levels
from evaluation.study.data import Ints, Mask, StudyData

MOST_JUDGES, MOST_DOCUMENTS = 12, 30
QUARTERS = "lowest quarter", "second quarter", "third quarter", "highest quarter"
FAINTEST = 0.12
MOST_LEVELS = 6  # that shades tell apart
DOCUMENTS = "documents, the highest gain first"


def figures(data: StudyData, topic: int, counted: Mask) -> Iterator[Figure]:
    """Of one topic, if two judges gave something there; levels are shaded if there are few."""
    names = [*data.study.levels] if data.study.is_graded else [*QUARTERS]
    cells = _cells(data, topic, counted, names)
    if len(np.unique(cells["judge"])) < 2 or len(names) > MOST_LEVELS:
        return
    judges, places = list(dict.fromkeys(cells["judge"])), sorted(set(cells["place"].tolist()))
    across = replace(plots.names("place", places, DOCUMENTS), is_shown=False)
    down = replace(plots.names("judge", judges, "judges"), is_shown=False)
    shades = {
        name: {"opacity": round(FAINTEST + (1 - FAINTEST) * place / (len(names) - 1), 2)}
        for place, name in enumerate(names)
    }
    cell: dict[str, Any] = {"x": across, "y": down, "size": 60}
    given = plots.mark("rect", ROWS, by="shade", kinds=shades, named=True, **cell)
    best = {"filled": False, "edge": True, "colour": plots.INK, "width": 2, "where": "best"}
    boxes = plots.mark("rect", ROWS, **cell, **best)
    query_id = data.topics[topic].query_id
    given_as = "level" if data.study.is_graded else "normalised score"
    yield cells.of_columns("judge", "doc_id", "place", "given", "shade", "best").figure(
        "grid",
        f"What {len(judges)} judges said of {len(places)} documents of topic {query_id}",
        f"A row a judge, a column a document; the stronger the colour, the higher its {given_as}. "
        "Boxes: what each judge found best.",
        plots.sized(plots.layer(given, boxes), max(18 * len(judges), 60)),
        label="{judge}, {doc_id}: {given}",
        source=levels.source("Figure 4"),
        reading="The topic is the one where judges differ most. Judges with most judgments are "
        "drawn, and the documents that most of them judged. Look for columns of several shades, "
        "and for boxes in columns that are pale elsewhere.",
    )


def _cells(data: StudyData, topic: int, counted: Mask, names: list[str]) -> Frame:
    """The first judgment of each document by each judge, of those with most of them."""
    judgments, documents = data.judgments, data.documents
    of_topic = np.flatnonzero(counted & (documents.topics[judgments.items] == topic))
    for keys, most in ((judgments.workers, MOST_JUDGES), (judgments.items, MOST_DOCUMENTS)):
        of_topic = of_topic[np.isin(keys[of_topic], _most(keys[of_topic], most))]
    pairs = np.stack([judgments.workers[of_topic], judgments.items[of_topic]])
    chosen = of_topic[np.unique(pairs, axis=1, return_index=True)[1]]
    items, workers = judgments.items[chosen], judgments.workers[chosen]
    values = judgments.normalised[chosen]
    by_gain = np.unique(items)[np.argsort(-documents.gains[np.unique(items)], kind="stable")]
    place = {item: at for at, item in enumerate(by_gain.tolist(), 1)}
    shade = values.astype(np.int64)
    if not data.study.is_graded and len(values):
        shade = np.searchsorted(np.quantile(values, (0.25, 0.5, 0.75)), values)
    highest = {worker: values[workers == worker].max() for worker in np.unique(workers).tolist()}
    by_worker = zip(workers.tolist(), values.tolist(), strict=True)
    return Frame.of(
        judge=[data.workers[worker] for worker in workers],
        doc_id=[data.pair_name(item)[1] for item in items.tolist()],
        place=[place[item] for item in items.tolist()],
        given=[str(judgments.texts[at]) for at in chosen],
        shade=[names[at] for at in shade.tolist()],
        best=[True if value == highest[worker] else None for worker, value in by_worker],
    )


def _most(keys: Ints, most: int) -> Ints:
    """The keys that occur most often, those that come first among equals."""
    distinct, counts = np.unique(keys, return_counts=True)
    return distinct[np.argsort(-counts, kind="stable")[:most]]
