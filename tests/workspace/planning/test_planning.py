"""What a study costs, and its forecast: asked for, computed, kept, and out of date."""

import json
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from accounts.models import User
from judging.models import Membership, PooledDocument, Role, Study, TrailEntry, Unit
from judging.studies.unit_plans import discard_plan, plan
from tests.desks import admin_at_desk
from tests.factory import GRADED, make_study
from tests.factory.completed import complete, judged_study
from tests.factory.runs import add_runs
from web.background import work
from workspace.models import Forecast
from workspace.planning import forecast_jobs, forecasting, pilots, pools
from workspace.planning.costs import NoPlan, costs
from workspace.planning.forecast_jobs import CannotForecast, forecast_of, request_forecast

pytestmark = pytest.mark.django_db


def ranked_study(**settings: Any) -> Study:
    """A study with six runs, the first ones better."""
    study = make_study(**{"topics": 6, "documents": 16, "redundancy": 3, **settings})
    rng = np.random.default_rng(5)
    runs: dict[str, dict[str, list[tuple[str, float]]]] = {f"run-{n}": {} for n in range(6)}
    for topic in study.topics.select_related("topic"):
        ids = sorted(topic.documents.values_list("doc_id", flat=True))
        levels = np.arange(len(ids)) % 4
        for place, lists in enumerate(runs.values()):
            scores = (1 - place / 5) * levels + rng.normal(size=len(ids))
            lists[topic.topic.query_id] = list(zip(ids, scores.tolist(), strict=True))
    add_runs(study, runs)
    return study


@pytest.fixture
def at_desk(db):
    return admin_at_desk("ada")


# --- costs --------------------------------------------------------------------------------------


def test_costs_of_a_planned_study():
    """Two topics of 14 documents: ceil(12 · 10 / 6) = 20 units each, at 0.20 and a fifth more."""
    study = make_study(topics=2, redundancy=10, payment=0.20, minimum_hourly_pay=12)
    planned = costs(study)
    assert [(topic.documents, topic.units) for topic in planned.topics] == [(14, 20), (14, 20)]
    assert (planned.units, planned.documents, planned.is_planned) == (40, 28, True)
    assert (planned.paid, planned.fee, planned.total) == (
        Decimal("8.00"),
        Decimal("1.60"),
        Decimal("9.60"),
    )
    assert planned.min_workers == 20  # who do both topics
    assert 20 <= planned.workers <= 40
    assert planned.basis.units == 0
    assert planned.hours == pytest.approx(40 * planned.basis.mean_seconds / 3600)
    assert planned.hourly_pay == pytest.approx(0.2 * 3600 / planned.basis.median_seconds)
    assert planned.pays_too_little
    assert float(planned.fair_payment) * 3600 / planned.basis.median_seconds >= 12


def test_a_limit_for_each_worker_takes_more_people():
    assert costs(make_study(topics=3, redundancy=10)).min_workers == 20
    assert costs(make_study(topics=3, redundancy=10, max_units_per_worker=1)).min_workers == 60


def test_a_draft_costs_what_its_plan_will():
    study = make_study(topics=2, opened=False, redundancy=4)
    planned = costs(study)
    Unit.objects.all().delete()
    PooledDocument.objects.all().delete()
    draft = costs(study)
    assert not draft.is_planned
    assert (draft.topics, draft.total) == (planned.topics, planned.total)


def test_a_draft_is_forecast_on_the_pools_that_its_plan_will_have():
    study = ranked_study(topics=2, opened=False, pool_depth=20)
    planned = pools.design(study)
    Unit.objects.all().delete()
    PooledDocument.objects.all().delete()
    draft = pools.design(study)
    assert [pool.query_id for pool in draft.pools] == [pool.query_id for pool in planned.pools]
    assert [pool.documents for pool in draft.pools] == [pool.documents for pool in planned.pools]
    assert all((pool.lists < pool.documents).all() for pool in draft.pools)


def test_times_are_the_study_s_own_as_soon_as_there_are_enough():
    study = make_study(redundancy=6)
    for number in range(10):
        complete(study, f"worker-{number}", seconds=30)
    assert costs(study).basis[:4] == (study.slug, 10, 240, 240)
    other = make_study()
    assert costs(other).basis.units == 0
    assert costs(other, pilot=study).basis[:2] == (study.slug, 10)
    assert costs(other, pilot=study).hourly_pay == pytest.approx(15)


def test_what_was_judged_elsewhere_has_no_plan():
    study = make_study()
    Study.objects.update(crowd=Study.Crowd.IMPORTED)
    study.refresh_from_db()
    with pytest.raises(NoPlan, match="judged elsewhere"):
        costs(study)
    with pytest.raises(NoPlan, match="judged elsewhere"):
        request_forecast(study, None)


# --- forecasts ----------------------------------------------------------------------------------


def test_a_forecast_is_asked_for_and_computed():
    study, user = ranked_study(payment=0.2), User.objects.create_user("rita")
    assert forecast_of(study) is None
    assert forecast_jobs.run_pending_forecasts() == 0
    request_forecast(study, user, replications=20)
    forecast = forecast_of(study)
    assert forecast.is_pending
    assert not forecast.is_current
    assert forecast_jobs.run_pending_forecasts() == 1
    forecast = forecast_of(study)
    assert (forecast.row.state, forecast.row.fault, forecast.is_current) == ("done", "", True)
    result = forecast.row.result
    (figure,) = result["parts"]
    rows = [dict(zip(figure["columns"], row, strict=True)) for row in figure["rows"]]
    assert [(row["topics"], row["judges"]) for row in rows[:15]] == [(6, n) for n in range(1, 16)]
    planned = rows[2]
    assert planned["units"] == study.units.count()
    assert planned["cost"] == pytest.approx(float(costs(study).total))
    assert f"{planned['cost']:,.2f} USD" in result["says"][0]
    assert "forecast" in figure["svg"]
    assert TrailEntry.objects.get(study=study, action="asked for a forecast").by == user
    json.dumps(result, allow_nan=False)


def test_a_forecast_stays_current_when_its_units_are_planned():
    study = discard_plan(ranked_study(opened=False).slug, None)
    request_forecast(study, None, replications=20)
    Forecast.objects.update(version=forecast_jobs.version(study, None))
    plan(study)
    study = Study.objects.get(pk=study.pk)
    assert study.units.exists()
    assert forecast_of(study).is_current


def test_a_forecast_grows_old_with_its_settings():
    study = ranked_study()
    request_forecast(study, None, replications=20)
    Forecast.objects.update(version=forecast_jobs.version(study, None))
    assert forecast_of(study).is_current
    for change in ({"payment": Decimal("0.30")}, {"labels": "experts"}, {"redundancy": 5}):
        Study.objects.update(**change)
        changed = forecast_of(Study.objects.get(pk=study.pk))
        assert not changed.is_current, change
        Forecast.objects.update(version=forecast_jobs.version(Study.objects.get(pk=study.pk), None))


def test_what_was_interrupted_is_begun_again_but_not_for_ever(monkeypatch):
    study = make_study()
    request_forecast(study, None, replications=20)
    killed = pytest.MonkeyPatch()
    killed.setattr(forecast_jobs, "_result", lambda row: (_ for _ in ()).throw(SystemExit))
    for tries in range(1, work.MAX_TRIES + 1):
        with pytest.raises(SystemExit):
            forecast_jobs.run_pending_forecasts()
        row = Forecast.objects.get()
        assert (row.state, row.tries) == ("computing", tries)
    assert forecast_jobs.run_pending_forecasts() == 1
    killed.undo()
    row = Forecast.objects.get()
    assert (row.state, row.fault) == ("failed", work.INTERRUPTED)


def test_whoever_asks_last_gets_what_they_asked_for(monkeypatch):
    study = ranked_study(topics=2)
    request_forecast(study, None, replications=20)
    monkeypatch.setattr(work, "PROGRESS_SECONDS", -1)
    monkeypatch.setattr(
        forecast_jobs, "forecast_result", lambda points, posterior, of: {"is": of.replications}
    )
    simulate = forecasting.simulate
    asked = []

    def and_ask_again(*given):
        if not asked:
            asked.append(request_forecast(study, None, replications=21))
        return simulate(*given)

    monkeypatch.setattr(forecasting, "simulate", and_ask_again)
    assert forecast_jobs.run_pending_forecasts() == 2
    row = Forecast.objects.get()
    assert (row.state, row.result) == ("done", {"is": 21})


def test_an_error_is_told(monkeypatch):
    request_forecast(make_study(), None, replications=20)
    monkeypatch.setattr(pools, "design", lambda study: 1 / 0)
    forecast_jobs.run_pending_forecasts()
    assert "ZeroDivisionError" in Forecast.objects.get().fault


def test_what_cannot_be_forecast_is_refused():
    study, rita = make_study(), User.objects.create_user("rita")
    for options, why in (
        ({"replications": 1}, "replications: a whole number from 20 to 500 was expected"),
        ({"replications": 501}, "replications: a whole number from 20 to 500 was expected"),
        ({"seed": -1}, "seed: a whole number from 0 to"),
        ({"pilot": "nowhere"}, "pilot nowhere: expected a study"),
        ({"pilot": study.slug}, "at least 10 completed units"),
    ):
        with pytest.raises(CannotForecast, match=why):
            request_forecast(study, rita, **options)
    Study.objects.filter(pk=study.pk).update(unit_size=30)
    study.refresh_from_db()
    with pytest.raises(CannotForecast, match="Topic 401: fewer documents than a unit holds"):
        request_forecast(study, rita)
    assert not Forecast.objects.exists()
    assert not TrailEntry.objects.filter(action="asked for a forecast").exists()


def test_pilots_are_of_the_same_scale_and_seen_by_all_of_the_team():
    pilot, _ = judged_study(units=10, topics=4, redundancy=4)
    study, graded = make_study(), make_study(**GRADED)
    assert {*forecast_jobs.pilots_for(pilot, None)} == {pilot}
    assert {*forecast_jobs.pilots_for(study, None)} == {pilot}
    assert not forecast_jobs.pilots_for(graded, None).exists()
    rita, otto = (User.objects.create_user(name) for name in ("rita", "otto"))
    for one in (study, pilot):
        Membership.objects.create(study=one, user=rita, role=Role.OWNER)
    assert {*forecast_jobs.pilots_for(study, rita)} == {pilot}
    Membership.objects.create(study=study, user=otto, role=Role.VIEWER)
    assert not forecast_jobs.pilots_for(study, rita).exists()


def test_a_pilot_s_crowd_is_expected(monkeypatch):
    monkeypatch.setattr(pilots, "N_DRAWS", 150)
    pilot, _ = judged_study(units=12, topics=2, redundancy=4)
    study = ranked_study(topics=2)
    request_forecast(study, None, pilot=pilot.slug, replications=20)
    forecast_jobs.run_pending_forecasts()
    row = Forecast.objects.get()
    assert row.fault == ""
    assert f"as those of study {pilot.slug} did, as far as 12 units" in row.result["assumes"][0]
    crowd = row.result["parts"][1]
    assert [traits[0] for traits in crowd["rows"]] == ["noise", "slope", "careless", "spread"]
    assert all(low < fitted < high for _, _, low, fitted, high, _ in crowd["rows"])
    assert forecast_of(study).is_current
    complete(pilot, "one more")
    assert not forecast_of(study).is_current


# --- the page -----------------------------------------------------------------------------------


def test_the_page_shows_costs_and_the_forecast_as_far_as_it_is(at_desk):
    study = ranked_study(topics=2, payment=0.2, minimum_hourly_pay=12)
    address = f"/studies/{study.slug}/set-up/cost/"
    first = at_desk.get(address).content.decode()
    assert f"{study.units.count()} units by about" in first
    assert "would reach it" in first
    assert "Compute the forecast" in first
    refused = at_desk.post(address, {"replications": 1}).content.decode()
    assert "a whole number from 20 to 500 was expected, not 1" in refused
    assert at_desk.post(address, {"replications": 20}).url == address
    assert "Waits for its turn" in at_desk.get(address).content.decode()
    Forecast.objects.update(state="computing", progress=0.4)
    assert "<progress" in at_desk.get(address).content.decode()
    Forecast.objects.update(replications=20)
    forecast_jobs.run_pending_forecasts()
    page = at_desk.get(address).content.decode()
    assert "tau with the true order of 6 systems" in page
    assert "What this assumes" in page
    assert "data-live" not in page
    Study.objects.update(labels="experts")
    assert "from older ones" in at_desk.get(address).content.decode()
    for part, file_format, begins in (
        ("money", "csv", b"topics,judges,units,cost,tau"),
        ("money", "svg", b"<svg"),
    ):
        file = at_desk.get(f"{address}{part}.{file_format}")
        assert file.content.startswith(begins)
        assert "attachment" in file["Content-Disposition"]
    assert at_desk.get(f"{address}money.xlsx").status_code == 404
