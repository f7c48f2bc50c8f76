"""Questions and anchors from one table, beside the study.toml."""

import pytest
from django.core.management import CommandError, call_command

from judging.models import Study, StudyTopic
from judging.studies.configuration.question_hints import find_giveaways
from judging.studies.configuration.questions import with_questions
from judging.studies.configuration.settings import BadStudy, create_study
from magnitudes.files.errors import BadFile
from tests.factory import OPTIONS
from tests.judging.studies.configuration.test_settings import ANCHORS, QUESTION

HEADER = "query_id,question,option_1,option_2,option_3,option_4,answer,h_k,n_k"
ROW = f"401,Which one?,{','.join(OPTIONS)},{OPTIONS[0]},A,B"


@pytest.fixture
def table(tmp_path):
    """Write the rows of a table; its path."""

    def write(*rows: str, encoding: str = "utf-8") -> str:
        path = tmp_path / "questions.csv"
        path.write_bytes("\n".join([HEADER, *rows]).encode(encoding))
        return str(path)

    return write


def create(path: str, **topics: object) -> Study:
    config = {"title": "A study"} | ({"topics": topics} if topics else {})
    return create_study("s", "home", with_questions(config, path))


def refused(path: str, **topics: object) -> list[str]:
    with pytest.raises((BadStudy, BadFile)) as refusal:
        create(path, **topics)
    assert not Study.objects.exists()
    return str(refusal.value).split("\n")


def stored() -> list[tuple]:
    fields = ("topic__query_id", "question", "options", "answer", "h_k", "n_k", "pool")
    return sorted(StudyTopic.objects.values_list(*fields))


def test_a_row_is_what_a_table_of_the_study_toml_is(home, table):
    create(table(ROW))
    rows = stored()
    Study.objects.all().delete()
    create_study("s", "home", {"title": "A study", "topics": {"401": {**QUESTION, **ANCHORS}}})
    assert stored() == rows


def test_both_together(home, table):
    """The study covers the topics of either; a pool stands in the study.toml alone."""
    anchors = table("401,,,,,,,A,B", "402,,,,,,,,")
    create(anchors, **{"401": {**QUESTION, "documents": ["A", "B", "C"]}})
    options = [QUESTION["options"]]
    assert stored() == [
        ("401", QUESTION["question"], *options, QUESTION["answer"], "A", "B", ["A", "B", "C"]),
        ("402", "", [], "", "", "", []),
    ]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (ROW.replace("401", "499"), "Topic 499: not in collection home."),
        (ROW.replace(",A,B", ",A,A"), "Topic 401: h_k and n_k are the same document, A."),
        (ROW.replace(",A,B", ",A,"), "Topic 401: "),
        (ROW.replace(OPTIONS[1], ""), "Topic 401: 3 different options; expected 4."),
        (
            ROW.replace(f"{OPTIONS[0]},A", "other,A"),
            "Topic 401: answer is not one of the options; expected the right option's text.",
        ),
        (
            ROW.replace(",A,B", ",A,none"),
            "Topic 401: none stands in neither documents, runs nor labels.",
        ),
    ],
)
def test_the_rules_are_those_of_the_study_toml(home, table, row, message):
    assert refused(table(row))[0].startswith(message)


def test_what_both_say_is_refused(home, table):
    path = table(ROW)
    assert refused(path, **{"401": QUESTION}) == [
        f"Topic 401: {name} stands in the study.toml and in {path}."
        for name in ("question", "answer", "options")
    ]


def test_a_row_that_cannot_be_read_names_its_line(home, table):
    assert refused(table("401,a"))[0].endswith("questions.csv, line 2: 2 cells; expected 9, as in "
        "the header: 'query_id,question,option_1,option_2,option_3,option_4,answer…'")  # fmt: skip


def test_tables_of_topics_that_are_none(home, table):
    with pytest.raises(BadStudy, match=r"topics: expected tables \[topics.NUMBER\]"):
        create_study("s", "home", with_questions({"title": "x", "topics": 3}, table(ROW)))


def test_the_command(home, table, tmp_path):
    (tmp_path / "study.toml").write_text('title = "A study"')
    options = {"collection": "home", "config": str(tmp_path / "study.toml")}
    path = table(ROW.replace("Which", "Où"), encoding="cp1252")
    with pytest.raises(CommandError, match=r"line 2: .* 0xf9 is not UTF-8; .* latin-1\nNo st"):
        call_command("create_study", "s", **options, questions=path)
    call_command("create_study", "s", **options, questions=path, encoding="cp1252")
    assert stored()[0][1] == "Où one?"


# --- what gives the answer away -------------------------------------------------------------------
WRONG = ["The price of coal", "The habits of whales", "The laws of the sea"]


@pytest.mark.parametrize(
    ("answer", "title", "expected"),
    [
        ("The wreck of a tanker", "Oil spills", []),
        ("The wreck of a tanker and what its oil did to birds", "", ["by far the longest option"]),
        ("Spills", "", ["by far the shortest option"]),
        ("What oil spills did", "Oil spills at sea", ["words of the topic's title: spills"]),
        ("The price of whales", "Whales, their price", []),
        ("", "Oil", []),
    ],
)
def test_the_right_answer_stands_out(answer, title, expected):
    lines = find_giveaways([*WRONG, answer], answer, title)
    assert len(lines) == len(expected)
    assert all(part in line for part, line in zip(expected, lines, strict=True))
