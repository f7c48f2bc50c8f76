"""All or nothing: what is refused changes nothing."""

import pytest

from judging.collections.importing import CannotImport, import_collection
from judging.models import Collection, Run
from magnitudes.files.errors import BadFile
from tests.judging.importing.files import everything

pytestmark = pytest.mark.django_db
FAULTS = {
    "topics": "<top>\n<title> no number\n</top>\n",
    "documents": "<DOC>\n<TEXT>no number</TEXT>\n</DOC>\n",
    "qrels": "401 0 A\n",
    "runs": "401 Q0 A 1 high tag\n",
}


@pytest.mark.parametrize("part", FAULTS)
def test_a_fault_anywhere_and_nothing_is_imported(files, part):
    good = {
        "topics": [files.topics("401")],
        "documents": [files.documents("A")],
        "qrels": [files.qrels()],
        "runs": [files.run("one", "A")],
    }
    good[part].append(files.write("bad", FAULTS[part]))
    for there in (False, True):
        if there:
            files.bring("402", "A", text="old")
        before = everything()
        with pytest.raises(BadFile, match=r"bad, line 1: .*; expected "):
            import_collection("home", **good | {"qrels": {"reference": good["qrels"]}})
        assert everything() == before
        assert there or not any(before.values())


def test_two_files_with_one_tag(files):
    first = files.run("one", "A")
    second = files.write("second.run", "401 Q0 B 1 1 one\n")
    with pytest.raises(BadFile, match=r"second\.run: the tag one is that of .*one\.run too"):
        import_collection("home", topics=[files.topics("401")], runs=[first, second])
    assert not Run.objects.exists()


@pytest.mark.parametrize("slug", ["", "a b", "ä", "a/b", "x" * 51])
def test_a_name_that_no_address_can_hold(files, slug):
    with pytest.raises(CannotImport, match="expected "):
        files.bring("401", slug=slug)
    assert not Collection.objects.exists()


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


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        ("x" * 256, "255"),
        *((f"a{odd}b", r"control character|not|blank") for odd in "\x01\x7f\u2028\ufffe"),
    ],
)
@pytest.mark.parametrize("where", ["run", "document in a run", "label", "topic", "document"])
def test_ids_that_cannot_be_kept_or_shown_are_refused(files, bad, why, where):
    given = {
        "run": lambda: {"runs": [files.write("a.run", f"401 Q0 A 1 1 {bad}\n")]},
        "document in a run": lambda: {"runs": [files.run("one", bad)]},
        "label": lambda: {"qrels": {"reference": [files.qrels(f"401 0 {bad} 1\n")]}},
        "topic": lambda: {"topics": [files.topics(bad, name="more")]},
        "document": lambda: {"documents": [files.documents(bad)]},
    }[where]()
    with pytest.raises((CannotImport, BadFile), match=why):
        import_collection("home", **{"topics": [files.topics("401")], **given})
    assert not Collection.objects.exists()
