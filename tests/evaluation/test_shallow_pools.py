"""Pools that end above the usual cutoff: systems are compared as far as every run is judged."""

import re
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from accounts.models import User
from evaluation import pipeline, results
from evaluation.cache import stored
from evaluation.pipeline import evaluate
from evaluation.report import folder as report
from evaluation.study.data import load
from judging.models import Study
from judging.studies.conduct.opening import open_study
from judging.studies.configuration.changing import change_settings
from judging.studies.unit_plans import discard_plan, plan
from magnitudes.measures.names import parse
from tests.api.conftest import client_of
from tests.factory import make_study
from tests.factory.completed import complete
from tests.factory.runs import add_runs
from workspace.planning import pools

pytestmark = pytest.mark.django_db
TOPICS = 6
RANK_10 = re.compile(r".{0,40}@10\b.{0,20}")


def shallow(depth: int, *, runs: int = 4, opened: bool = True, **settings: Any) -> Study:
    """Each run has the topic's documents in an order of its own; their first `depth` are judged."""
    study = make_study(topics=TOPICS, documents=40, opened=False, redundancy=1, unit_size=3)
    discard_plan(study.slug, None)
    study.topics.update(pool=[])
    orders = {
        f"run-{run}": {
            f"{number}": [(f"D{number}-{(n * 7 + run * 3) % 40:03}", 50.0 - n) for n in range(30)]
            for number in range(401, 401 + TOPICS)
        }
        for run in range(runs)
    }
    add_runs(study, orders)
    if settings:
        change_settings(study.slug, settings, None)
    plan(study, depth=depth, seed=1)
    return open_study(study.slug) if opened else Study.objects.get(pk=study.pk)


def judge(study: Study) -> None:
    for number in range(study.units.count()):
        if study.units.filter(free=True).exists():
            complete(study, f"worker-{number}")
    evaluate(study)


# --- the plan -----------------------------------------------------------------------------------
@pytest.mark.parametrize(("depth", "pooled_to", "cutoff"), [(4, 4, 4), (3, 3, 3), (12, 10, 10)])
def test_the_plan_finds_how_far_every_run_is_pooled(
    depth: int, pooled_to: int, cutoff: int
) -> None:
    study = shallow(depth, opened=False)
    assert study.pooled_to >= pooled_to  # what one run brings in may be another's next
    assert study.pooled_to == naively_pooled_to(study)
    assert study.used_cutoff == max(cutoff, min(study.pooled_to, 10))


def naively_pooled_to(study: Study) -> int:
    deepest = 10
    for topic in study.topics.all():
        pool = set(topic.documents.values_list("doc_id", flat=True))
        number = topic.topic.query_id
        for run in range(4):
            first = [f"D{number}-{(n * 7 + run * 3) % 40:03}" for n in range(10)]
            deepest = min(deepest, next((n for n, d in enumerate(first) if d not in pool), 10))
    return deepest


def test_the_plan_says_so_and_an_explicit_cutoff_wins_with_a_warning() -> None:
    study = shallow(4, opened=False)
    planned = plan(study, depth=4, seed=1)
    assert (planned.pooled_to, planned.cutoff) == (4, 4)
    assert planned.warnings == [
        "The pools hold every run to rank 4, so systems are compared to rank 4: pool deeper to "
        "compare them further down."
    ]
    Study.objects.update(cutoff=10)
    planned = plan(study, depth=4, seed=1)
    assert (planned.pooled_to, planned.cutoff) == (4, 10)
    assert planned.warnings == [
        "The pools hold every run to rank 4, but systems are compared to rank 10: pool deeper to "
        "compare them further down."
    ]
    assert plan(study, depth=12, seed=1).warnings == []


def test_the_command_always_prints_the_cutoff(capsys: pytest.CaptureFixture[str]) -> None:
    study = shallow(4, opened=False)
    for depth, said in ((4, "to rank 4"), (12, "to rank 10"), (1, "by no measure unless asked")):
        call_command("plan_units", study.slug, pool_depth=depth)
        assert f"systems are compared {said}" in capsys.readouterr().out


def test_the_cutoff_is_frozen_when_the_study_opens() -> None:
    study = shallow(4)
    with pytest.raises(ValueError, match="cutoff: workers have come under it"):
        change_settings(study.slug, {"cutoff": 10}, None)


# --- results ------------------------------------------------------------------------------------
@pytest.fixture
def desk() -> Client:
    client = Client()
    client.force_login(User.objects.create_user("rita", is_superuser=True))
    return client


def words(client: Client, study: Study, path: str = "") -> str:
    page = client.get(f"/studies/{study.slug}/{path}")
    assert page.status_code == 200
    return " ".join(page.content.decode().split())


def test_a_finished_study_pooled_to_four_is_ranked_at_four(desk: Client, tmp_path: Path) -> None:
    study = shallow(4)
    judge(study)
    assert pipeline.measures(study) == ("nDCG(dcg='jk')@4", "ERR@4")
    ranking = results.ranking(study, parse("nDCG(dcg='jk')@4"))
    assert {system["judged"] for system in ranking["results"]} == {1.0}
    page = words(desk, study)
    assert "nDCG(dcg='jk')@4" in page or "nDCG(dcg=&#x27;jk&#x27;)@4" in page
    stored.bring_up_to_date()
    for path in ("", "systems/"):
        page = words(desk, study, path)
        assert "Too little is judged" not in page, path
        assert "100%" in page, path
    assert "All units are done: close the study" in words(desk, study)
    api = client_of("rosa", is_superuser=True)
    told = api.get(f"/api/v1/studies/{study.slug}/rankings/").json()
    assert told["measure"] == "nDCG(dcg='jk')@4"
    out = StringIO()
    call_command("export", study.slug, "rankings", format="csv", stdout=out)
    assert "@10" not in out.getvalue()
    assert_nothing_names_rank_10(desk, study, tmp_path)


def assert_nothing_names_rank_10(desk: Client, study: Study, folder: Path) -> None:
    """Cards, pages, the forecast's design, and every text of the report but the paper's values."""
    assert {str(pool.measure) for pool in pools.design(study).pools} == {"nDCG(dcg='jk')@4"}
    for path in ("", "systems/", "systems/run-0/", "topics/", "method/", "method/enough/"):
        assert not RANK_10.findall(words(desk, study, path)), path
    report.write(load(study), folder, lambda name: None)
    texts = [file for file in folder.rglob("*") if file.suffix in (".tex", ".csv", ".md", ".svg")]
    assert len(texts) > 20
    for file in texts:
        named = [line for line in file.read_text().splitlines() if RANK_10.search(line)]
        assert not [line for line in named if "paper" not in line], file


def test_below_three_no_ranking_is_shown_unless_asked_for(desk: Client, tmp_path: Path) -> None:
    study = shallow(1)
    assert (study.pooled_to, study.used_cutoff) == (1, None)
    judge(study)
    assert pipeline.measures(study) == ()
    for path in ("", "systems/"):
        page = words(desk, study, path)
        assert "the pools hold every run to rank 1, too few to rank systems" in page, path
        assert "run-0" not in page, path
    assert "run-0" in words(desk, study, "systems/?measure=nDCG@5")
    api = client_of("rosa", is_superuser=True)
    address = f"/api/v1/studies/{study.slug}/rankings/"
    assert "expected a measure" in str(api.get(address).json())
    assert api.get(address).status_code == 400
    assert api.get(f"{address}?measure=nDCG@5").status_code == 200
    report.write(load(study), tmp_path, lambda name: None)
    assert {path.name for path in tmp_path.glob("data/overview-*")} == {"overview-table1.csv"}


def test_a_study_without_a_plan_of_ours_is_measured_as_usual() -> None:
    assert pipeline.measures(make_study()) == pipeline.MEASURES
