"""The first page: what strangers and lost workers read, and of which study."""

import pytest
from django.test import Client

from accounts.models import User
from evaluation.pipeline import evaluate
from judging.models import Membership, Role, Study
from tests.factory.completed import judged_study

pytestmark = pytest.mark.django_db


def first_page() -> str:
    return Client().get("/").content.decode()


def ranked(slug: str, **settings: object) -> Study:
    study, _ = judged_study(slug=slug, title="Lamps of 1900", **settings)
    evaluate(study)
    return study


def test_strangers_read_what_it_is_and_lost_workers_what_to_do() -> None:
    page = first_page()
    assert "compare retrieval systems" in page
    assert "follow the whole link that you were given" in page
    assert 'href="/login/"' in page
    assert "in the demo" not in page


@pytest.mark.parametrize(
    ("slug", "settings"), [("demo", {}), ("lamps", {"demo": True, "payment": 0})]
)
def test_no_other_study_is_shown(slug: str, settings: dict[str, object]) -> None:
    study = ranked(slug, **settings)
    page = first_page()
    assert "in the demo" not in page
    assert slug not in page
    assert study.collection.runs.first().tag not in page


def test_the_demo_is_ranked_in_few_queries(django_assert_max_num_queries) -> None:
    study = ranked("demo", demo=True, payment=0)
    tags = list(study.collection.runs.values_list("tag", flat=True))
    with django_assert_max_num_queries(10):
        page = first_page()
    assert f"{len(tags)} systems in the demo" in page
    assert all(f'<th scope="row">{tag}</th>' in page for tag in tags)
    assert 'href="/study/demo/"' in page


def test_a_finished_demo_is_ranked_beside_the_one_to_judge_in() -> None:
    study = ranked("demo")
    Study.objects.update(crowd=Study.Crowd.ARTIFICIAL)
    judged_study(slug="demo-live", demo=True, payment=0, units=0)
    page = first_page()
    assert "no number comes from a person" in page
    assert 'href="/study/demo-live/"' in page
    Membership.objects.create(study=study, user=User.objects.create_user("rosa"), role=Role.OWNER)
    assert "in the demo, ranked" not in first_page()  # it is somebody's own


def test_a_demo_that_nobody_has_judged_is_no_ranking() -> None:
    judged_study(slug="demo", demo=True, payment=0, units=0)
    assert "in the demo, ranked" not in first_page()


def test_who_is_logged_in_goes_to_their_studies(admin_client) -> None:
    assert admin_client.get("/").headers["Location"] == "/studies/"
