"""The example of docs/: a study by a generated client, with a crowd that comes over HTTP."""

import importlib.util
import tomllib
from io import StringIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import tomli_w
from django.core.management import call_command

from accounts.models import Token, User
from accounts.tokens import make_token
from evaluation.pipeline import evaluate
from judging.models import Study, TrailEntry
from workspace.tasks import import_files

ROOT = Path(__file__).parents[2]


def test_a_study_by_rest_alone(
    live_server: Any, tmp_path: Path, monkeypatch: Any, settings: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))  # what the script puts on the path goes with it
    spec = importlib.util.spec_from_file_location(
        "example", ROOT / "docs/examples/study_by_rest.py"
    )
    assert spec
    assert spec.loader
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    demo = ROOT / "demo"
    files = [demo / name for name in ("topics.trec", "documents.trec", "qrels.txt")]
    files += sorted((demo / "runs").iterdir())
    settings.UPLOAD_DIR = str(tmp_path / "uploads")
    worker = SimpleNamespace(sleep=lambda seconds: import_files())  # it works while others wait
    monkeypatch.setattr(example, "time", worker)
    rosa = User.objects.create_superuser("rosa")
    token = make_token(rosa, "script", Token.Scope.WRITE, days=1)

    def judged(site: Any) -> None:
        crowd = {"over_http": live_server.url, "workers": 3, "seed": 4, "speedup": 1000.0}
        call_command("simulate_crowd", "by-rest", stdout=StringIO(), stderr=StringIO(), **crowd)
        evaluate(Study.objects.get(slug="by-rest"))
        example.wait(site)

    config = tomllib.loads((demo / "study.toml").read_text(encoding="utf-8"))
    config["topics"] = {"901": config["topics"]["901"]}
    (tmp_path / "study.toml").write_text(tomli_w.dumps(config), encoding="utf-8")
    systems = example.main(
        live_server.url, token, "demo", "study.toml", *map(str, files), judged=judged
    )
    assert len(systems) == 8
    study = Study.objects.get(slug="by-rest")
    assert (study.stage, str(study.payment), study.batches.count()) == ("closed", "0.40", 1)
    lines = (tmp_path / "by-rest.qrels").read_text().splitlines()
    assert len(lines[0].split()) == 4
    assert TrailEntry.objects.filter(study=study).count() >= 12
