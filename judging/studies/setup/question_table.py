"""A table of questions to fill in: what a study has, and a first proposal where it has nothing."""

import random
from collections.abc import Iterator, Sequence

from judging.models import Study, StudyTopic
from judging.studies.setup.topics import OPTIONS
from web.text import natural

COLUMNS = (
    *("query_id", "title", "question"),
    *(f"option_{number}" for number in range(1, OPTIONS + 1)),
    *("answer", "answer_sentence"),
)
QUESTION = "What is this topic about?"


def question_rows(study: Study) -> Iterator[tuple[str, ...]]:
    """A row for each topic, in the order in which people count, with the columns of `COLUMNS`.

    Where a topic has no question, its title is proposed as the answer and three other titles, drawn
    by the topic's number, as the wrong ones; nothing where there are no four titles.
    """
    topics = sorted(
        study.topics.select_related("topic"), key=lambda topic: natural(topic.topic.query_id)
    )
    titles = sorted({topic.topic.title for topic in topics if topic.topic.title})
    for topic in topics:
        names = topic.topic.query_id, topic.topic.title
        yield (*names, *(_stored(topic) if topic.question else _proposed(topic, titles)))


def _stored(topic: StudyTopic) -> tuple[str, ...]:
    options = [*topic.options, *[""] * OPTIONS][:OPTIONS]
    return topic.question, *options, topic.answer, topic.answer_sentence


def _proposed(topic: StudyTopic, titles: Sequence[str]) -> tuple[str, ...]:
    right = topic.topic.title
    others = [title for title in titles if title != right]
    if not right or len(others) < OPTIONS - 1:
        return ("",) * (len(COLUMNS) - 2)
    draw = random.Random(topic.topic.query_id)  # noqa: S311 - the same draft each time, no secret
    options = [right, *draw.sample(others, OPTIONS - 1)]
    draw.shuffle(options)
    return QUESTION, *options, right, ""
