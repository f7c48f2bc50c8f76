"""The command `import_collection`."""

import io

import pytest
from django.core.management import CommandError, call_command

from judging.models import Collection, Topic

pytestmark = pytest.mark.django_db


def run_command(*options: str) -> tuple[str, str]:
    out, err = io.StringIO(), io.StringIO()
    call_command("import_collection", *options, stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


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


def test_the_command_wants_something_that_is_there(files):
    with pytest.raises(CommandError, match="Nothing to import"):
        run_command("home")
    with pytest.raises(CommandError, match="nowhere"):
        run_command("home", "--topics", str(files.folder / "nowhere"))


def test_the_command_refuses_a_fault_with_file_and_line(files):
    path = files.write("bad.qrels", "401 0 A 1\n401 0 A\n")
    with pytest.raises(
        CommandError, match=r"bad\.qrels, line 2: .*; expected .*\nNothing was imported\."
    ):
        run_command("home", "--topics", files.topics("401"), "--qrels", path)
    assert not Collection.objects.exists()


def test_the_command_tells_which_documents_are_empty(files):
    empty = "<DOC><DOCNO>{}</DOCNO></DOC>\n"
    path = files.write("empty", "".join(map(empty.format, "XY")))
    documents = "--documents", files.documents("A"), path
    out, _ = run_command("home", *documents, "--topics", files.topics("401"))
    assert out.splitlines() == [
        "topics 1, documents 1, runs 0 (0 lists) new or changed",
        "2 documents are empty, and left out: X, Y",
    ]


def test_the_command_makes_topics_when_asked_to(files):
    options = "home", "--qrels", files.qrels(), "--runs", files.run("one", "A", topic="402")
    with pytest.raises(CommandError, match="or have topics made without text: --make-topics"):
        run_command(*options)
    out, _ = run_command(*options, "--make-topics")
    assert out.splitlines() == [
        "topics 0, documents 0, runs 1 (1 lists) new or changed",
        "labels reference: 2",
        "2 topics were made without text: 401, 402",
        "runs and labels name 2 documents without text",
    ]


def test_the_command_reads_another_encoding_by_its_name(files):
    path = files.write("latin", "1\tcafé\n".encode("latin-1"))
    with pytest.raises(CommandError) as refusal:
        run_command("home", "--topics", path)
    assert str(refusal.value) == (
        f"{path}, line 1: the byte 0xe9 is not UTF-8; expected UTF-8 text, or the name of another "
        "encoding, as --encoding latin-1\nNothing was imported."
    )
    run_command("home", "--topics", path, "--encoding", "latin-1")
    assert Topic.objects.get().title == "café"
    with pytest.raises(CommandError, match="'klingon' is no encoding of text; expected a name as"):
        run_command("home", "--topics", path, "--encoding", "klingon")
