"""Files into a collection: all or nothing, and what a second import does."""

import io
import json
import tarfile

import pytest
from django.core.management import CommandError, call_command

from judging.collections import vocabulary
from judging.collections.importing import CannotImport, import_collection
from judging.models import Collection, Document, Label, LabelSet, RankedList, Run, Topic
from judging.studies.opening import close_study, open_study
from judging.studies.planning import plan
from judging.studies.settings import create_study
from tests.factory import OPTIONS
from trec.errors import BadFile


class Files:
    """Writes what an import reads, and imports it."""

    def __init__(self, folder) -> None:
        self.folder = folder

    def write(self, name: str, text: str | bytes) -> str:
        path = self.folder / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return str(path)

    def topics(self, *numbers: str, name: str = "topics", title: str = "topic {}") -> str:
        top = "<top>\n<num> Number: {0}\n<title> {1}\n<desc> Description:\nWhat of {0}?\n</top>\n"
        return self.write(name, "".join(top.format(n, title.format(n)) for n in numbers))

    def documents(self, *ids: str, name: str = "documents", text: str = "Words on {}.") -> str:
        doc = "<DOC>\n<DOCNO>{0}</DOCNO>\n<TITLE>About {0}</TITLE>\n<TEXT>{1}</TEXT>\n</DOC>\n"
        return self.write(name, "".join(doc.format(i, text.format(i)) for i in ids))

    def run(self, tag: str, *ids: str, topic: str = "401") -> str:
        lines = [f"{topic} Q0 {d} {n} {100 - n} {tag}\n" for n, d in enumerate(ids, 1)]
        return self.write(f"{tag}.run", "".join(lines))

    def qrels(self, text: str = "401 0 A 2\n401 0 B 0\n", name: str = "qrels") -> str:
        return self.write(name, text)


@pytest.fixture
def files(tmp_path) -> Files:
    return Files(tmp_path)


def everything() -> dict:
    """All that an import may change."""

    def plain(row: tuple) -> tuple:
        return tuple(bytes(v) if isinstance(v, memoryview) else v for v in row)

    return {
        model.__name__: sorted(repr(plain(row)) for row in model.objects.values_list())
        for model in (Collection, Topic, Document, Run, RankedList, LabelSet, Label)
    } | {"codes": [vocabulary.read(topic) for topic in Topic.objects.order_by("query_id")]}


def ranking(tag: str, query_id: str = "401") -> list[tuple[str, int, float]]:
    """A stored list: documents, rank fields, scores."""
    found = RankedList.objects.get(run__tag=tag, topic__query_id=query_id)
    ids = vocabulary.read(found.topic)
    codes, ranks = vocabulary.codes(found.codes), vocabulary.ranks(found.ranks)
    scores = memoryview(bytes(found.scores)).cast("d").tolist()
    return [(ids[c], int(r), s) for c, r, s in zip(codes, ranks, scores, strict=True)]


# --- the first time -----------------------------------------------------------------------------
@pytest.mark.django_db
def test_topics_documents_runs_and_labels(files):
    done = import_collection(
        "home",
        topics=[files.topics("401", "402")],
        documents=[files.documents("A", "B", "C")],
        qrels={"reference": [files.qrels()], "students": [files.qrels("402 0 C 0.5\n", "other")]},
        runs=[files.run("one", "A", "B"), files.run("two", "B", "C")],
    )
    assert (done.topics, done.documents, done.runs, done.lists) == (2, 3, 2, 2)
    assert done.labels == {"reference": 2, "students": 1}
    assert (done.without_text, done.unknown_topics) == (0, set())
    topic = Topic.objects.get(query_id="401")
    assert (topic.title, topic.description) == ("topic 401", "What of 401?")
    document = Document.objects.get(doc_id="A")
    assert (document.title, document.text, document.words) == ("About A", "Words on A.", 5)
    assert ranking("one") == [("A", 1, 99.0), ("B", 2, 98.0)]
    labels = Label.objects.values_list("label_set__name", "topic__query_id", "doc_id", "level")
    assert set(labels) == {
        ("reference", "401", "A", 2),
        ("reference", "401", "B", 0),
        ("students", "402", "C", 0.5),
    }


@pytest.mark.django_db
def test_part_by_part_is_the_same_as_all_at_once(files):
    parts = {
        "topics": [files.topics("401")],
        "documents": [files.documents("A", "B")],
        "qrels": {"reference": [files.qrels()]},
        "runs": [files.run("one", "A", "B")],
    }
    for name, paths in parts.items():
        import_collection("parts", **{name: paths})
    import_collection("whole", **parts)
    for model in (Topic, Document, Run):
        rows = [
            [str(row) for row in model.objects.filter(collection__slug=slug).order_by("pk")]
            for slug in ("parts", "whole")
        ]
        assert rows[0] == rows[1]
    assert RankedList.objects.count() == 2
    assert Label.objects.count() == 4


@pytest.mark.django_db
def test_an_archive_of_everything(files, tmp_path):
    with tarfile.open(tmp_path / "runs.tar.gz", "w:gz") as archive:
        for tag in ("one", "two"):
            archive.add(files.run(tag, "A"), f"runs/{tag}")
    import_collection("home", topics=[files.topics("401")], runs=[tmp_path / "runs.tar.gz"])
    assert sorted(Run.objects.values_list("tag", flat=True)) == ["one", "two"]


@pytest.mark.django_db
def test_html_keeps_its_mark_and_its_words_are_those_a_reader_sees(files):
    page = "<html><script>var x = 1 + 2</script><p class='a b c'>Three small words"
    row = {"doc_id": "A", "title": "T", "html": page}
    import_collection("home", documents=[files.write("d.jsonl", json.dumps(row) + "\n")])
    document = Document.objects.get()
    assert (document.is_html, document.text, document.words) == (True, page, 4)


@pytest.mark.django_db
def test_awkward_text_arrives_unharmed(files):
    text = 'tab\there, "quotes", back\\slash, \\N, \\.\n\\.\nnew\r\nline, é\u2028😀'
    row = {"doc_id": "A", "title": "\\N", "text": text}
    import_collection("home", documents=[files.write("d.jsonl", json.dumps(row) + "\n")])
    document = Document.objects.get()
    assert (document.title, document.text) == ("\\N", text)


# --- documents without text, topics that are missing --------------------------------------------
@pytest.mark.django_db
def test_how_many_documents_have_no_text(files):
    done = import_collection(
        "home",
        topics=[files.topics("401")],
        documents=[files.documents("A")],
        qrels={"reference": [files.qrels("401 0 A 1\n401 0 L 1\n")]},
        runs=[files.run("one", "A", "B", "C")],
    )
    assert done.without_text == 3
    assert import_collection("home", documents=[files.documents("B", name="b")]).without_text == 0
    assert import_collection("home", runs=[files.run("two", "B", "C")]).without_text == 1


@pytest.mark.django_db
def test_runs_and_labels_of_unknown_topics_are_left_out_and_named(files):
    done = import_collection(
        "home",
        topics=[files.topics("401")],
        qrels={"reference": [files.qrels("401 0 A 1\n499 0 A 1\n")]},
        runs=[files.run("one", "A"), files.run("two", "A", topic="498")],
    )
    assert done.unknown_topics == {"498", "499"}
    assert (Label.objects.count(), RankedList.objects.count()) == (1, 1)


@pytest.mark.django_db
def test_runs_of_unknown_topics_alone(files):
    """Nothing would be kept; a mistyped name would make a collection that is empty."""
    with pytest.raises(
        CannotImport,
        match="The runs are on topics that collection home does not have, 498 among them; its "
        "topics: none",
    ):
        import_collection("home", runs=[files.run("one", "A", topic="498")])
    assert not Collection.objects.exists()


@pytest.mark.django_db
def test_labels_of_unknown_topics_alone(files):
    import_collection("home", topics=[files.topics("401")], qrels={"reference": [files.qrels()]})
    with pytest.raises(CannotImport, match=r"labels reference are on topics .* its topics: 401"):
        import_collection("home", qrels={"reference": [files.qrels("499 0 A 1\n", "other")]})
    assert Label.objects.count() == 2  # the set that is there is not replaced by nothing


@pytest.mark.django_db
def test_a_run_of_unknown_topics_beside_one_of_known_topics(files):
    runs = [files.run("one", "A"), files.run("two", "A", topic="498")]
    done = import_collection("home", topics=[files.topics("401")], runs=runs)
    assert (done.lists, done.unknown_topics) == (1, {"498"})
    assert Run.objects.get().tag == "one"  # the other would stand in every ranking, with nothing


@pytest.mark.django_db
def test_what_was_left_out_comes_with_a_later_import(files):
    run = files.run("one", "A", topic="402")
    import_collection("home", topics=[files.topics("401")], runs=[files.run("two", "A"), run])
    done = import_collection("home", topics=[files.topics("402")], runs=[run])
    assert (done.topics, done.lists) == (1, 1)
    assert ranking("one", "402") == [("A", 1, 99.0)]


# --- the same again -----------------------------------------------------------------------------
@pytest.mark.django_db
def test_the_same_again_changes_nothing(files):
    parts = {
        "topics": [files.topics("401", "402")],
        "documents": [files.documents("A", "B")],
        "qrels": {"reference": [files.qrels()]},
        "runs": [files.run("one", "A", "B"), files.run("two", "B", "A")],
    }
    import_collection("home", **parts)
    before = everything()
    done = import_collection("home", **parts)
    after = everything()
    assert (done.topics, done.documents, done.runs, done.lists) == (0, 0, 0, 0)
    labels = {
        name: [row.split(", ", 1)[1] for row in rows.pop("Label")]
        for name, rows in (("before", before), ("after", after))
    }
    assert labels["before"] == labels["after"]
    assert before == after


@pytest.mark.django_db
def test_the_same_in_another_order_changes_nothing(files):
    import_collection("home", topics=[files.topics("401")], runs=[files.run("one", "A", "B", "C")])
    before = everything()
    lines = (files.folder / "one.run").read_text().splitlines(keepends=True)
    shuffled = files.write("shuffled", "".join(lines[::-1]))
    assert import_collection("home", runs=[shuffled]).lists == 0
    assert everything() == before


@pytest.mark.django_db
def test_the_same_topic_in_two_files(files):
    done = import_collection(
        "home", topics=[files.topics("401", "402"), files.topics("402", "403", name="more")]
    )
    assert done.topics == 3
    assert Topic.objects.count() == 3


@pytest.mark.django_db
def test_the_same_document_in_two_files(files):
    done = import_collection(
        "home", documents=[files.documents("A", "B"), files.documents("B", "C", name="more")]
    )
    assert done.documents == 3


@pytest.mark.django_db
@pytest.mark.parametrize("part", ["topics", "documents"])
def test_another_text_in_a_second_file(files, part):
    make = getattr(files, part)
    other = {"title": "other"} if part == "topics" else {"text": "other"}
    with pytest.raises(CannotImport, match=r"401.* text"):
        import_collection("home", **{part: [make("401"), make("401", name="more", **other)]})
    assert not Collection.objects.exists()


# --- more, and other content --------------------------------------------------------------------
@pytest.mark.django_db
def test_a_second_import_adds(files):
    import_collection(
        "home",
        topics=[files.topics("401")],
        documents=[files.documents("A")],
        runs=[files.run("one", "A", "B")],
    )
    codes = vocabulary.read(Topic.objects.get())
    done = import_collection(
        "home",
        topics=[files.topics("401", "402")],
        documents=[files.documents("A", "B")],
        runs=[files.run("two", "C", "A")],
    )
    assert (done.topics, done.documents, done.runs, done.lists) == (1, 1, 1, 1)
    assert vocabulary.read(Topic.objects.get(query_id="401")) == [*codes, "C"]
    assert ranking("one") == [("A", 1, 99.0), ("B", 2, 98.0)]


@pytest.mark.django_db
def test_other_content_replaces(files):
    import_collection(
        "home",
        topics=[files.topics("401", "402")],
        documents=[files.documents("A", "B")],
        runs=[files.run("one", "A", "B")],
    )
    keys = [set(model.objects.values_list("pk", flat=True)) for model in (Topic, Document, Run)]
    done = import_collection(
        "home",
        topics=[files.topics("401", title="new")],
        documents=[files.documents("A", text="new words here")],
        runs=[files.run("one", "B", "C")],
    )
    assert (done.topics, done.documents, done.runs, done.lists) == (1, 1, 1, 1)
    assert Topic.objects.get(query_id="401").title == "new"
    assert Topic.objects.get(query_id="402").title == "topic 402"
    assert (Document.objects.get(doc_id="A").text, Document.objects.get(doc_id="A").words) == (
        "new words here",
        5,
    )
    assert Document.objects.get(doc_id="B").text == "Words on B."
    assert ranking("one") == [("B", 1, 99.0), ("C", 2, 98.0)]
    assert keys == [
        set(model.objects.values_list("pk", flat=True)) for model in (Topic, Document, Run)
    ]


@pytest.mark.django_db
def test_a_file_replaces_its_label_set_alone(files):
    import_collection(
        "home",
        topics=[files.topics("401")],
        qrels={"reference": [files.qrels()], "students": [files.qrels("401 0 A 1\n", "s")]},
    )
    import_collection("home", qrels={"reference": [files.qrels("401 0 C 3\n", "new")]})
    assert set(Label.objects.values_list("label_set__name", "doc_id", "level")) == {
        ("reference", "C", 3),
        ("students", "A", 1),
    }


@pytest.mark.django_db
def test_new_runs_raise_the_collections_revision_nothing_else_does(files):
    def revision() -> int:
        return Collection.objects.get().revision

    import_collection("home", topics=[files.topics("401")], documents=[files.documents("A")])
    assert revision() == 0
    run = files.run("one", "A")
    import_collection("home", runs=[run])
    assert revision() == 1
    import_collection("home", runs=[run], qrels={"reference": [files.qrels()]})
    assert revision() == 1


@pytest.mark.django_db
def test_collections_do_not_touch_each_other(files):
    import_collection("here", topics=[files.topics("401")], documents=[files.documents("A")])
    import_collection(
        "there",
        topics=[files.topics("401", title="new")],
        documents=[files.documents("A", text="new")],
    )
    assert sorted(Topic.objects.values_list("title", flat=True)) == ["new", "topic 401"]
    assert sorted(Document.objects.values_list("text", flat=True)) == ["Words on A.", "new"]


# --- a study has opened -------------------------------------------------------------------------
@pytest.fixture
def judged(db, files):
    """A collection with an open study."""
    import_collection(
        "home",
        topics=[files.topics("401")],
        documents=[files.documents(*"ABCDEFGH")],
        qrels={"reference": [files.qrels()]},
        runs=[files.run("one", *"ABCDEFGH")],
    )
    topic = {"question": "q", "options": OPTIONS, "answer": OPTIONS[0]}
    study = create_study("s", "home", {"title": "t", "topics": {"401": topic}})
    plan(study)
    return open_study("s")


@pytest.mark.parametrize("stage", ["open", "closed"])
@pytest.mark.parametrize("part", ["topics", "documents", "runs"])
def test_other_content_is_refused_once_a_study_has_opened(judged, files, part, stage):
    if stage == "closed":  # whoever is still judging reads these texts
        close_study("s")
    before = everything()
    new = {
        "topics": lambda: files.topics("401", title="new"),
        "documents": lambda: files.documents("C", text="new"),
        "runs": lambda: files.run("one", "B", "A"),
    }
    with pytest.raises(CannotImport, match=r"is there with (another text|other content), and a "):
        import_collection("home", **{part: [new[part]()]})
    assert everything() == before


def test_more_is_welcome_although_a_study_has_opened(judged, files):
    done = import_collection(
        "home",
        topics=[files.topics("401", "402")],
        documents=[files.documents("A", "I")],
        runs=[files.run("one", *"ABCDEFGH"), files.run("two", "I")],
        qrels={"reference": [files.qrels("401 0 A 1\n")]},
    )
    assert (done.topics, done.documents, done.runs) == (1, 1, 1)


def test_an_open_study_elsewhere_freezes_nothing(judged, files):
    import_collection("there", documents=[files.documents("A")])
    import_collection("there", documents=[files.documents("A", text="new")])
    assert Document.objects.get(collection__slug="there").text == "new"


def test_a_draft_freezes_nothing(db, files):
    import_collection("home", topics=[files.topics("401")])
    create_study("s", "home", {"title": "t"})
    assert import_collection("home", topics=[files.topics("401", title="new")]).topics == 1


# --- all or nothing -----------------------------------------------------------------------------
FAULTS = {
    "topics": "<top>\n<title> no number\n</top>\n",
    "documents": "<DOC>\n<TEXT>no number</TEXT>\n</DOC>\n",
    "qrels": "401 0 A\n",
    "runs": "401 Q0 A 1 high tag\n",
}


@pytest.mark.django_db
@pytest.mark.parametrize("part", FAULTS)
def test_a_fault_anywhere_and_nothing_is_imported(files, part):
    good = {
        "topics": [files.topics("401")],
        "documents": [files.documents("A")],
        "qrels": [files.qrels()],
        "runs": [files.run("one", "A")],
    }
    good[part].append(files.write("bad", FAULTS[part]))
    good["qrels"] = {"reference": good["qrels"]}
    with pytest.raises(BadFile, match=r"bad, line 1: .*; expected "):
        import_collection("home", **good)
    assert not any(rows for rows in everything().values())


@pytest.mark.django_db
def test_a_fault_leaves_what_was_there(files):
    import_collection("home", topics=[files.topics("401")], documents=[files.documents("A")])
    before = everything()
    with pytest.raises(BadFile):
        import_collection(
            "home",
            topics=[files.topics("402")],
            documents=[files.documents("A", text="new"), files.write("bad", FAULTS["documents"])],
        )
    assert everything() == before


@pytest.mark.django_db
def test_two_files_with_one_tag(files):
    first = files.run("one", "A")
    second = files.write("second.run", "401 Q0 B 1 1 one\n")
    with pytest.raises(BadFile, match=r"second\.run: the tag one is that of .*one\.run too"):
        import_collection("home", topics=[files.topics("401")], runs=[first, second])
    assert not Run.objects.exists()


@pytest.mark.django_db
@pytest.mark.parametrize("slug", ["", "a b", "ä", "a/b", "x" * 51])
def test_a_name_that_no_address_can_hold(files, slug):
    with pytest.raises(CannotImport, match="expected "):
        import_collection(slug, topics=[files.topics("401")])
    assert not Collection.objects.exists()


@pytest.mark.django_db
@pytest.mark.parametrize("part", ["topics", "documents", "qrels", "runs", "tag"])
def test_an_id_too_long_to_be_kept(files, part):
    long = "x" * 256
    given = {"topics": [files.topics("401")]}
    if part == "qrels":
        given["qrels"] = {"reference": [files.qrels(f"401 0 {long} 1\n")]}
    elif part == "runs":
        given["runs"] = [files.run("one", long)]
    elif part == "tag":
        given["runs"] = [files.write("long.run", f"401 Q0 A 1 1 {long}\n")]
    else:
        given[part] = [getattr(files, part)(long)]
    with pytest.raises((CannotImport, BadFile), match="255"):
        import_collection("home", **given)
    assert not Collection.objects.exists()


@pytest.mark.django_db
@pytest.mark.parametrize(
    "content",
    [
        b"<DOC><DOCNO>A</DOCNO>\0</DOC>",
        b"<DOC><DOCNO>A</DOCNO>\xff</DOC>",
        b'{"doc_id": "A", "text": "\\u0000"}\n',
        b'{"doc_id": "A", "text": "\\ud800"}\n',
    ],
)
def test_what_no_text_can_hold_is_refused_by_the_line(files, content):
    with pytest.raises(BadFile, match="line 1"):
        import_collection("home", documents=[files.write("documents", content)])
    assert not Collection.objects.exists()


# --- the command --------------------------------------------------------------------------------
def run_command(*options: str) -> tuple[str, str]:
    out, err = io.StringIO(), io.StringIO()
    call_command("import_collection", *options, stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


@pytest.mark.django_db
def test_the_command_tells_what_it_brought(files, capsys):
    out, err = run_command(
        *("home", "--topics", files.topics("401"), "--documents", files.documents("A")),
        *("--qrels", files.qrels(), f"students={files.qrels('401 0 A 1', 's')}"),
        *("--runs", files.run("one", "A", "B"), "--runs", files.run("two", "A", topic="499")),
    )
    assert out.splitlines() == [
        "topics 1, documents 1, runs 1 (1 lists) new or changed",
        "labels reference: 2",
        "labels students: 1",
        "runs and labels name 1 documents without text",
        "left out, as the collection has no such topic: 499",
    ]
    assert err == ""
    assert "%" in capsys.readouterr().err  # the progress bar


@pytest.mark.django_db
def test_the_command_again_tells_that_nothing_changed(files):
    options = "home", "--topics", files.topics("401"), "--runs", files.run("one", "A")
    run_command(*options)
    out, _ = run_command(*options)
    assert out.splitlines()[0] == "topics 0, documents 0, runs 0 (0 lists) new or changed"


@pytest.mark.django_db
def test_the_command_refuses_a_fault_with_file_and_line(files):
    path = files.write("bad.qrels", "401 0 A 1\n401 0 A\n")
    with pytest.raises(
        CommandError, match=r"bad\.qrels, line 2: .*; expected .*\nNothing was imported\."
    ):
        run_command("home", "--topics", files.topics("401"), "--qrels", path)
    assert not Collection.objects.exists()


@pytest.mark.django_db
def test_the_command_wants_something_to_import():
    with pytest.raises(CommandError, match="Nothing to import"):
        run_command("home")


@pytest.mark.django_db
def test_the_command_names_a_file_that_is_not_there(files):
    with pytest.raises(CommandError, match="nowhere"):
        run_command("home", "--topics", str(files.folder / "nowhere"))


@pytest.mark.django_db
@pytest.mark.parametrize("odd", ["\x01", "\x7f", "\u2028", "\ufffe"])
@pytest.mark.parametrize("where", ["run", "document in a run", "label", "topic", "document"])
def test_ids_that_nothing_can_show_are_refused(files, odd, where):
    bad = f"a{odd}b"
    given = {
        "run": lambda: {"runs": [files.run(bad, "A")]},
        "document in a run": lambda: {"runs": [files.run("one", bad)]},
        "label": lambda: {"qrels": {"reference": [files.qrels(f"401 0 {bad} 1\n")]}},
        "topic": lambda: {"topics": [files.topics(bad, name="more")]},
        "document": lambda: {"documents": [files.documents(bad)]},
    }[where]()
    with pytest.raises((CannotImport, BadFile), match=r"control character|not|blank"):
        import_collection("home", **{"topics": [files.topics("401")], **given})
    assert not Collection.objects.exists()
