"""What the client's users see of types: in their editor, in frames, and where a site is away."""

import inspect
import re
import subprocess
import sys
import tomllib
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pandas as pd
import pytest

import magnitudes
from accounts.models import Token, User
from accounts.tokens import make_token
from evaluation.api import analyses, files, views
from evaluation.pipeline import evaluate
from judging import models
from judging.api import payments
from judging.api import views as lists
from magnitudes.client import Site, Study, Unreachable
from tests.factory.completed import busy_study
from tests.magnitudes.client.inside import answered
from workspace.api import imports, prolific
from workspace.models import Alert, AlertSettings

ROOT = Path(__file__).parents[3]
PAGING = {"cursor", "page_size"}
# By a method of the client: the parameters in REST, and those that the client gives by itself.
OPTIONS = {
    Site.studies: (lists.StudiesParameters, PAGING),
    Site.collections: (lists.CollectionsParameters, PAGING),
    Site.imports: (imports.ImportsParameters, PAGING),
    Study.qrels: (views.QrelsParameters, {"file_format", "for"}),
    Study.judgments: (views.JudgmentsParameters, PAGING),
    Study.units: (lists.UnitsParameters, PAGING),
    Study.failures: (lists.FailuresParameters, PAGING),
    Study.payments: (payments.PaymentsParameters, PAGING),
    Study.submissions: (prolific.SubmissionsParameters, PAGING),
    Study.analysis: (analyses.AnalysisParameters, set()),
    Study.save_file: (files.FileParameters, {"for"}),
}
NOT_OF_REST = {"self", "name", "to", "for_spreadsheet"}
FUNCTIONS = """
import pandas as pd
from magnitudes import Frame, agree, aggregate, compare, evaluate, scale

scaled = scale([1.0, 2.0], ["a", "b"])
gains: Frame = aggregate({"doc_id": ["a"], "score": [1.0]}, "median")
alpha: Frame = agree({"doc_id": ["a"], "score": [1.0]}, first=10)
values = evaluate({"q": {"a": 1.0}}, "run.txt", ["nDCG@10"], per_query=True)
reveal_type(values)
reveal_type(evaluate(pd.DataFrame(), ["run.txt"], "nDCG@10"))
pairs = compare(values, seed=2).pairs
"""
# What takes a study's settings, or what an act on Prolific takes: the site names them.
OPEN = {"make_study", "change", "prolific"}


@pytest.mark.parametrize("method", OPTIONS, ids=lambda method: method.__qualname__)
def test_options_are_those_of_rest(method: Any) -> None:
    parameters, own = OPTIONS[method]
    taken = set(inspect.signature(method).parameters) - NOT_OF_REST
    assert taken == set(parameters().fields) - own


def test_no_other_method_takes_just_anything() -> None:
    methods = {
        name: member
        for cls in (Site, Study)
        for name, member in inspect.getmembers(cls, inspect.isfunction)
        if not name.startswith("_") and member.__qualname__.split(".")[0] != "Connection"
    }
    assert len(methods) > 50
    anything = {
        name
        for name, method in methods.items()
        if any(
            each.kind == each.VAR_KEYWORD for each in inspect.signature(method).parameters.values()
        )
    }
    assert anything == OPEN


@pytest.mark.nightly
def test_mypy_sees_the_types(tmp_path: Path) -> None:
    assert (Path(magnitudes.__file__).parent / "py.typed").exists()
    script = tmp_path / "script.py"
    script.write_text(
        "from magnitudes.client import Site\n"
        'study = Site("http://localhost", "token").study("s")\n'
        "study.qrels(integer=100)\nstudy.failures(check=1)\nreveal_type(study.alerts())\n"
    )
    environment = {"MYPYPATH": str(ROOT), "PATH": ""}
    command = [sys.executable, "-m", "mypy", "--strict", f"--cache-dir={tmp_path}", str(script)]
    script.with_name("functions.py").write_text(FUNCTIONS)
    command.append(str(script.with_name("functions.py")))
    told = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    ).stdout
    assert 'Unexpected keyword argument "integer" for "qrels"' in told
    assert '"check" to "failures" of "Results" has incompatible type "int"' in told
    (revealed,) = re.findall(r"^script.py.*Revealed type is (.*)", told, re.MULTILINE)
    assert "pandas" in revealed
    assert "import-untyped" not in told
    of_functions = [line for line in told.splitlines() if line.startswith("functions.py")]
    assert [line.split("note: ")[-1] for line in of_functions] == [
        'Revealed type is "magnitudes.frames.Frame"',
        'Revealed type is "Any"',
    ]


def test_the_package_says_what_it_is() -> None:
    own = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert (ROOT / "LICENSE").read_text().startswith(f"{own['license']} License")
    assert (ROOT / own["readme"]).exists()


def site_of(study: models.Study, name: str = "rosa") -> Site:
    user = User.objects.create_superuser(name, email=f"{name}@example.org")
    token = make_token(user, "notebook", Token.Scope.READ, days=1)
    return Site("http://localhost/", token, transport=httpx.MockTransport(answered))


@pytest.mark.django_db
def test_moments_and_whole_numbers_have_their_types() -> None:
    study = busy_study()
    with site_of(study) as site:
        its = site.study(study.slug)
        judgments, units, failures = its.judgments(), its.units(), its.failures()
        kinds = judgments.dtypes.astype(str)
        assert kinds["submitted_at"].startswith("datetime64")
        assert kinds["submitted_at"].endswith("UTC]")
        assert kinds[["position", "visits"]].eq("int64").all()
        assert kinds[["batch", "pasted_characters"]].eq("Int64").all()
        assert kinds["hidden_seconds"] == "float64"
        assert units["finished_at"].isna().any()
        for frame in (units, failures, site.studies(), site.collections(), its.payments()):
            moments = [name for name in frame.columns if name == "at" or name.endswith("_at")]
            assert moments
            assert frame[moments].dtypes.astype(str).str.startswith("datetime64").all()
        whole = its.qrels(integers=1000)["relevance"]
        assert (str(whole.dtype), str(its.qrels()["relevance"].dtype)) == ("int64", "float64")
        assert str(its.qrels(levels=4)["relevance"].dtype) == "int64"
        assert site.studies().loc[study.slug, "progress_completed"] == 3
        assert repr(site) == "Site('http://localhost')"


@pytest.mark.django_db
def test_lists_by_what_is_asked_for() -> None:
    study = busy_study()
    with site_of(study) as site:
        its = site.study(study.slug)
        failures = its.failures()
        check = failures["check"].iloc[0]
        expected = failures[failures["check"] == check].reset_index(drop=True)
        pd.testing.assert_frame_equal(its.failures(check=check), expected)
        last = failures["at"].max()
        early = failures[failures["at"] < last].reset_index(drop=True)
        pd.testing.assert_frame_equal(its.failures(until=last), early)
        assert len(its.failures(since=last)) == len(failures) - len(early)
        with pytest.raises(ValueError, match="has no time zone"):
            its.units(since=datetime(2026, 1, 1))  # noqa: DTZ001
        assert site.studies(stage="draft").empty
        assert site.imports().empty


@pytest.mark.django_db
def test_the_monitor_and_the_alerts() -> None:
    study = busy_study()
    evaluate(study)
    with site_of(study) as site:
        its = site.study(study.slug)
        monitor = its.monitor(last="7d")
        assert list(monitor.lights.index) == ["flow", "checks", "workers", "anchors"]
        assert "clock" in monitor.machine.index
        assert monitor.lights["sentence"].str.endswith(".").all()
        failures = its.failures()
        assert monitor.workers["lines_failures"].sum() == (failures["check"] == "lines").sum()
        assert monitor.now.tzinfo is not None
        assert monitor.figures
        assert its.alerts().empty
        assert its.alerts().attrs["webhook_url"] == ""
        AlertSettings.objects.create(study=study)
        at = datetime.now(UTC) - timedelta(minutes=1)
        alert = Alert.objects.create(study=study, light="Flow", sentence="Stopped.", opened_at=at)
        (row,) = its.alerts().reset_index().to_dict("records")
        assert row == {
            "id": alert.pk,
            "light": "flow",
            "at": pd.Timestamp(at),
            "sentence": "Stopped.",
        }


def test_a_site_that_is_away_is_unreachable() -> None:
    with Site("http://127.0.0.1:9", "token") as site:
        for ask in (site.studies, lambda: site.do("studies/"), lambda: site.save("x/", "x")):
            with pytest.raises(Unreachable, match=r"http://127.0.0.1:9 does not answer") as away:
                ask()
            assert isinstance(away.value.__cause__, httpx.TransportError)
