"""How far the values of systems on a topic would lie apart if other people had judged it."""

from typing import NamedTuple

import numpy as np

from magnitudes.comparison.drawing import Floats, Ids, Topic
from magnitudes.comparison.halves import deviations, split_by_judge, split_by_score
from magnitudes.comparison.recomputing import recompute
from magnitudes.comparison.variance_components import without_error
from magnitudes.measures.names import Measure


class TopicSquares(NamedTuple):
    """Of one topic: values (systems,), and their covariances (systems, systems), see `Squares`."""

    values: Floats
    whole: Floats
    single: Floats


def topic_squares(
    topic: Topic,
    judges: Ids,
    measure: Measure,
    variance: float,
    rng: np.random.Generator,
    *,
    splits: int,
    in_logs: bool = True,
) -> TopicSquares:
    """The values of all systems on a topic, and how they vary over crowds and single scores.

    Parameters:
        judges: (n,), whole numbers from 0, of each score of the topic.
        variance: of one score within its document, which documents have that no split divides.
        splits: how often the scores are divided, by judges and once more by single scores.
        in_logs: whether scores scatter alike about all documents in logs, as magnitudes do, or as
            they are, as levels do.

    Raises:
        ComparisonError: fewer than three splits.
        MeasureNameError: the measure asks for something that the topic does not have.
    """
    again = recompute(topic, measure)
    gains = topic.aggregated[:, np.newaxis]
    scores = np.log(topic.scores) if in_logs else topic.scores

    def covariance(halved: list[np.ndarray]) -> Floats:
        away = deviations(scores, topic.documents, topic.size, halved, variance, rng)
        return without_error(lambda by: again(gains * np.exp(by) if in_logs else gains + by), away)

    return TopicSquares(
        again(gains)[:, 0],
        covariance([split_by_judge(judges, topic.documents, rng) for _ in range(splits)]),
        covariance([split_by_score(topic.documents, rng) for _ in range(splits)]),
    )
