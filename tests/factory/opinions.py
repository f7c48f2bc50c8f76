"""Studies of levels, given here or elsewhere, made without a database."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from evaluation.study.data import StudyData
from evaluation.study.topics import TopicData, TopicOpinions
from tests.factory.arrays import make_study, make_topic, random_study

LEVELS = ["Non", "Rel", "HRel"]
FOUR = ["Non", "Rel", "HRel", "Key"]
RUNS = [[0, 1], [1, 0], [0, -1]]
Row = tuple[int, int, int]  # document, judge, level


def graded_study(seed: int = 1, **of: int) -> StudyData:
    """Levels chosen by workers of a study, of a topic's documents and its anchors."""
    made = random_study(seed, **of)
    topics = []
    for topic in made.topics:
        steps = np.quantile(topic.normalised, [0.5, 0.8])
        topics.append(
            make_topic(
                np.searchsorted(steps, topic.normalised).astype(float),
                topic.places,
                topic.labels.tolist(),
                topic.lists,
                query_id=topic.query_id,
                workers=topic.workers,
                normalisation="none",
            )
        )
    return make_study(*topics, scale="graded", levels=LEVELS)


def graded(study: StudyData) -> StudyData:
    """The same study, with a level for each score: its distance from its unit's middle."""
    made = []
    for topic in study.topics:
        logs = np.log(topic.scores)
        middle = logs.mean(axis=1, keepdims=True)
        levels = np.clip(np.rint(1.5 + logs - middle), 0, len(FOUR) - 1)
        made.append(
            make_topic(
                levels,
                topic.places,
                topic.labels.tolist(),
                topic.lists,
                query_id=topic.query_id,
                workers=topic.workers,
                normalisation="none",
            )
        )
    return make_study(*made, scale="graded", levels=FOUR)


def imported_study(
    topics: Sequence[Sequence[Row]],
    *,
    lists: Sequence[Sequence[int]] = (),
    levels: Sequence[str] = LEVELS,
    aspects: Sequence[Sequence[str]] = (),
) -> StudyData:
    """Opinions given elsewhere; `lists`, of places, are the same on each topic."""
    main = "page" if any("page" in of for of in aspects) else ""
    made = make_study(
        *(
            _imported(
                f"{401 + number}",
                rows,
                lists,
                aspects[number] if aspects else [""] * len(rows),
                max((document for document, _, _ in rows), default=0) + 1,
                main,
            )
            for number, rows in enumerate(topics)
        ),
        scale="graded",
        levels=list(levels),
        main_aspect=main,
    )
    made.study.crowd = "imported"
    judges = max((judge for rows in topics for _, judge, _ in rows), default=-1) + 1
    return replace(made, workers=[f"w{judge}" for judge in range(judges)])


def _imported(
    query_id: str,
    rows: Sequence[Row],
    lists: Sequence[Sequence[int]],
    aspects: Sequence[str],
    size: int,
    main: str,
) -> TopicData:
    places, judges, levels = np.array(rows, dtype=np.int64).reshape(-1, 3).T
    there = (levels >= 0) & (np.array(aspects) == main)
    made = make_topic(
        levels[there].reshape(-1, 1),
        places[there].reshape(-1, 1),
        [np.nan] * size,
        lists,
        query_id=query_id,
        workers=judges[there],
        normalisation="none",
    )
    said = TopicOpinions(
        places,
        judges,
        levels,
        np.array(aspects, dtype=object),
        np.full(len(rows), "", dtype=object),
    )
    return replace(made, opinions=said, h_k=-1, n_k=-1, seconds=np.full_like(made.seconds, np.nan))


def random_opinions(
    seed: int = 1,
    *,
    topics: int = 6,
    documents: int = 12,
    judges: int = 7,
    times: int = 1,
    runs: int = 4,
    aspects: Sequence[str] = ("",),
) -> StudyData:
    """Levels that follow what documents are worth, each judge labelling most of them."""
    rng = np.random.default_rng(seed)
    rows: list[list[Row]] = []
    of: list[list[str]] = []
    for _ in range(topics):
        worth = rng.normal(0, 1, documents)
        rows.append([])
        of.append([])
        for document in range(documents):
            for judge in np.flatnonzero(rng.random(judges) < 0.8).tolist():
                for aspect in [*aspects] * times:
                    seen = worth[document] + rng.normal(0, 1)
                    level = int(seen > 0) + int(seen > 1) if rng.random() < 0.95 else -1
                    rows[-1].append((document, judge, level))
                    of[-1].append(aspect)
    lists = [rng.permutation(documents)[:10].tolist() for _ in range(runs)]
    return imported_study(rows, lists=lists, aspects=of)


def magnitudes_elsewhere(
    seed: int = 1,
    *,
    topics: int = 6,
    documents: int = 12,
    sizes: Sequence[int] = (1, 2, 5, 8, 12, 12, 3),
    runs: int = 4,
    labelled: bool = True,
) -> StudyData:
    """Magnitudes of groups of these sizes on each topic, each with a scale and a worker."""
    rng = np.random.default_rng(seed)
    lists = [rng.permutation(documents)[:10].tolist() for _ in range(runs)]
    made = []
    for number in range(topics):
        worth = rng.integers(0, 4, documents)
        groups = np.repeat(np.arange(len(sizes)), sizes)
        shown = [rng.permutation(documents)[:size] for size in sizes]
        places = np.concatenate([np.empty(0, dtype=np.int64), *shown])
        scales = np.exp(rng.normal(1, 2, len(sizes)))[groups]
        felt = scales * np.exp(0.5 * worth[places] + rng.normal(0, 0.5, len(places)))
        scores = np.array([float(f"{score:.1g}") for score in felt])
        order = rng.permutation(len(places))  # scores of several groups come in any order
        topic = make_topic(
            scores[order, np.newaxis],
            places[order, np.newaxis],
            worth.tolist() if labelled else [np.nan] * documents,
            lists,
            query_id=f"{401 + number}",
            workers=groups[order],
            groups=groups[order],
        )
        times = np.full_like(topic.seconds, np.nan)
        made.append(replace(topic, h_k=-1, n_k=-1, seconds=times, numbers=groups[order] + 1))
    data = make_study(*made)
    data.study.crowd = "imported"
    return data


# What no analysis of disagreement may stumble over; by name, made when asked for.
STRANGE_OPINIONS: dict[str, Callable[[], StudyData]] = {
    "graded": graded_study,
    "graded, one topic": partial(graded_study, topics=1),
    "graded, one unit": partial(graded_study, topics=1, units=1),
    "imported": random_opinions,
    "imported, no runs": partial(random_opinions, runs=0),
    "imported, one topic": partial(random_opinions, topics=1),
    "imported, one judge": partial(random_opinions, judges=1),
    "imported, two judges": partial(random_opinions, judges=2),
    "imported, repeats": partial(random_opinions, times=3),
    "imported, one judge's repeats": partial(random_opinions, judges=1, times=3),
    "imported, two aspects": partial(random_opinions, aspects=("snippet", "page")),
    "imported, three aspects": partial(random_opinions, aspects=("snippet", "page", "site")),
    "imported, one opinion": lambda: imported_study([[(0, 0, 1)]]),
    "imported, no level at all": lambda: imported_study([[(0, 0, -1), (0, 1, -1)]]),
    "imported, all agree": lambda: imported_study(
        [[(d, j, 2) for d in range(3) for j in range(7)]] * 2, lists=[[0, 1, 2], [2, 1, 0]]
    ),
    "imported, nothing relevant": lambda: imported_study(
        [[(d, j, 0) for d in range(3) for j in range(7)]] * 2, lists=[[0, 1, 2], [2, 1, 0]]
    ),
    "imported, two levels": lambda: imported_study(
        [[(d, j, (d + j) % 2) for d in range(5) for j in range(4)]] * 6,
        levels=["no", "yes"],
        lists=[[0, 1, 2], [2, 1, 0]],
    ),
    "imported, one judge on two topics": partial(random_opinions, judges=1, topics=2, runs=0),
    "imported, no opinion": lambda: imported_study([[]], lists=RUNS),
    "imported, one document": lambda: imported_study([[(0, 0, 2), (0, 1, 1)]], lists=RUNS),
    "imported, a topic without a level": lambda: imported_study(
        [[(0, 0, 1), (0, 1, 2), (1, 1, 0)], [(0, 0, -1)]], lists=RUNS
    ),
    "imported, one run": lambda: imported_study([[(0, 0, 1), (0, 1, 2)]] * 2, lists=RUNS[:1]),
    "magnitudes elsewhere": magnitudes_elsewhere,
    "magnitudes elsewhere, no labels": partial(magnitudes_elsewhere, labelled=False),
    "magnitudes elsewhere, no runs": partial(magnitudes_elsewhere, runs=0),
    "magnitudes elsewhere, all alone": partial(magnitudes_elsewhere, sizes=[1] * 20),
    "magnitudes elsewhere, one group": partial(magnitudes_elsewhere, sizes=[12], topics=1),
    "magnitudes elsewhere, one score": partial(magnitudes_elsewhere, sizes=[1], topics=1),
    "imported, top level never": lambda: imported_study(
        [[(d, j, (d + j) % 2) for d in range(5) for j in range(6)]] * 3
    ),
}


def two_levels() -> StudyData:
    """A study in which all judges agree."""
    rng = np.random.default_rng(12)
    best = rng.integers(0, 2, (6, 12)).tolist()
    rows = [[(d, j, best[t][d]) for d in range(12) for j in range(3)] for t in range(6)]
    lists = [rng.permutation(12)[:10].tolist() for run in range(5)]
    return imported_study(rows, levels=["no", "yes"], lists=lists)


def labels_by_judge(data: StudyData) -> dict[tuple[int, int], dict[int, list[int]]]:
    """The levels of each topic and document, by judge."""
    found: dict[tuple[int, int], dict[int, list[int]]] = {}
    for number, topic in enumerate(data.topics):
        assert topic.opinions
        said = topic.opinions.places, topic.opinions.judges, topic.opinions.levels
        for place, judge, level in zip(*(of.tolist() for of in said), strict=True):
            if level >= 0:
                found.setdefault((number, place), {}).setdefault(judge, []).append(level)
    return found
