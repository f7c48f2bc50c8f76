"""Every number has bounds: beyond them it is refused everywhere, and up to them the site works."""

import re
from collections.abc import Iterator
from datetime import timedelta
from decimal import Decimal
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django import forms
from django.apps import apps
from django.core.exceptions import ValidationError
from django.core.management import call_command
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import connection, models
from django.test import Client
from django.utils import translation
from django.utils.module_loading import import_string

from config.background import TASKS
from evaluation.pipeline import evaluate
from evaluation.publishing.exports import EXPORTS
from judging.models import Assignment, Study
from judging.pages import identity
from judging.settings import BY_NAME
from judging.studies.conduct.closing import close_study
from tests.api.conftest import client_of, description
from tests.cast import Person
from tests.desks import admin_at_desk
from tests.factory import make_study
from tests.factory.completed import complete
from tests.factory.runs import add_runs
from tests.judging.browsing import Browser, stopped_clock
from tests.workspace_pages import addresses, routes

pytestmark = pytest.mark.django_db
OURS = ("accounts", "evaluation", "judging", "operations", "web", "workspace")
# What the product counts, measures or computes itself: nobody enters it.
COUNTED = {
    "accounts.storedresponse": "status",
    "accounts.requestcount": "requests",
    "evaluation.evaluation": "number collection_revision topics units judgments",
    "evaluation.cachedanalysis": "tries reads progress seconds",
    "evaluation.topicevaluation": "revision gamma",
    "evaluation.writtenreport": "tries progress size files",
    "judging.assignment": "practice_step wrong_answers position furthest back_steps revise_steps "
    "failed_finishes payment version",
    "judging.batch": "number",
    "judging.checkfailure": "attempt",
    "judging.collection": "revision",
    "judging.document": "words cleaner",
    "judging.documentnote": "position",
    "judging.judgment": "position first_score score_at_failure version",
    "judging.payment": "amount",
    "judging.planjob": "tries progress",
    "judging.pooleddocument": "code",
    "judging.stageddocument": "words cleaner",
    "judging.study": "pooled_to version",
    "judging.studytopic": "revision",
    "judging.unit": "number",
    "judging.visit": "position",
    "workspace.forecast": "tries progress seconds",
    "workspace.importjob": "tries progress fault_line",
    "workspace.prolificbonus": "total",
    "workspace.prolificbonuspart": "amount",
    "workspace.prolificstudy": "reward places places_cost asked_places asked_cost",
    "workspace.upload": "received",
    "workspace.alertmessage": "tries",
}


def numeric_fields() -> Iterator["models.Field[Any, Any]"]:
    """All of our models, but keys."""
    for model in apps.get_models():
        if model._meta.app_label in OURS:
            for field in model._meta.local_concrete_fields:
                if isinstance(field, NUMBERS) and not field.primary_key:
                    yield field


NUMBERS = (models.IntegerField, models.FloatField, models.DecimalField)


def limits(field: "models.Field[Any, Any]") -> tuple[Any, Any]:
    """The smallest and the largest value that a field declares; None where it declares none."""
    declared = field._validators  # not those of the database's type
    lowest = [v.limit_value for v in declared if isinstance(v, MinValueValidator)]
    highest = [v.limit_value for v in declared if isinstance(v, MaxValueValidator)]
    return (lowest or [None])[0], (highest or [None])[0]


def setting(name: str) -> "models.Field[Any, Any]":
    return Study._meta.get_field(name)


SET_BY_PEOPLE = [name for name in sorted(BY_NAME) if isinstance(setting(name), NUMBERS)]


# --- declared -----------------------------------------------------------------------------------
def test_every_number_that_somebody_enters_has_bounds_where_it_is_declared():
    counted = {f"{model}.{name}" for model, names in COUNTED.items() for name in names.split()}
    lacking = {
        f"{f.model._meta.label_lower}.{f.name}" for f in numeric_fields() if None in limits(f)
    }
    assert lacking == counted


@pytest.mark.parametrize("field", [f for f in numeric_fields() if None not in limits(f)], ids=str)
def test_the_database_has_the_bounds_of_the_field(field):
    table = field.model._meta.db_table
    name = f"{field.model._meta.model_name}_{field.name}_within"
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_get_constraintdef(oid) FROM pg_constraint"
            " WHERE conname = %s AND conrelid = %s::regclass",
            [name, table],
        )
        ((definition,),) = cursor.fetchall()
    lowest, highest = limits(field)
    number = r"[(']*([-+.\de]+)"
    said = re.search(rf">= {number}.*<= {number}", definition)
    assert tuple(map(Decimal, said.groups())) == (Decimal(str(lowest)), Decimal(str(highest)))


# --- the extremes -------------------------------------------------------------------------------
PLATFORM = {
    "platform": "prolific",
    "completion_code": "CDONE",
    "screen_out_code": "CPART",
    "screen_out_reward": "1.00",
    "submission_minutes": 60,
    "contact": "rosa@example.org",
}
ALL = {side: {name: limits(setting(name))[side] for name in SET_BY_PEOPLE} for side in (0, 1)}
IN_PLACES = {
    "name": ["document-3"],
    "query_id": ["401"],
    "doc_id": ["D401-003"],
    "run": ["run-0"],
    "other": ["run-1"],
    "analysis": ["differences", "rankings", "significance", "reading"],
}
OF_A_STUDY = [route for route in routes() if "studies/<slug:slug>" in route and "key>" not in route]


def judged(clock: Any, **settings: Any) -> tuple[Study, Browser]:
    """An open study with two runs, and a browser in which somebody has completed a unit."""
    documents = 2 * settings.get("unit_size", 8)
    study = make_study(documents=documents, **{**PLATFORM, "redundancy": 1, **settings})
    lists = {"401": [(f"D401-{n:03}", 9.0 - n) for n in range(5)]}
    add_runs(study, {"run-0": lists, "run-1": {"401": lists["401"][::-1]}})
    browser = Browser(study)
    browser.get("?PROLIFIC_PID=5f1e&STUDY_ID=s1&SESSION_ID=s2")
    arrival = identity.arrival_of_cookie(study.pk, browser.cookies[browser.cookie_name])
    seconds = max(study.minimum_seconds, 1)
    ids = {"STUDY_ID": "s1", "SESSION_ID": "s2"}
    came = {"platform": arrival.platform, "external_id": arrival.external_id, "ids": ids}
    complete(study, arrival.pseudonym, at=clock.now, seconds=seconds, **came)
    clock.wait(seconds * study.unit_size + 1)
    evaluate(study)
    return study, browser


@pytest.fixture
def clock():
    with stopped_clock() as stopped:
        yield stopped


@pytest.fixture
def desk():
    return admin_at_desk()


def check_that_the_site_goes_on(clock: Any) -> None:
    """A unit of another study that nobody comes back to is ended, by each of the tasks."""
    other = Person(make_study(expiry_minutes=5), "otto", now=clock.now)
    assert other.begin() is None
    Assignment.objects.filter(worker=other.worker).update(
        deadline_at=clock.now - timedelta(seconds=1)
    )
    for task in TASKS:
        import_string(task)()
    assert other.assignment.state == "expired"


def check_pages(desk: Client, study: Study, browser: Browser, of_study: list[str]) -> None:
    worker = study.workers.get(account__isnull=False).pseudonym
    places = IN_PLACES | {"slug": [study.slug], "pseudonym": [worker]}
    for route in of_study:
        for address in addresses(route, places):
            assert desk.get(address).status_code in (200, 302, 404), address
    assert browser.get("me/").status == 200
    assert Browser(study).get().status == 200


def check_exports(study: Study, folder: Path) -> None:
    for table in EXPORTS:
        call_command("export", study.slug, table, stdout=StringIO())
    call_command("export_archive", study.slug, str(folder / "archive.zip"), stdout=StringIO())
    api = client_of("api", is_superuser=True)
    for path, methods in description()["paths"].items():
        if "get" in methods and path.startswith("/api/v1/studies/{slug}/") and path.count("{") == 1:
            assert api.get(path.format(slug=study.slug)).status_code in (200, 404, 409), path


@pytest.mark.parametrize("side", [0, 1], ids=["smallest", "largest"])
def test_the_site_works_at_the_extremes(side, clock, desk, tmp_path):
    study, browser = judged(clock, **ALL[side])
    check_that_the_site_goes_on(clock)
    check_pages(desk, study, browser, OF_A_STUDY)
    close_study(study.slug)
    check_that_the_site_goes_on(clock)
    closed = [route for route in OF_A_STUDY if not re.search("/(setup|method)/", route)]
    check_pages(desk, study, browser, closed)
    check_exports(study, tmp_path)


def test_djangos_own_words_are_ours_on_every_form(desk):
    """One catalogue of English has them: locale/en."""
    sent = {"title": "T", "slug": "two words", "collection": "none"}
    errors = desk.post("/new-study/", sent).context["form"].errors
    assert errors["slug"] == ["Use letters from a to z, digits, - and _, as in abstracts-1033."]
    with translation.override("en"):
        for field, typed, said in (
            (forms.IntegerField(min_value=1), "0", "At least 1."),
            (forms.IntegerField(max_value=9), "10", "At most 9."),
            (forms.IntegerField(), "x", "Use a whole number, as in 12."),
            (forms.DecimalField(), "x", "Use digits, as in 12 or 0.5."),
            (forms.CharField(max_length=2), "abc", "At most 2 characters; this has 3."),
        ):
            with pytest.raises(ValidationError, match=re.escape(said)):
                field.clean(typed)
