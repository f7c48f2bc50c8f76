"""Questions and anchors of topics: one table for a study."""

from magnitudes.files.containers.archives import Member
from magnitudes.files.errors import BadFile, Place
from magnitudes.files.parsing.fields import identifier
from magnitudes.files.parsing.tables import Column, read_rows
from magnitudes.files.parsing.text import read_lines

Settings = dict[str, str | list[str]]

_OPTIONS = ("option_1", "option_2", "option_3", "option_4")
_TEXTS = ("question", "answer", "answer_sentence", "h_k", "n_k")
# No others are taken: a column whose name is misspelt would be left out without a word.
_COLUMNS = (
    Column("query_id"),
    *(Column(name, required=False) for name in (*_OPTIONS, *_TEXTS, "title")),
)


def read_questions(member: Member) -> dict[str, Settings]:
    """Read the questions and anchors of topics, by query id, as a study.toml would have them.

    A table, CSV, TSV or JSONL, with the column query_id and some of question, option_1 to option_4,
    answer, answer_sentence, h_k and n_k; title is passed over. Cells may be empty; what is empty is
    left out, and so are options if all four are.

    Raises BadFile for another column, a row that cannot be read, a topic twice,
    and a file without topics.
    """
    topics: dict[str, Settings] = {}
    lines: dict[str, int] = {}
    for line, row in read_rows(member.name, read_lines(member), _COLUMNS, is_closed=True):
        place = Place(member.name, line)
        query_id = identifier(row["query_id"], "query_id", place)
        earlier = lines.setdefault(query_id, line)
        if earlier != line:
            problem = f"topic {query_id} again (first in line {earlier})"
            raise place.bad(problem, "each topic once")
        topics[query_id] = _settings(row)
    if not topics:
        raise BadFile(member.name, "no topics in it", "at least one topic")
    return topics


def _settings(row: dict[str, str]) -> Settings:
    settings: Settings = {name: text for name in _TEXTS if (text := row[name].strip())}
    options = [row[name].strip() for name in _OPTIONS]
    return {**settings, "options": options} if any(options) else settings
