"""How much of what is uncertain is that topics differ, on crowds whose truth is known."""

from dataclasses import dataclass

import numpy as np
import pytest

from magnitudes.comparison.drawing import Topic
from magnitudes.comparison.halves import topic_squares, within_documents
from magnitudes.comparison.larger_study import larger_study
from magnitudes.comparison.recomputing import recompute
from magnitudes.comparison.variance_components import Squares
from magnitudes.measures.names import parse

MEASURE = parse("nDCG(dcg='jk')@10")
TOPICS, SYSTEMS, DOCUMENTS, SPLITS, CROWDS = 20, 12, 26, 20, 12
Floats = np.ndarray


@dataclass(frozen=True)
class Cell:
    """A true share of topics; apart: how far the systems' lists differ by topic, which makes it.

    single: the share of documents that have one score; all others have as many as `scores`.
    """

    share: float
    single: float
    scores: int
    apart: float

    @property
    def error(self) -> float:
        """Of one score, in logs; smaller where it could not leave so much to topics."""
        return 0.35 if self.share > 0.5 else 0.6

    def __str__(self) -> str:
        return f"{self.share:g} topics, {self.single:.0%} single, {self.scores} scores"


CELLS = [
    Cell(share, single, scores, apart)
    for share, single, scores, apart in (
        (0, 0.0, 3, 0),
        (0, 0.2, 3, 0),
        (0, 0.45, 3, 0),
        (0, 0.0, 10, 0),
        (0, 0.2, 10, 0),
        (0, 0.45, 10, 0),
        (0.3, 0.0, 3, 0.29),
        (0.3, 0.2, 3, 0.37),
        (0.3, 0.45, 3, 0.47),
        (0.3, 0.0, 10, 0.11),
        (0.3, 0.2, 10, 0.22),
        (0.3, 0.45, 10, 0.38),
        (0.7, 0.0, 3, 0.52),
        (0.7, 0.2, 3, 0.69),
        (0.7, 0.45, 3, 0.93),
        (0.7, 0.0, 10, 0.19),
        (0.7, 0.2, 10, 0.36),
        (0.7, 0.45, 10, 0.69),
    )
]
QUICK = [cell for cell in CELLS if cell.single == 0.45 and cell.scores == 10]


def worlds(rng: np.random.Generator, apart: float) -> tuple[Floats, list[Floats]]:
    """The documents' true log gains, alike on all topics, and every topic's lists of systems."""
    truth = rng.normal(0.8, 0.7, DOCUMENTS)
    errors = rng.normal(0, 0.5, (SYSTEMS, DOCUMENTS)) * np.linspace(0.5, 1.5, SYSTEMS)[:, None]
    own = rng.normal(0, 1, (TOPICS, SYSTEMS, DOCUMENTS))
    return truth, [np.argsort(-(truth + errors + apart * each), axis=1)[:, :10] for each in own]


def judged(
    rng: np.random.Generator, truth: Floats, lists: Floats, cell: Cell
) -> tuple[Topic, Floats]:
    """A topic as a crowd gives it, and who gave each score; nobody scores a document twice."""
    counts = np.full(DOCUMENTS, cell.scores)
    counts[rng.permutation(DOCUMENTS)[: round(cell.single * DOCUMENTS)]] = 1
    documents = np.repeat(np.arange(DOCUMENTS), counts)
    turn = np.arange(len(documents)) - np.repeat(np.cumsum(counts) - counts, counts)
    judges = turn * 5 + (rng.permutation(DOCUMENTS) % 5)[documents]
    scores = np.exp(truth[documents] + rng.normal(0, cell.error, len(documents)))
    return Topic(lists, scores, documents, DOCUMENTS), judges


def between_pairs(covariance: Floats) -> float:
    """The variance of a difference, averaged over pairs of systems."""
    own = np.trace(covariance) - covariance.sum() / SYSTEMS
    return float(2 * own / (SYSTEMS - 1))


def true_share(rng: np.random.Generator, truth: Floats, lists: list[Floats], cell: Cell) -> float:
    """By many crowds on the same topics."""
    values = np.array(
        [
            [
                recompute(topic, MEASURE)(topic.aggregated[:, np.newaxis])[:, 0]
                for topic, _ in (judged(rng, truth, each, cell) for each in lists)
            ]
            for _ in range(CROWDS)
        ]
    )
    crowds = np.mean([between_pairs(np.cov(each, rowvar=False)) for each in values.swapaxes(0, 1)])
    topics = between_pairs(np.cov(values.mean(axis=0), rowvar=False)) - crowds / CROWDS
    return float(topics / (topics + crowds))


def estimated(rng: np.random.Generator, truth: Floats, lists: list[Floats], cell: Cell) -> float:
    rows = []
    for each in lists:
        topic, judges = judged(rng, truth, each, cell)
        spread = within_documents(np.log(topic.scores), topic.documents).variance
        rows.append(topic_squares(topic, judges, MEASURE, spread, rng, splits=SPLITS))
    squares = Squares(*map(np.stack, zip(*rows, strict=True)))
    return larger_study(squares, (1,), (0.05,), 2, 1).share_of_topics.value


def mean_error(cell: Cell, studies: int) -> float:
    """By how much the mean estimate of many studies exceeds the mean truth."""
    errors, truths = [], []
    for seed in range(studies):
        rng = np.random.default_rng(seed)
        truth, lists = worlds(rng, cell.apart)
        truths.append(true_share(rng, truth, lists, cell) if cell.apart else 0.0)
        errors.append(estimated(rng, truth, lists, cell) - truths[-1])
    assert np.mean(truths) == pytest.approx(cell.share, abs=0.06)
    return float(np.mean(errors))


@pytest.mark.parametrize("cell", QUICK, ids=str)
def test_the_share_of_topics_is_near_the_truth_where_documents_have_one_score(cell: Cell) -> None:
    assert abs(mean_error(cell, studies=5)) <= 0.1


@pytest.mark.whole
@pytest.mark.parametrize("cell", CELLS, ids=str)
def test_the_mean_share_of_topics_is_within_a_tenth_of_the_truth(cell: Cell) -> None:
    assert abs(mean_error(cell, studies=60)) <= 0.1
