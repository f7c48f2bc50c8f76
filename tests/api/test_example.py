"""The example of docs/: a study by a generated client, with a crowd that comes over HTTP.

Both run as the command lines of its docstring, but for the address and the token.
"""

import importlib.util
import shlex
import tomllib
from io import StringIO
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest
import tomli_w
from django.core.management import call_command

from accounts.models import Token, User
from accounts.tokens import make_token
from evaluation.pipeline import evaluate
from judging.models import Study, TrailEntry
from judging.studies.plan_jobs import make_plans
from workspace.tasks import import_files

ROOT = Path(__file__).parents[2]
SCRIPT = "docs/examples/study_by_rest.py"


def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("example", ROOT / SCRIPT)
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    return example


def command_lines(text: str) -> list[list[str]]:
    """The words of each indented line, where a line may go on after a backslash."""
    lines = text.replace("\\\n", " ").splitlines()
    return [shlex.split(line) for line in lines if line.startswith("    ")]


def one_topic_of_the_demo(folder: Path) -> None:
    """The demo's files, and its study with one topic, which is judged sooner."""
    folder.mkdir()
    for path in (ROOT / "demo").iterdir():
        (folder / path.name).symlink_to(path)
    config = tomllib.loads((folder / "study.toml").read_text(encoding="utf-8"))
    config["topics"] = {"901": config["topics"]["901"]}
    (folder / "study.toml").unlink()
    (folder / "study.toml").write_text(tomli_w.dumps(config), encoding="utf-8")


def files_of(words: list[str], folder: Path) -> list[str]:
    """The words as a shell would hand them on from the folder."""
    return [
        str(path.relative_to(folder))
        for word in words
        for path in (sorted(folder.glob(word)) if "*" in word else [folder / word])
    ]


@pytest.mark.nightly
def test_a_study_by_rest_alone(live_server, tmp_path, monkeypatch, settings, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))  # what the script puts on the path goes with it
    example = script()
    one_topic_of_the_demo(tmp_path / "demo")
    settings.UPLOAD_DIR = str(tmp_path / "uploads")
    token = make_token(User.objects.create_superuser("rosa"), "script", Token.Scope.WRITE, days=1)
    _, run, crowd = command_lines(str(example.__doc__))
    assert run[:4] == ["python", SCRIPT, "http://localhost:8000", "TOKEN"]
    assert crowd[:3] == ["python", "manage.py", "simulate_crowd"]

    def sleep(seconds):
        """While the script waits, imports are done, and the crowd comes by its command line."""
        import_files()
        make_plans()
        study = Study.objects.filter(slug="by-rest", stage="open").first()
        if study and not study.assignments.exists():
            words = [live_server.url if word == run[2] else word for word in crowd[2:]]
            call_command(*words, stdout=StringIO(), stderr=StringIO())
            evaluate(study)

    monkeypatch.setattr(example, "time", SimpleNamespace(sleep=sleep))
    systems = example.main(live_server.url, token, run[4], *files_of(run[5:], tmp_path))
    assert len(systems) == 14
    study = Study.objects.get(slug="by-rest")
    assert (study.stage, str(study.payment), study.batches.count()) == ("closed", "0.40", 1)
    lines = (tmp_path / "by-rest.qrels").read_text().splitlines()
    assert len(lines[0].split()) == 4
    assert TrailEntry.objects.filter(study=study).count() >= 12
    printed = capsys.readouterr().out
    units = study.units.filter(batch=None).count()
    assert "Waiting until the files are imported." in printed
    assert f"Waiting for workers at {live_server.url}/study/by-rest/" in printed
    assert f"0 of {units} units completed, 0 evaluated" in printed
    assert f"{units} of {units} units completed, {units} evaluated" in printed
