import random
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from judging.models import Study, StudyTopic
from judging.studies.configuration.topic_settings import OPTIONS
from judging.studies.faults import BadStudy
from magnitudes.files.containers.archives import Source, open_members
from magnitudes.files.questions import Settings, read_questions
from web.text import natural

COLUMNS = (
    *("query_id", "title", "question"),
    *(f"option_{number}" for number in range(1, OPTIONS + 1)),
    *("answer", "answer_sentence"),
)
QUESTION = "What is this topic about?"


def with_questions(config: dict[str, Any], path: str | Path, encoding: str = "") -> dict[str, Any]:
    """The content of a study.toml, its tables of topics filled from the table at `path`.

    The study covers the topics that either of them lists.

    Raises BadStudy: both say something of a topic, as of its question; and as `read_tables`.
    """
    tables = config.get("topics", {})
    if not isinstance(tables, dict):
        return config  # create_study refuses it
    merged = dict(tables)
    twice = []
    for query_id, settings in read_tables(path, encoding).items():
        in_config = merged.get(query_id, {})
        if not isinstance(in_config, dict):
            continue
        twice += [f"Topic {query_id}: {name}" for name in settings if name in in_config]
        merged[query_id] = {**in_config, **settings}
    if twice:
        raise BadStudy(*(f"{what} stands in the study.toml and in {path}." for what in twice))
    return {**config, "topics": merged}


def read_tables(path: Source, encoding: str = "") -> dict[str, Settings]:
    """By topic, as a study.toml would have them. Raises BadFile and UnknownEncoding."""
    tables: dict[str, Settings] = {}
    for member in open_members([path], encoding=encoding):
        tables |= read_questions(member)
    return tables


def question_rows(study: Study) -> Iterator[tuple[str, ...]]:
    """A row for each topic, in the order in which people count, with the columns of `COLUMNS`.

    Where a topic has no question, one is proposed.
    """
    topics = sorted(
        study.topics.select_related("topic"), key=lambda topic: natural(topic.topic.query_id)
    )
    for topic in topics:
        if not topic.question:
            propose_question(topic, topics)
        options = [*topic.options, *[""] * OPTIONS][:OPTIONS]
        texts = topic.question, *options, topic.answer, topic.answer_sentence
        yield topic.topic.query_id, topic.topic.title, *texts


def propose_question(topic: StudyTopic, topics: Iterable[StudyTopic]) -> bool:
    """Fill in a question, and save nothing; returns whether there are four titles for it.

    The title is the answer; the wrong ones are three titles of `topics` of about its length, drawn
    by the topic's number.
    """
    right = topic.topic.title
    titles = {each.topic.title for each in topics} - {right, ""}
    if not right or len(titles) < OPTIONS - 1:
        return False
    alike = sorted(titles, key=lambda title: (abs(len(title) - len(right)), title))
    draw = random.Random(topic.topic.query_id)  # noqa: S311 - the same draft each time, no secret
    options = [right, *draw.sample(alike[: 2 * (OPTIONS - 1)], OPTIONS - 1)]
    draw.shuffle(options)
    topic.question, topic.options, topic.answer = QUESTION, options, right
    return True
