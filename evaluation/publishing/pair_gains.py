"""The gains of a study's judged pairs, by the usual scheme, another one, or a name."""

from collections.abc import Sequence
from dataclasses import dataclass

from evaluation import pipeline
from evaluation.models import TopicEvaluation
from evaluation.publishing import named_gains
from evaluation.results import topics_of
from judging import completed
from judging.models import PooledDocument, Study
from magnitudes.scaling.aggregation import AGGREGATORS
from magnitudes.scaling.normalisation import SCHEMES
from web.snapshots import snapshot

NORMALISATIONS, AGGREGATIONS = SCHEMES, tuple(AGGREGATORS)
# Levels are on one scale for all, and the lowest is 0, which has no place in a geometric mean.
OF_LEVELS = ("none",), ("median", "arithmetic")
OF_IMPORTED = tuple(name for name in SCHEMES if name != "anchors"), AGGREGATIONS


class NoSuchScheme(ValueError):
    """Scores of this study cannot be scaled so; `option` is what was asked for."""

    def __init__(self, option: str, value: str, choices: Sequence[str], study: Study) -> None:
        why = ", as there are no anchors" if study.is_imported else ""
        why = ", as scores are levels" if study.is_graded else why
        super().__init__(f"“{value}”: expected one of {', '.join(choices)}{why}")
        self.option = option


@dataclass(frozen=True)
class Gain:
    """The gain of one topic-document pair."""

    query_id: str
    doc_id: str
    gain: float
    count: int


def schemes(
    study: Study, normalisation: str | None = None, aggregation: str | None = None
) -> tuple[str, str]:
    """The schemes that are asked for, or those that a study's scores are usually scaled by.

    Raises:
        NoSuchScheme: there is none of that name for the study's kind of scores.
    """
    usual = pipeline.schemes(study)
    asked = (normalisation, aggregation)
    chosen = tuple(usual[place] if name is None else name for place, name in enumerate(asked))
    there = OF_IMPORTED if study.is_imported else (NORMALISATIONS, AGGREGATIONS)
    there = OF_LEVELS if study.is_graded else there
    names = ("normalisation", "aggregation")
    for name, value, choices in zip(names, chosen, there, strict=True):
        if value not in choices:
            raise NoSuchScheme(name, value, choices, study)
    return chosen[0], chosen[1]


@snapshot()
def gains(
    study: Study,
    normalisation: str | None = None,
    aggregation: str | None = None,
    named: str | None = None,
) -> list[Gain]:
    """The gains of all judged pairs, by topic and document.

    Under the published schemes they are from the published judgments; under others they are
    computed from the judgments as they are now. `named`: see `named_gains`.

    Raises:
        NoSuchGains: see there; and for another scheme with gains that are not the scaled scores.
    """
    asked, scheme = schemes(study, normalisation, aggregation), named_gains.named(study, named)
    topics = topics_of(study)
    if asked == pipeline.schemes(study):
        of_topics = named_gains.of_topics(study, topics, scheme)
    elif scheme.name == named_gains.usual(study):
        of_topics = [_rescaled(topic, asked) for topic in topics]
    else:
        usual = " and ".join(pipeline.schemes(study))
        raise named_gains.NoSuchGains(f"{scheme.name} goes with the usual scheme alone, {usual}")
    names = dict(
        PooledDocument.objects.filter(study_topic__study=study).values_list("id", "doc_id")
    )
    gains = []
    for topic, of_topic in zip(topics, of_topics, strict=True):
        query_id = topic.study_topic.topic.query_id
        gains += sorted(
            (
                Gain(query_id, names[int(key)], float(gain), int(count))
                for key, gain, count in zip(*of_topic, strict=True)
            ),
            key=lambda gain: gain.doc_id.encode(),
        )
    return gains


@snapshot()
def remark(study: Study, named: str | None = None) -> str:
    """What there is to say of the judgments that gains of that name are computed from, or "".

    Raises:
        NoSuchGains: see `named_gains`.
    """
    return named_gains.remark(study, topics_of(study), named_gains.named(study, named))


def _rescaled(topic: TopicEvaluation, schemes: tuple[str, str]) -> named_gains.TopicGains:
    key = topic.study_topic_id
    scaled = pipeline.scale(completed.judgments(key), completed.pool(key), *schemes)
    return named_gains.TopicGains(scaled.documents, scaled.gains, scaled.counts)
