"""The places of a study: which pages are there for whom and when, and where old addresses lead."""

import re
from pathlib import Path

import pytest
from django.test import Client
from django.urls import resolve

from accounts.models import User
from judging.collections.opinions import import_opinions
from judging.models import Collection, Role, Study, Topic
from judging.studies.conduct.closing import close_study
from judging.studies.rehearsal import rehearse
from magnitudes.files.containers.archives import open_members
from magnitudes.files.labels.opinions import read_opinions
from magnitudes.files.labels.scales import Scale
from tests.desks import at_desk, desk_of, member
from tests.factory import make_study
from workspace.places import FORMER, PLACES, RUN, entry_page, places_of

pytestmark = pytest.mark.django_db
TITLES = ["Set up", "Recruit and run", "Monitor", "Results", "Share"]


def shown(study: Study, role: Role = Role.OWNER) -> dict[str, dict[str, str]]:
    """By the titles of places and pages, why each cannot be used yet."""
    return {
        place.title: {page.title: page.why_not for page in place.pages}
        for place in places_of(study, role, "")
    }


def judged_elsewhere(folder: Path) -> Study:
    collection = Collection.objects.create(slug="web")
    Topic.objects.create(collection=collection, query_id="401")
    file = folder / "labels.csv"
    file.write_text("worker,query_id,doc_id,label\nanna,401,D1,1\nben,401,D1,0\n")
    levels = ["bad", "good"]
    read = read_opinions(open_members([file]), Scale(levels))
    import_opinions("elsewhere", "web", read, levels)
    return Study.objects.get(slug="elsewhere")


def navigation(desk: Client, study: Study, path: str = "") -> str:
    address = path.format(study.slug) if path.startswith("/") else f"/studies/{study.slug}/{path}"
    page = desk.get(address).content.decode()
    return page.partition('<nav aria-label="Study"')[2].partition("</nav>")[0]


def test_each_page_is_in_one_place():
    names = [page.name for place in PLACES for page in place.pages]
    twice = {name for name in names if names.count(name) > 1}
    assert twice == {"setup-recruiting", "setup-entry"}
    for study in (make_study(opened=False), make_study()):
        pages = [page.name for place in places_of(study, Role.OWNER, "") for page in place.pages]
        assert len(pages) == len(set(pages))
        assert twice <= set(pages)


def test_what_a_draft_cannot_use_yet_says_why():
    study = make_study(opened=False)
    places = shown(study)
    assert list(places) == TITLES
    assert not any(places["Set up"].values())
    for title in ("Recruit and run", "Monitor", "Results"):
        assert set(places[title].values()) <= {
            "once open",
            "once it is the study’s platform",
        }
        assert all(places[title].values())
    assert not places["Share"]["Team"]
    html = navigation(desk_of(study), study, "set-up/")
    assert re.search(r"<span[^>]*>Monitor <small>once open</small></span>", html)
    assert "/monitor/" not in html


def test_an_open_study_has_all_places_and_a_viewer_no_page_that_is_closed_to_them():
    study = make_study()
    everything, viewers = shown(study), shown(study, Role.VIEWER)
    assert list(everything) == list(viewers) == TITLES
    assert set(everything["Share"]) - set(viewers["Share"]) == {"Archive file", "Trail"}
    assert set(everything["Recruit and run"]) - set(viewers["Recruit and run"]) == {"Alerts"}
    assert {"Link and platform", "Who may enter"} <= set(viewers["Recruit and run"])
    desk = desk_of(study, Role.VIEWER)
    for place in places_of(study, Role.VIEWER, ""):
        for page in place.pages:
            if not page.why_not:
                assert desk.get(page.url).status_code == 200, page.url


@pytest.mark.parametrize("role", [Role.OWNER, Role.EDITOR, Role.VIEWER])
def test_rehearsals_and_imported_studies_have_fewer(role, tmp_path):
    study = make_study()
    rehearsal = rehearse(study, None, units=1)
    imported = judged_elsewhere(tmp_path)
    assert list(shown(rehearsal, role)["Set up"]) == ["Preview", "Rehearsal"]
    assert "Team" not in shown(rehearsal, role)["Share"]
    assert list(shown(imported, role)) == ["Results", "Share"]
    desk = at_desk(member(study, role))
    imported.memberships.create(user=User.objects.get(), role=role)
    for one in (rehearsal, imported):
        for place in places_of(one, role, ""):
            for page in place.pages:
                assert page.why_not or desk.get(page.url).status_code == 200, page.url


@pytest.mark.parametrize(
    ("path", "place", "page"),
    [
        ("", "Results", "Overview"),
        ("topics/401/", "Results", "Topics"),
        ("/uploads/run/{}/", "Results", "Systems"),
        ("monitor/workers/", "Monitor", "Workers"),
        ("monitor/topics/401/", "Monitor", "Lights"),
        ("set-up/recruiting/", "Recruit and run", "Link and platform"),
        ("set-up/participants/", "Recruit and run", "Who may enter"),
        ("share/team/", "Share", "Team"),
    ],
)
def test_what_is_current(path, place, page):
    study = make_study()
    html = navigation(desk_of(study), study, path)
    assert re.findall(r'aria-current="\w+">([^<]+)<', html) == [place, page]


@pytest.mark.parametrize(
    ("opened", "role", "name", "leads_to"),
    [
        (True, Role.VIEWER, "results", ""),
        (False, Role.OWNER, "results", ""),
        (True, Role.VIEWER, "share", "share/files/"),
        (False, Role.OWNER, "share", "share/archive/"),
        (False, Role.VIEWER, "share", "share/team/"),
    ],
)
def test_a_place_without_a_page_of_its_own_leads_to_its_first(opened, role, name, leads_to):
    study = make_study(opened=opened)
    answer = desk_of(study, role).get(f"/studies/{study.slug}/{name}/")
    assert answer.headers["Location"] == f"/studies/{study.slug}/{leads_to}"
    assert Client().get(f"/studies/{study.slug}/{name}/").headers["Location"].startswith("/login/")


def test_each_place_has_an_address():
    study = make_study()
    desk = desk_of(study)
    for place in PLACES:
        if place is RUN:  # of a language model's study
            continue
        path = f"/studies/{study.slug}/{place.name}/"
        assert desk.get(path, follow=True).status_code == 200, path


def test_steps_are_listed_beside_every_page_of_the_set_up():
    study = make_study(opened=False)
    desk = desk_of(study)
    for path in ("topics/", "recruiting/", "participants/", "preview/", "rehearsal/", "cost/", ""):
        page = desk.get(f"/studies/{study.slug}/set-up/{path}").content.decode()
        steps = page[page.index('<nav aria-label="Steps"') :]
        steps = steps[: steps.index("</nav>")]
        assert steps.count("aria-current") == 1, path
        assert steps.count("<li>") == 13, path
        assert "Checks before opening" in steps


def test_a_study_opens_on_what_its_stage_needs():
    draft, study = make_study(opened=False), make_study()
    assert entry_page(draft) == f"/studies/{draft.slug}/set-up/"
    assert entry_page(study) == f"/studies/{study.slug}/monitor/"
    study = close_study(study.slug)
    assert entry_page(study) == f"/studies/{study.slug}/"


@pytest.mark.parametrize("former", FORMER)
def test_former_addresses_lead_on(former):
    study = make_study()
    answer = desk_of(study).get(f"/studies/{study.slug}/{former}?a=b%20c")
    assert answer.status_code == 302
    address, _, query = answer["Location"].partition("?")
    assert resolve(address).url_name == FORMER[former]
    assert query == "a=b%20c"


def test_so_does_what_lies_below_them():
    client, study = Client(), make_study()
    for former, present in {
        "setup/anchors/401/": "set-up/anchors/401/",
        "setup/clone/": "share/study/clone/",
        "workers/a%20b/": "monitor/workers/a%20b/",
        "pay/list.csv": "recruit/pay/list.csv",
    }.items():
        answer = client.get(f"/studies/{study.slug}/{former}")
        assert answer["Location"] == f"/studies/{study.slug}/{present}"
