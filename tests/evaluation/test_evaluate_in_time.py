"""evaluate, where measures ask for the lengths of documents and for duplicates."""

import doctest
import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from magnitudes.reading_time import lengths, near_duplicates

QRELS = "1 0 a 1\n1 0 b 0\n1 0 c 2\n2 0 a 1\n"
# What no label names is unjudged: x, y.
LISTS = {"1": "xayc", "2": "ba"}
RUN = "".join(
    f"{topic} Q0 {doc_id} {rank} {9 - rank} run\n"
    for topic, doc_ids in LISTS.items()
    for rank, doc_id in enumerate(doc_ids, 1)
)
LENGTHS = "doc_id,words\na,100\nb,200\nc,300\nx,400\ny,500\n"
G = 0.4928


class Given:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.write("qrels", QRELS)
        self.write("run", RUN)

    def write(self, name: str, text: str) -> str:
        (self.folder / name).write_text(text)
        return str(self.folder / name)

    def values(self, *more: str) -> dict[str, float]:
        out, self.said = StringIO(), StringIO()
        files = ["--qrels", str(self.folder / "qrels"), "--runs", str(self.folder / "run")]
        form = ["--per-topic", "--format", "json"]
        call_command("evaluate", *files, *form, *more, stdout=out, stderr=self.said)
        return {row["topic"]: row["value"] for row in json.loads(out.getvalue())}


@pytest.fixture
def given(tmp_path: Path) -> Given:
    return Given(tmp_path)


def seconds(words: int, relevant: bool) -> float:
    return 4.4 + (0.018 * words + 7.8) * (0.64 if relevant else 0.39)


def test_unjudged_documents_cost_their_own_time(given: Given) -> None:
    before_a = seconds(400, False)
    before_c = before_a + seconds(100, True) + seconds(500, False)
    expected = {
        "1": G * (2 ** (-before_a / 224) + 2 ** (-before_c / 224)),
        "2": G * 2 ** (-seconds(200, False) / 224),
    }
    documents = given.write("lengths", LENGTHS)
    found = given.values("--measures", "TBG", "--documents", documents)
    assert found["1"] == pytest.approx(expected["1"], rel=1e-12)
    assert found["2"] == pytest.approx(expected["2"], rel=1e-12)
    assert found["all"] == pytest.approx(sum(expected.values()) / 2, rel=1e-12)
    assert given.said.getvalue() == "TBG: no duplicates are known, every document is new\n"
    at_2 = given.values("--measures", "TBG@2", "nDCG@2", "--documents", documents)
    assert at_2["2"] > 0


def test_duplicates_from_a_file(given: Given) -> None:
    more = ["--documents", given.write("lengths", LENGTHS)]
    plain = given.values("--measures", "TBG", *more)
    again = ["--duplicates", given.write("classes", "x 1\ny 1\na 2\nc 2\n")]
    before_a = seconds(400, False)
    before_c = before_a + seconds(100, True) + seconds(0, False)
    found = given.values("--measures", "TBG", *more, *again)
    assert found["1"] == pytest.approx(
        G * (2 ** (-before_a / 224) + 2 ** (-before_c / 224)), rel=1e-12
    )
    assert found["2"] == plain["2"]
    assert given.said.getvalue() == ""
    nothing = given.values("--measures", "TBG(duplicates='nothing')", *more, *again)
    assert nothing["1"] == pytest.approx(G * 2 ** (-before_a / 224), rel=1e-12)
    of_topic = ["--duplicates", given.write("classes", "2 b 1\n2 a 1\n")]
    found = given.values("--measures", "TBG(duplicates='nothing')", *more, *of_topic)
    assert (found["1"], found["2"]) == (plain["1"], 0)


@pytest.mark.parametrize(
    ("classes", "told"),
    [
        ("a 1\nc 1\n", ""),
        ("1 a 1\n2 a 1\n", ""),
        ("A 1\nC 1\na 2\n", "2 of 3 documents of --duplicates are not among --documents, or on"),
        ("1 a 1\n1 c 1\n3 a 1\n", "1 of 3 documents of --duplicates are not among --documents"),
        ("A 1\nC 1\n", "2 of 2 documents"),
    ],
)
def test_duplicates_that_are_no_known_documents_are_told(
    given: Given, classes: str, told: str
) -> None:
    more = ["--documents", given.write("lengths", LENGTHS), "--duplicates"]
    given.values("--measures", "TBG", *more, given.write("classes", classes))
    said = given.said.getvalue()
    assert said.startswith(f"warning: {told}" if told else "")
    assert bool(said) == bool(told)
    assert ("without labels: no duplicates are known" in said) == ("2 of 2" in said)


def test_the_best_list_of_the_judged_documents(given: Given) -> None:
    given.write("run", "1 Q0 a 1 9 run\n1 Q0 c 2 8 run\n2 Q0 a 1 7 run\n")
    more = ["--documents", given.write("lengths", LENGTHS)]
    again = ["--duplicates", given.write("classes", "a 1\nc 1\n")]
    for option in ([], again):
        found = given.values("--measures", "TBG(norm='ideal')", *more, *option)
        assert found["all"] == pytest.approx(1, abs=1e-15)


def test_near_duplicates_of_texts(given: Given) -> None:
    def text(topic: str, words: int) -> str:
        return " ".join(f"{topic}{n}" for n in range(words))

    texts = {"a": text("a", 90), "b": "b", "c": text("a", 88), "x": "x", "y": "y"}
    rows = [json.dumps({"doc_id": doc_id, "text": text}) for doc_id, text in texts.items()]
    more = ["--documents", given.write("texts", "\n".join(rows))]
    asked = ["--measures", "TBG(duplicates='nothing')", *more, "--near-duplicates"]
    plain = given.values("--measures", "TBG", *more)
    assert given.values(*asked)["1"] < plain["1"]
    assert "near duplicates: 2 documents in 1 group\n" in given.said.getvalue()
    assert given.values(*asked, "0.99")["1"] == plain["1"]
    with pytest.raises(CommandError, match="a threshold of 2"):
        given.values(*asked, "2")


def test_what_is_missing_is_said_by_name(given: Given) -> None:
    documents = ["--documents", given.write("lengths", LENGTHS)]
    for measure, more, message in [
        ("TBG", [], "TBG needs the lengths of documents: name --documents"),
        ("TBG(duplicates='nothing')", documents, "near duplicates of one another"),
        ("TBG", ["--near-duplicates"], "no use without --documents"),
        ("TBG", [*documents, "--near-duplicates"], "lengths alone, expected documents"),
    ]:
        with pytest.raises(CommandError, match=message.replace(", expected", "; expected")):
            given.values("--measures", measure, *more)


def test_a_length_that_is_missing(given: Given) -> None:
    documents = given.write("lengths", LENGTHS.replace("y,500\n", ""))
    with pytest.raises(CommandError, match="not known: run run, topic 1"):
        given.values("--measures", "TBG", "--documents", documents)
    assert given.values("--measures", "TBG@3", "--documents", documents)["1"] > 0


def test_classes_that_contradict_each_other(given: Given) -> None:
    more = ["--documents", given.write("lengths", LENGTHS)]
    classes = given.write("classes", "a 1\nb 1\na 2\n")
    with pytest.raises(CommandError, match="document a in the class 2, and in the class 1"):
        given.values("--measures", "TBG", *more, "--duplicates", classes)


@pytest.mark.parametrize("module", [lengths, near_duplicates])
def test_examples(module) -> None:
    assert doctest.testmod(module).failed == 0
