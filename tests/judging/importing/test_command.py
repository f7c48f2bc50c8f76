"""The command `import_collection`."""

import io

import pytest
from django.core.management import CommandError, call_command

from judging.models import Collection


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
