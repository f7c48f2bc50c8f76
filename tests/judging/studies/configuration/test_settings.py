"""Setting a study up: every refusal names what is wrong, and where."""

from decimal import Decimal

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from judging.models import (
    Study,
    StudyTopic,
    Topic,
    Unit,
)
from judging.studies.configuration.settings import BadStudy, create_study, read_config
from tests.factory import OPTIONS

QUESTION = {"question": "Which one?", "options": OPTIONS, "answer": OPTIONS[0]}
ANCHORS = {"h_k": "A", "n_k": "B"}


def create(topics: object = None, *, replace: bool = False, **settings) -> Study:
    given = {} if topics is None else {"topics": topics}
    return create_study("s", "home", {"title": "A study", **settings, **given}, replace=replace)


def refused(topics: object = None, **settings) -> list[str]:
    """The lines of the refusal; nothing may be left behind."""
    with pytest.raises(BadStudy) as refusal:
        create(topics, **settings)
    assert not Study.objects.exists()
    return str(refusal.value).split("\n")


# --- making one ---------------------------------------------------------------------------------
def test_defaults(home):
    study = create()
    assert (study.stage, study.scale, study.demo) == ("draft", "magnitude", False)
    assert (study.unit_size, study.redundancy, study.minimum_seconds) == (8, 10, 20)
    money = Decimal("0.20")
    assert (study.pool_depth, study.payment, study.platform_fee) == (10, money, money)
    assert (study.currency, study.practice, study.labels) == ("USD", "every unit", "reference")
    assert (study.show_previous_score, study.expiry_minutes) == (True, 60)
    assert not study.check_before_finish
    assert (study.max_units_per_worker, study.long_visit_minutes) == (None, 10)


def test_it_covers_the_topics_that_are_listed_or_all(home):
    study = create({"402": {}})
    assert StudyTopic.objects.get().topic.query_id == "402"
    study.delete()
    create()
    assert StudyTopic.objects.count() == 2


def test_a_topics_settings(home):
    create({"401": {**QUESTION, **ANCHORS, "documents": ["C", "L"]}})
    topic = StudyTopic.objects.get()
    assert (topic.h_k, topic.n_k, topic.pool) == ("A", "B", ["C", "L"])
    assert (topic.question, topic.options, topic.answer) == tuple(QUESTION.values())


# --- refusals -----------------------------------------------------------------------------------
def test_an_unknown_collection_and_a_name_that_is_taken(home):
    with pytest.raises(BadStudy, match="There is no collection nowhere"):
        create_study("s", "nowhere", {"title": "t"})
    create()
    with pytest.raises(BadStudy, match="There is a study s already"):
        create()


def test_a_draft_may_be_replaced_with_all_that_belongs_to_it(home):
    old = create({"401": {**ANCHORS, "documents": list("ABCDEFGH")}}, title="Old")
    call_command("plan_units", "s")
    assert Unit.objects.exists()
    new = create({"401": {**QUESTION, **ANCHORS}}, title="New", replace=True)
    assert (Study.objects.get(), Study.objects.get().title) == (new, "New")
    assert new.pk != old.pk
    assert StudyTopic.objects.get().question == QUESTION["question"]
    assert not Unit.objects.exists()


def test_a_draft_stays_if_what_would_replace_it_is_wrong(home):
    old = create(title="Old")
    with pytest.raises(BadStudy, match="Topic 999: not in collection"):
        create({"999": {}}, title="New", replace=True)
    assert Study.objects.get() == old
    assert StudyTopic.objects.filter(study=old).exists()


def test_what_was_opened_is_not_replaced(home):
    create()
    Study.objects.update(stage="open", opened_at=timezone.now())
    with pytest.raises(BadStudy, match="Study s is open: only a draft can be replaced"):
        create(replace=True)


@pytest.mark.parametrize("slug", ["a b", "a/b", "", "ä", "x" * 51])
def test_a_name_that_no_address_can_hold(home, slug):
    with pytest.raises(BadStudy, match="slug: "):
        create_study(slug, "home", {"title": "t"})


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"title": ""}, "title: "),
        ({"scale": "levels"}, "scale: levels; expected one of magnitude, graded"),
        ({"practice": "never"}, "practice: "),
        ({"unit_size": Decimal("8.5")}, "unit_size: 8.5; expected a whole number from 3 to 50"),
        ({"unit_size": "eight"}, "unit_size: "),
        ({"minimum_seconds": Decimal("inf")}, "minimum_seconds: "),
        ({"minimum_seconds": Decimal("nan")}, "minimum_seconds: "),
        ({"expiry_minutes": Decimal("inf")}, "expiry_minutes: "),
        ({"expiry_minutes": Decimal("nan")}, "expiry_minutes: "),
        ({"payment": Decimal("0.205")}, "payment: "),
        ({"payment": Decimal("nan")}, "payment: "),
        ({"currency": "DOLLAR"}, "currency: "),
        ({"demo": "yes"}, "demo: yes; expected true or false"),
        ({"show_previous_score": 1}, "show_previous_score: 1; expected true or false"),
        ({"entry": "closed"}, "entry: closed; expected one of open, platforms"),
        ({"minimum_seconds": "twenty"}, "minimum_seconds: twenty; expected a number from 0 to 3,6"),
        ({"scale": "graded"}, "levels: expected 2 to 10 names for a graded scale"),
        ({"levels": ["no", "yes"]}, "levels: expected 2 to 10 names for a graded scale, and none"),
        ({"scale": "graded", "levels": "a, b"}, "levels: expected a list of texts"),
        ({"scale": "graded", "levels": ["a", "a"]}, "levels: “a” stands there twice"),
        ({"level_descriptions": ["Light."]}, "level_descriptions: 1 sentence for 0 levels; expec"),
        ({"instructions": "x" * 20_001}, "instructions: At most 20000 characters; this has 20001."),
        ({"consent_by": "nod"}, "consent_by: nod; expected one of button, checkbox"),
        ({"demo": True, "payment": 1}, "payment: a demo study pays nothing"),
        ({"colour": "red", "mood": 1}, "Unknown setting colour, mood; expected some of "),
        ({"stage": "open"}, "Unknown setting stage"),
        ({"topics": []}, "topics: expected tables"),
        ({"topics": "401"}, "topics: expected tables"),
    ],
)
def test_a_setting_that_cannot_be(home, settings, message):
    lines = refused(**settings)
    assert len(lines) == 1
    assert lines[0].startswith(message)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"h_k": "A"}, "name both h_k and n_k, or neither"),
        ({"n_k": "B"}, "name both h_k and n_k, or neither"),
        ({"h_k": "A", "n_k": "A"}, "h_k and n_k are the same document, A"),
        ({"h_k": "Z", "n_k": "B"}, "Z stands in neither documents, runs nor labels"),
        ({"documents": ["C", "Y", "Z"]}, "Y, Z stands in neither"),
        ({**QUESTION, "options": OPTIONS[:3]}, "3 different options; expected 4"),
        ({**QUESTION, "options": [*OPTIONS, "e"]}, "5 different options; expected 4"),
        ({**QUESTION, "options": [*OPTIONS[:3], OPTIONS[0]]}, "3 different options; expected 4"),
        ({**QUESTION, "options": [*OPTIONS[:3], OPTIONS[0] + " "]}, "3 different options"),
        ({**QUESTION, "options": [*OPTIONS[:3], " "]}, "3 different options; expected 4"),
        ({**QUESTION, "answer": "none"}, "answer is not one of the options"),
        ({"question": "q", "options": OPTIONS}, "answer is not one of the options"),
        ({"answer": "a"}, "answer is not one of the options"),
        ({"colour": "red"}, "Unknown setting colour; expected some of anchors_reason, answer, "),
        ({"h_k": 5, "n_k": "B"}, "h_k: 5; expected a text"),
        ({"options": "abcd"}, "options: abcd; expected a list of texts"),
        ({"options": [1, 2, 3, 4]}, "options: [1, 2, 3, 4]; expected a list of texts"),
        ({"documents": "A"}, "documents: A; expected a list of texts"),
        ("text", "expected a table [topics.401]"),
        ([], "expected a table [topics.401]"),
    ],
)
def test_a_topics_setting_that_cannot_be(home, given, message):
    lines = refused({"401": given})
    assert len(lines) == 1
    assert lines[0].startswith("Topic 401: ")
    assert message in lines[0]


def test_topics_and_documents_that_are_not_there(home):
    assert refused({"499": {}}) == ["Topic 499: not in collection home."]
    another_topics = refused({"402": {"documents": ["L"]}})
    assert "L stands in neither" in another_topics[0]
    Topic.objects.all().delete()
    assert refused() == ["Collection home has no topics."]


def test_all_faults_in_one_message(home):
    lines = refused(
        {"401": {"h_k": "A", "options": ["a"]}, "402": {"h_k": "Z", "n_k": "A"}, "499": {}},
        unit_size=1,
        payment=-1,
        colour="red",
        expiry_minutes=10**9,
    )
    assert [line[:22] for line in lines] == [
        "Unknown setting colour",
        "unit_size: a whole num",
        "payment: a number from",
        "expiry_minutes: a numb",
        "Topic 499: not in coll",
        "Topic 401: name both h",
        "Topic 401: 1 different",
        "Topic 401: answer is n",
        "Topic 402: Z stands in",
    ]


# --- study.toml ---------------------------------------------------------------------------------
def test_money_is_read_as_it_is_written(tmp_path):
    toml = "payment = 0.20\n[topics.402]\nh_k = 'A'\n"
    (tmp_path / "study.toml").write_text(toml, "utf-8-sig")  # as some editors do
    config = read_config(tmp_path / "study.toml")
    assert config == {"payment": Decimal("0.20"), "topics": {"402": {"h_k": "A"}}}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"title = \nx = 1", "line 1"),
        (b"a = 1\na = 2\nb = 3", "line 2"),
        (b"a = 1\ntitle = '\xff'", "line 2 is not in UTF-8; expected TOML in UTF-8"),
        (b"payment = " + b"9" * 5000, "a number with more digits than can be read"),
        (b"payment = 1e99999999999999999999", "a number with more digits than can be read"),
        (b"a = " + b"[" * 5000, "nested too deep"),
        (b"a." * 30 + b"a = 1", "nested too deep"),
        (b"a." * 500_000 + b"a = 1", "nested too deep"),  # would be read for an hour
        (b"x = 1\n[" + b"'a' . " * 150_000 + b"a]", "nested too deep"),
        (b"a" * 1_000_000, "Expected '='"),
    ],
)
def test_a_file_that_is_no_toml(tmp_path, content, message):
    path = tmp_path / "study.toml"
    path.write_bytes(content)
    with pytest.raises(BadStudy, match=rf"study\.toml: .*{message}"):
        read_config(path)


def test_a_text_may_have_many_dots_and_a_file_must_be_there(tmp_path):
    with pytest.raises(BadStudy, match=r"study\.toml: No such file"):
        read_config(tmp_path / "study.toml")
    text = f"{'.' * 500} See www.example.org. {'Yes. No. ' * 40}"
    (tmp_path / "study.toml").write_text(f"instructions = '{text}'")
    assert read_config(tmp_path / "study.toml") == {"instructions": text}


# --- the commands -------------------------------------------------------------------------------
CONFIG = """
title = "A study"
redundancy = 2
[topics.401]
h_k = "A"
n_k = "B"
question = "Which one?"
options = ["a", "b", "c", "d"]
answer = "d"
documents = ["A", "B", "C", "D", "E", "F", "G", "H"]
"""


def test_from_a_file_to_a_closed_study(home, files, capsys):
    path = files.write("study.toml", CONFIG)
    call_command("create_study", "s", collection="home", config=path)
    call_command("plan_units", "s")
    call_command("open_study", "s")
    call_command("close_study", "s")
    output = capsys.readouterr()
    assert output.out.splitlines()[0] == "study s: 1 topic. Next: plan_units s"
    assert output.out.splitlines()[-2:] == ["study s is open", "study s is closed"]
    assert output.out.splitlines()[2].startswith("2 units of 1 topic, ")
    assert {line[:9] for line in output.err.splitlines()} == {"warning: "}
    assert Unit.objects.count() == 2


def test_the_command_warns_of_a_study_that_could_never_be_opened(home, files, capsys):
    path = files.write("study.toml", CONFIG.replace('question = "Which one?"', ""))
    call_command("create_study", "s", collection="home", config=path)
    assert capsys.readouterr().err.startswith(
        "warning: no question with four options and an answer: 401. The study cannot be opened"
    )


def test_commands_refuse_and_change_nothing(home, files):
    path = files.write("study.toml", CONFIG.replace('"A"', '"Z"', 1))
    with pytest.raises(CommandError, match=r"Topic 401: Z stands in (.|\n)*No study was made\."):
        call_command("create_study", "s", collection="home", config=path)
    changed = r"\nNothing was changed\."
    for command, more in (("open_study", changed), ("close_study", changed), ("plan_units", "")):
        with pytest.raises(CommandError, match=rf"There is no study s\.{more}"):
            call_command(command, "s")
    assert not Study.objects.exists()
