"""Studies drawn from a model, with or without an effect, as analyses read them: no database.

A score is exp(worker + unit + steepness · worth + what is planted + noise). Every topic has an N_k
and an H_k, which check (c) puts in order; what is asked of the others holds without them.
"""

from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from evaluation.study.data import StudyData
from evaluation.study.other_studies import OtherStudy
from evaluation.study.topics import TopicData
from tests.factory.arrays import H_K, N_K, make_model_run, make_study, make_topic
from tests.factory.opinions import imported_study
from tests.factory.texts import with_texts

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
TOPICS = 6, 8, 12, 20
CUTS = -0.3, 0.5, 1.2  # of worth, between labels 0 to 3


class Drawn(Protocol):
    """What studies are drawn from."""

    def study(self, seed: int) -> StudyData: ...


@dataclass(frozen=True)
class Model:
    """What holds in a study; without an argument systems are alike, and workers agree.

    systems: how far the best system's lists follow worth more than the worst one's. by_topic: how
    far systems differ by topic. steepness: of scores on worth. follow: whether labels follow it.
    first_page: by how much the first document of a unit is scored higher. alike_topics: whether all
    have the same documents and lists, so that judges alone make systems differ. failed_invert:
    whether who fails at first scores the wrong way round. failing: the share of these;
    bad_anchors: whether on the first topic it is nine of ten. hard_topics: whether some topics
    take longer and are failed more often. favours: how much more who judges sees in what the first
    system finds. reading: seconds a word; None: there are no texts. other:
    whether another study's gains follow labels; None: there is none. topics: so many; 0: one of
    TOPICS.
    """

    systems: float = 0.0
    by_topic: float = 0.0
    steepness: float = 0.7
    noise: float = 0.6
    follow: bool = True
    cuts: tuple[float, ...] = CUTS
    first_page: float = 0.0
    alike_topics: bool = False
    failed_invert: bool = False
    failing: float = 2 / 3
    bad_anchors: bool = False
    hard_topics: bool = False
    favours: float = 0.0
    reading: float | None = None
    other: bool | None = None
    topics: int = 0
    units: int = 20
    documents: int = 22
    size: int = 8
    runs: int = 8

    def study(self, seed: int, other: "Model | None" = None) -> StudyData:
        """One study; every other one has unbalanced judges.

        other: of whom those are who judge the same documents and lists instead.
        """
        rng = np.random.default_rng(seed)
        topics = self.topics or TOPICS[seed // 2 % len(TOPICS)]
        crowd = _Crowd.drawn(rng, self.units, balanced=seed % 2 == 0)
        quality = np.linspace(0.5 - self.systems / 2, 0.5 + self.systems / 2, self.runs)
        pools = rng.integers(0, 2**32, topics)
        if self.alike_topics:
            pools[:] = pools[0]
        if other:
            rng = np.random.default_rng((seed, 13))
            crowd = _Crowd.drawn(rng, other.units, balanced=seed % 2 == 0)
        made = [
            (other or self)._topic(
                np.random.default_rng(pool), rng, crowd, quality, f"{401 + number}"
            )
            for number, pool in enumerate(pools)
        ]
        made = [self._timed(topic, seed) for topic in made]
        data = make_study(*_with_experience(made), seed=seed)
        if self.other is not None:
            data = replace(data, others=[_other(data, follow=self.other)])
        return data if self.reading is None else with_texts(data, _lengths(seed))

    def _timed(self, topic: TopicData, seed: int) -> TopicData:
        """With the time of each document; on hard topics, with more failures as well."""
        rng = np.random.default_rng((seed, topic.key))
        hard = rng.random() if self.hard_topics else 0.5
        failed = rng.random(self.units) < hard if self.hard_topics else topic.failed
        words = np.resize(_lengths(seed), self.documents)[topic.places]
        seconds = 20 * (0.5 + hard) + (self.reading or 0) * words
        seconds = seconds * rng.lognormal(0, 0.5, topic.places.shape)
        pace = np.exp(0.3 * np.sin(topic.workers))  # the same on all topics
        return replace(
            topic,
            failed=np.asarray(failed, dtype=np.int64),
            seconds=seconds * pace[:, np.newaxis],
        )

    def _topic(
        self,
        pool: np.random.Generator,
        rng: np.random.Generator,
        crowd: "_Crowd",
        quality: Floats,
        query_id: str,
    ) -> TopicData:
        """pool: draws documents, labels and lists; rng: what the crowd does."""
        worth = pool.normal(0, 1, self.documents)
        worth[[N_K, H_K]] = -1.5, 1.8
        rated = worth if self.follow else pool.permutation(worth)
        labels = np.searchsorted(self.cuts, rated + pool.normal(0, 0.3, self.documents)).astype(
            float
        )
        labels[[N_K, H_K]] = 0, len(self.cuts)
        lists = self._lists(pool, worth, quality)
        workers = crowd.workers(rng, self.units)
        places = crowd.places(rng, self.documents, self.size, self.units)
        failing = 0.9 if self.bad_anchors and query_id == "401" else self.failing
        failed = (rng.random(self.units) < failing).astype(np.int64)
        signs = 1 - 2 * failed if self.failed_invert else np.ones(self.units)
        seen = signs[:, np.newaxis] * worth[places] + self.favours * np.isin(places, lists[0])
        made = make_topic(
            self._scores(rng, seen, places, crowd.levels[workers]),
            places,
            labels.tolist(),
            lists,
            query_id=query_id,
            workers=workers,
        )
        return replace(made, failed=failed)

    def _scores(
        self, rng: np.random.Generator, seen: Floats, places: Ints, levels: Floats
    ) -> Floats:
        """Of every unit, (u, s); seen: what its worker sees in documents.

        Where the anchors come out the wrong way they change places.
        """
        logs = levels[:, np.newaxis] + rng.normal(0, 0.5, (len(places), 1))
        logs = logs + self.steepness * seen + rng.normal(0, self.noise, places.shape)
        logs[:, 0] += self.first_page
        rows = np.arange(len(places))
        low, high = ((places == role).argmax(axis=1) for role in (N_K, H_K))
        pair = np.sort(np.stack([logs[rows, low], logs[rows, high]]), axis=0)
        logs[rows, low], logs[rows, high] = pair[0], pair[1] + 0.05
        return np.exp(logs)

    def _lists(self, rng: np.random.Generator, worth: Floats, quality: Floats) -> Ints:
        """The first ten of every run."""
        follows = quality + rng.normal(0, self.by_topic, len(quality))
        noise = rng.normal(0, 1, (len(quality), len(worth)))
        return np.argsort(-(follows[:, np.newaxis] * worth + noise), axis=1)[:, :10]


@dataclass(frozen=True)
class Beside:
    """The run of a language model beside people, of the same documents and lists."""

    people: Model
    model: Model

    def study(self, seed: int) -> StudyData:
        return make_model_run(self.people.study(seed), self.people.study(seed, self.model))


@dataclass(frozen=True)
class Repeated:
    """Levels that two judges gave twice each; taste: how far each has a mind of their own."""

    taste: float = 0.0

    def study(self, seed: int) -> StudyData:
        rng = np.random.default_rng(seed)
        topics, shape = TOPICS[seed % len(TOPICS)], (2, 25, 2)  # times, documents, judges
        rows = []
        for _ in range(topics):
            seen = rng.normal(0, 1, (25, 1)) + rng.normal(0, self.taste, (25, 2))
            levels = np.searchsorted((0, 0.8), seen + rng.normal(0, 0.7, shape))
            rows.append([(at[1], at[2], int(level)) for at, level in np.ndenumerate(levels)])
        return replace(imported_study(rows), seed=seed)


def _lengths(seed: int) -> Floats:
    """Words of documents by code."""
    return np.random.default_rng((seed, 7)).integers(50, 1500, 97).astype(float)


def _other(data: StudyData, *, follow: bool) -> OtherStudy:
    """Another study of the same documents, by a crowd of its own."""
    rng = np.random.default_rng((data.seed, 11))
    gains = {}
    for topic in data.topics:
        felt = topic.labels if follow else rng.permutation(topic.labels)
        gains[topic.query_id] = topic.codes, np.exp(0.7 * felt + rng.normal(0, 0.3, len(felt)))
    return OtherStudy(2, "other", "Other", "magnitudes", "", gains)


@dataclass(frozen=True)
class _Crowd:
    """Workers by how high they score, and how often each comes; equal where balanced."""

    levels: Floats
    chances: Floats
    balanced: bool

    @classmethod
    def drawn(cls, rng: np.random.Generator, units: int, balanced: bool) -> "_Crowd":
        n = units if balanced else 3 * units
        chances = np.ones(n) if balanced else np.arange(1, n + 1) ** -1.1
        return cls(rng.normal(1, 1, n), chances / chances.sum(), balanced)

    def workers(self, rng: np.random.Generator, units: int) -> Ints:
        """Those of a topic's units: nobody works on a topic twice."""
        return rng.choice(len(self.levels), units, replace=False, p=self.chances)

    def places(self, rng: np.random.Generator, documents: int, size: int, units: int) -> Ints:
        """The documents of units, (u, s), in their order; the anchors are in each."""
        others = np.arange(2, documents)
        if self.balanced:
            turns = np.concatenate([rng.permutation(others) for _ in range(units * size)])
            some = [_distinct(turns[(size - 2) * unit :], size - 2) for unit in range(units)]
        else:
            chances = rng.dirichlet(np.full(len(others), 3.0))
            some = [rng.choice(others, size - 2, replace=False, p=chances) for _ in range(units)]
        return np.array([rng.permutation([N_K, H_K, *unit]) for unit in some])


def _distinct(turns: Ints, size: int) -> Ints:
    """The first different ones."""
    _, first = np.unique(turns, return_index=True)
    return turns[np.sort(first)[:size]]


def _with_experience(topics: list[TopicData]) -> list[TopicData]:
    """Topics in the order in which they were judged: how many units a worker had done before."""
    done: dict[int, int] = {}
    made = []
    for topic in topics:
        earlier = [done.get(worker, 0) for worker in topic.workers.tolist()]
        for worker in topic.workers.tolist():
            done[worker] = done.get(worker, 0) + 1
        made.append(replace(topic, earlier=np.array(earlier)))
    return made
