"""A run that is ranked among the systems of a study without being kept."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluation import results
from evaluation.models import TopicEvaluation
from evaluation.publishing import named_gains
from evaluation.ranking import Ranked, rank
from judging import completed
from judging.collections import vocabulary
from judging.models import Document, Study, Topic
from magnitudes.files.containers.archives import StoredFile, open_members
from magnitudes.files.errors import BadFile
from magnitudes.files.ids import decoded
from magnitudes.files.runs import Run, RunTopic, read_runs
from magnitudes.measures.lists import Values, refuse_unknown
from magnitudes.measures.names import Measure, parse
from web.snapshots import snapshot

Ids = NDArray[np.int64]
NEW = " (new)"  # what stands behind the name of a run that another of the study has


@dataclass(frozen=True)
class DroppedRun:
    """A ranking in which a run takes part, under this name.

    missing_topics: how many judged topics the run leaves out; other_topics: those of the run on
    which nothing is judged here.
    """

    name: str
    ranking: dict[str, Any]
    missing_topics: int
    other_topics: list[str]

    @property
    def system(self) -> dict[str, Any]:
        """What the ranking says of the run."""
        return next(row for row in self.ranking["results"] if row["run"] == self.name)


def read_dropped(file: StoredFile) -> Run:
    """Read the one run that a file holds.

    Raises:
        BadFile: it cannot be read, or holds another number of runs.
    """
    runs = list(read_runs(open_members([file])))
    if len(runs) != 1:
        raise BadFile(file.name, f"{len(runs)} runs", "one")
    return runs[0]


@snapshot()
def rank_with(study: Study, run: Run, measure: str, gains: str | None = None) -> DroppedRun:
    """Rank a run among a study's systems, by the published judgments. Nothing is stored.

    Its values are those that it would have as a run of the collection.

    Raises:
        CannotRank: no such measure or gains; or (`run`) nothing is judged yet on any topic of it.
    """
    with results.refusals(measure):
        table = results.table(study, parse(measure), gains)
        gain = named_gains.named(study, gains)
        alone = results.computed(study, parse(table.measure), gain, _Lists(run))
    if alone is None or table.ranked is None:
        raise results.CannotRank("run", "No unit is completed yet: there is nothing to rank by.")
    judged = set(alone.query_ids)
    if not judged & run.topics.keys():
        raise results.CannotRank("run", _no_topic(run, alone.query_ids))
    name = run.tag + NEW if run.tag in table.runs else run.tag
    with results.refusals(measure):
        refuse_unknown(parse(table.measure), alone.values, alone.query_ids, [name])
    together = table._replace(runs=[*table.runs, name], ranked=_together(table.ranked, alone))
    return DroppedRun(
        name,
        results.as_ranking(study, together),
        len(judged - run.topics.keys()),
        sorted(run.topics.keys() - judged, key=str.encode),
    )


def _no_topic(run: Run, query_ids: Sequence[str]) -> str:
    some = ", ".join(list(run.topics)[:3])
    return f"Its topics, {some} first, are none that are judged here: {', '.join(query_ids[:10])}."


def _together(systems: Ranked, run: Ranked) -> Ranked:
    """One ranking of both, of the same topics in the same order."""
    values = np.concatenate([systems.values, run.values], axis=1)
    judged = np.concatenate([systems.judged, run.judged], axis=1)
    return rank(systems.query_ids, [Values(*pair) for pair in zip(values, judged, strict=True)])


@dataclass(frozen=True)
class _Lists:
    """The lists of a run that is not stored; documents new to a topic have codes at its end."""

    run: Run

    def __call__(
        self, topic: TopicEvaluation, pooled: Ids, measure: Measure
    ) -> results.RankedLists:
        ranked = self.run.topics.get(topic.study_topic.topic.query_id)
        doc_ids = _in_order(ranked, measure) if ranked else []
        known = vocabulary.read(topic.study_topic.topic)
        code = {doc_id: place for place, doc_id in enumerate(known)}
        codes = np.array([[code.setdefault(d, len(code)) for d in doc_ids]], dtype=np.int32)
        if "words" not in measure.needs:
            return results.RankedLists(codes, None)
        old = codes[codes < len(known)]
        lengths = completed.words(topic.study_topic.topic_id, old, pooled)
        new = _words(topic.study_topic.topic, list(code)[len(known) :])
        return results.RankedLists(codes, np.concatenate([lengths[:-1], new, [np.nan]]))


def _in_order(ranked: RunTopic, measure: Measure) -> list[str]:
    """The documents down to the cutoff, in the order in which a measure goes through them."""
    doc_ids = decoded(ranked.doc_ids)
    if measure.by_rank:
        doc_ids = [doc_ids[place] for place in np.argsort(ranked.ranks, kind="stable")]
    return doc_ids[: measure.cutoff]


def _words(topic: Topic, doc_ids: list[str]) -> NDArray[np.float64]:
    """The lengths of documents in words; NaN where there is no text."""
    documents = Document.objects.filter(collection=topic.collection_id, doc_id__in=doc_ids)
    words = dict(documents.values_list("doc_id", "words"))
    return np.array([words.get(doc_id, np.nan) for doc_id in doc_ids], dtype=np.float64)
