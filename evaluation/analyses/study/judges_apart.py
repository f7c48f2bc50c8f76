"""How far the values of systems by two halves of the judges lie apart, topic by topic."""

import numpy as np

from evaluation.analyses.study import comparing
from evaluation.analyses.study.data import Floats, StudyData
from evaluation.analyses.telling.parts import Tell
from evaluation.comparison.drawing import Topic
from evaluation.comparison.halves import halves, single_scores, whole_judges
from evaluation.comparison.recomputing import Recompute, recompute
from evaluation.comparison.variance_components import Squares, checked
from evaluation.measures.names import Measure

SPLITS = 20  # of each kind


def judges_of(data: StudyData) -> float:
    """How many scores a judged document has, at the median."""
    counts = data.documents.counts[data.documents.counts > 0]
    return float(np.median(counts)) if counts.size else 0.0


def measured(data: StudyData, by: Measure, tell: Tell) -> Squares:
    """The values of all systems, and how those by two halves of the judges lie apart."""
    rng = np.random.default_rng(data.seed)
    judges = np.split(data.judgments.workers, np.cumsum([t.places.size for t in data.topics])[:-1])
    rows = []
    for done, (topic, of_topic) in enumerate(zip(data.topics, judges, strict=True), 1):
        drawable = comparing.drawable(topic, topic.lists)
        again = recompute(drawable, by)
        whole = [whole_judges(of_topic, drawable.documents, rng) for _ in range(SPLITS)]
        single = [single_scores(drawable.documents, rng) for _ in range(SPLITS)]
        values = again(drawable.aggregated[:, np.newaxis])[:, 0]
        rows.append((values, *(_apart(drawable, again, some) for some in (whole, single))))
        tell(done / len(data.topics))
    return checked(Squares(*map(np.stack, zip(*rows, strict=True))))


def _apart(topic: Topic, again: Recompute, splits: list[np.ndarray]) -> Floats:
    """(systems, systems): the mean of scale · δδᵀ over splits; 0 where nothing can be split."""
    first, second, scale = halves(topic.scores, topic.documents, topic.size, splits)
    delta = again(first) - again(second)
    table: Floats = np.nan_to_num(scale) * (delta @ delta.T) / len(splits)
    return table
