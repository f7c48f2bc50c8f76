"""Studies as analyses read them, made without a database; and the strange ones among them."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import Any

import numpy as np

from evaluation import pipeline
from evaluation.analyses import ANALYSES
from evaluation.presentation.parts import Figure, Result, Table
from evaluation.study.data import StudyData
from evaluation.study.topics import TopicData
from judging import completed
from judging.models import Study

NONE = float("nan")
N_K, H_K = 0, 1  # places of the anchors in every pool made here


def analysed(name: str, data: StudyData) -> Result:
    return ANALYSES[name].analyse(data, lambda share: None)


def part(found: Result, name: str) -> Figure | Table:
    (named,) = (part for part in found.parts if part.name == name)
    return named


def table(found: Result, name: str) -> Table:
    named = part(found, name)
    assert isinstance(named, Table)
    return named


def figures(found: Result) -> list[Figure]:
    return [part for part in found.parts if isinstance(part, Figure)]


def make_topic(
    scores: Any,
    places: Any,
    labels: Sequence[float],
    lists: Any = (),
    *,
    query_id: str = "401",
    workers: Any = None,
    outside: Sequence[float] = (),
    normalisation: str = pipeline.NORMALISATION,
    groups: Any = None,
) -> TopicData:
    """A topic. scores, places: (u, s), by page; labels: of every pooled document, NaN: none.

    groups: (u,), from 0, of magnitudes from elsewhere, which are rows of one document.

    lists: (r, depth), codes: that of a pooled document is its place, and those from the pool's
    size on are of documents outside. outside: labels of the first of these.
    """
    given, shown = np.array(scores, dtype=float), np.array(places, dtype=np.int64)
    size, units = len(labels), len(given)
    codes = np.arange(size)
    of_groups = None if groups is None else np.array(groups, dtype=np.int64)
    done = completed.Completed(1, np.arange(units), shown, given, of_groups)
    pool = completed.Pool(codes, codes, H_K, N_K)
    scaled = pipeline.scale(done, pool, normalisation, pipeline.AGGREGATION)
    gains, counts = np.full(size, np.nan), np.zeros(size, dtype=np.int64)
    gains[scaled.documents], counts[scaled.documents] = scaled.gains, scaled.counts
    levels = np.array([*labels, *outside], dtype=float)
    known = np.flatnonzero(~np.isnan(levels))
    who = np.arange(units) if workers is None else np.array(workers)
    return TopicData(
        query_id=query_id,
        title=f"Topic {query_id}",
        key=int(query_id),
        doc_ids=[f"D{query_id}-{place:03}" for place in codes],
        codes=codes,
        h_k=H_K,
        n_k=N_K,
        assignments=np.arange(units) + 1000 * int(query_id),
        places=shown,
        scores=given,
        normalised=scaled.normalised,
        gamma=scaled.gamma,
        gamma_u=scaled.gamma_u,
        workers=who,
        numbers=np.arange(1, units + 1),
        finished=np.arange(units, dtype=float) * 60,
        failed=np.arange(units) % 5 // 4,
        earlier=np.array([int((who[:row] == who[row]).sum()) for row in range(units)], dtype=int),
        seconds=25.0 + given.argsort(axis=1, kind="stable").astype(np.float64),
        texts=np.array([[repr(float(score)) for score in unit] for unit in given], dtype=object),
        words=np.arange(given.size).reshape(given.shape) // 3,  # each three alike
        gains=gains,
        counts=counts,
        labels=np.array(labels, dtype=float),
        labelled=completed.Labelled(
            [f"D{query_id}-{code:03}" for code in known], known, levels[known]
        ),
        lists=np.array(lists, dtype=np.int32).reshape(len(lists), -1)
        if len(lists)
        else np.empty((0, 0), dtype=np.int32),
        groups=of_groups,
    )


def make_study(*topics: TopicData, seed: int = 1, **settings: Any) -> StudyData:
    runs = len(topics[0].lists) if topics else 0
    workers = max((int(topic.workers.max(initial=-1)) for topic in topics), default=-1) + 1
    size = topics[0].scores.shape[1] if topics else 8
    return StudyData(
        Study(slug="made", title="Made", unit_size=size, crowd="people", **settings),
        "reference",
        list(topics),
        [f"run-{number:02}" for number in range(runs)],
        [f"worker-{number}" for number in range(workers)],
        seed,
        lambda assignments, positions: [
            f"Page {page} of {key}." for key, page in zip(assignments, positions, strict=True)
        ],
    )


def make_model_run(people: StudyData, model: StudyData) -> StudyData:
    """The judgments of the second study as those of a language model, about the first."""
    study = Study(pk=2)
    for field in Study._meta.concrete_fields:
        setattr(study, field.attname, getattr(model.study, field.attname))
    study.pk, study.slug, study.crowd, study.about_id = 2, "made-model", "model", 1
    return replace(model, study=study, about=people)


def random_study(
    seed: int = 1,
    *,
    topics: int = 3,
    units: int = 14,
    documents: int = 16,
    size: int = 6,
    levels: Sequence[float] = (0, 1, 2, 3),
    runs: int = 6,
    depth: int = 10,
    labelled: float = 0.9,
    **settings: Any,
) -> StudyData:
    """A study whose scores and lists follow the labels, more or less."""
    made = [
        random_topic(
            seed * 1000 + number,
            units,
            documents,
            size,
            levels,
            runs,
            depth,
            labelled,
            f"{401 + number}",
        )
        for number in range(topics)
    ]
    return make_study(*made, **settings)


def random_topic(
    seed: int,
    units: int,
    documents: int,
    size: int,
    levels: Sequence[float],
    runs: int,
    depth: int,
    labelled: float,
    query_id: str,
    sure: float = 0.6,
) -> TopicData:
    rng = np.random.default_rng(seed)
    worth = rng.choice(np.array([*levels] or [0.0]), documents)
    worth[[N_K, H_K]] = min(levels, default=0), max(levels, default=0)
    known = rng.random(documents) < labelled
    known[[N_K, H_K]] = True
    labels = np.where(known, worth, np.nan) if len(levels) else np.full(documents, np.nan)
    others = np.arange(2, documents)
    places = np.array(
        [
            rng.permutation([N_K, H_K, *rng.choice(others, size - 2, replace=False)])
            for _ in range(units)
        ]
    )
    scale = np.exp(rng.normal(1, 1, (units, 1)))
    scores = scale * np.exp(0.5 * np.minimum(worth, 20)[places] + rng.normal(0, sure, places.shape))
    low = np.argwhere(places == N_K)[:, 1], np.argwhere(places == H_K)[:, 1]
    rows = np.arange(units)
    scores[rows, low[1]] = scores[rows, low[0]] * (1.5 + rng.random(units))  # check (c)
    lists = [
        np.argsort(-(worth * 0.5 + rng.normal(0, 1 + run / 5, documents)))[:depth]
        for run in range(runs)
    ]
    return make_topic(
        np.round(scores, 3) + 0.001,
        places,
        labels.tolist(),
        lists,
        query_id=query_id,
        workers=rng.integers(0, max(units // 2, 1), units),
        outside=[levels[-1]] if len(levels) else [],
    )


def _changed(study: StudyData, **of_topic: Callable[[TopicData], Any]) -> StudyData:
    """The same study with other scores, labels or lists."""
    return make_study(
        *(
            make_topic(
                **{
                    "scores": topic.scores,
                    "places": topic.places,
                    "labels": topic.labels.tolist(),
                    "lists": topic.lists,
                    "query_id": topic.query_id,
                    "workers": topic.workers,
                    **{name: change(topic) for name, change in of_topic.items()},
                }
            )
            for topic in study.topics
        )
    )


def _first_without_labels() -> StudyData:
    return _changed(
        random_study(),
        labels=lambda topic: [
            NONE if topic.query_id == "401" else level for level in topic.labels.tolist()
        ],
    )


def _one_score_each() -> StudyData:
    """Every unit has documents of its own, but for the anchors."""
    places = [[N_K, H_K, 2 + 2 * unit, 3 + 2 * unit] for unit in range(6)]
    labels = [0.0, 3.0, *np.resize([0.0, 1, 2, 3], 12)]
    lists = [np.roll(np.arange(14), run)[:10] for run in range(4)]
    scores = np.random.default_rng(4).lognormal(1, 1, (6, 4))
    return make_study(
        *(make_topic(scores, places, labels, lists, query_id=q) for q in ("401", "402"))
    )


def _one_document_a_level() -> StudyData:
    places = np.tile([0, 1, 2, 3], (5, 1))
    scores = np.random.default_rng(5).lognormal(1, 1, (5, 4))
    lists = [[3, 2, 1, 0], [0, 1, 2, 3], [1, 3, -1, -1]]
    return make_study(make_topic(scores, places, [0, 3, 1, 2], lists))


def _labels_of_unjudged() -> StudyData:
    """The only labels are those of pooled documents that nobody judged."""
    return _changed(random_study(), labels=lambda topic: [*[NONE] * 16, 0.0, 3.0])


@cache
def positive_only(levels: tuple[int, ...] = (1,), **settings: Any) -> StudyData:
    """Labels name relevant documents alone: no N_k has one, and 0 is no label."""
    made = random_study(topics=3, units=12, levels=(0, *levels), labelled=1.0, depth=6)
    topics = [
        make_topic(
            topic.scores,
            topic.places,
            [NONE if level == 0 else level for level in topic.labels.tolist()],
            topic.lists,
            query_id=topic.query_id,
            workers=topic.workers,
            outside=[levels[-1]],
        )
        for topic in made.topics
    ]
    return make_study(*topics, pooled_to=6, **settings)


# What analyses must not stumble over: by name, made when asked for.
STRANGE: dict[str, Callable[[], StudyData]] = {
    "no completed unit": make_study,
    "a single completed unit": partial(random_study, topics=1, units=1),
    "one topic": partial(random_study, topics=1),
    "one run": partial(random_study, runs=1),
    "two runs": partial(random_study, runs=2),
    "no runs": partial(random_study, runs=0),
    "no labels": partial(random_study, levels=()),
    "labels of level 0 only": partial(random_study, levels=(0,)),
    "labels of level 1 only": partial(random_study, levels=(1,)),
    "binary labels": partial(random_study, levels=(0, 1)),
    "labels of unjudged documents only": _labels_of_unjudged,
    "few labels": partial(random_study, labelled=0.2),
    "negative and real labels": partial(random_study, levels=(-2, 0, 0.5, 1000)),
    "a level nobody used": partial(random_study, levels=(0, 2, 5)),
    "one document a level": _one_document_a_level,
    "a topic without labels": _first_without_labels,
    "all scores equal": lambda: _changed(
        random_study(), scores=lambda topic: np.full(topic.scores.shape, 7.0)
    ),
    "one score a document": _one_score_each,
    "one worker": lambda: _changed(
        random_study(), workers=lambda topic: np.zeros(len(topic.scores), dtype=np.int64)
    ),
    "scores up to 1e12": lambda: _changed(
        random_study(), scores=lambda topic: topic.scores / topic.scores.max() * 1e12
    ),
    "scores from 1e-9": lambda: _changed(
        random_study(), scores=lambda topic: topic.scores / topic.scores.min() * 1e-9
    ),
    "lists of one document": lambda: _changed(
        random_study(), lists=lambda topic: topic.lists[:, :1]
    ),
    "empty lists": lambda: _changed(
        random_study(), lists=lambda topic: np.full_like(topic.lists, -1)
    ),
    "all runs alike": lambda: _changed(
        random_study(), lists=lambda topic: np.tile(topic.lists[:1], (len(topic.lists), 1))
    ),
}


def _every_size() -> StudyData:
    places = np.tile([0, 1, 2, 3], (4, 1))
    scores = [[1e-9, 1e12, 1, 5], [1, 10, 3, 4], [2, 1e11, 1e-8, 1], [1, 2, 3, 4]]
    lists = [[1, 2, 3, 0], [3, 1, 2, 0], [0, 2, 3, 1]]
    return make_study(make_topic(scores, places, [0, 2, 1, 1], lists))


STRANGE_SYSTEMS: dict[str, Callable[[], StudyData]] = {
    "scores of every size": _every_size,
    "levels to 1100": partial(random_study, levels=(0, 1, 1100)),
    "all of it labelled": partial(random_study, labelled=1.0, topics=7, runs=9),
}
