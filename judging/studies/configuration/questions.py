import random
from collections.abc import Iterator, Sequence
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

    Where a topic has no question, its title is proposed as the answer and three other titles, drawn
    by the topic's number, as the wrong ones; nothing where there are no four titles.
    """
    topics = sorted(
        study.topics.select_related("topic"), key=lambda topic: natural(topic.topic.query_id)
    )
    titles = sorted({topic.topic.title for topic in topics if topic.topic.title})
    for topic in topics:
        options = [*topic.options, *[""] * OPTIONS][:OPTIONS]
        stored = topic.question, *options, topic.answer, topic.answer_sentence
        row = stored if topic.question else _proposed(topic, titles)
        yield topic.topic.query_id, topic.topic.title, *row


def _proposed(topic: StudyTopic, titles: Sequence[str]) -> tuple[str, ...]:
    right = topic.topic.title
    others = [title for title in titles if title != right]
    if not right or len(others) < OPTIONS - 1:
        return ("",) * (len(COLUMNS) - 2)
    draw = random.Random(topic.topic.query_id)  # noqa: S311 - the same draft each time, no secret
    options = [right, *draw.sample(others, OPTIONS - 1)]
    draw.shuffle(options)
    return QUESTION, *options, right, ""
