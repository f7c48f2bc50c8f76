"""Who of a study's team may do what, address by address; and how teams change."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.db import transaction
from django.test import Client

from accounts.models import Token, User
from evaluation.analyses.study import other_studies
from judging.models import Invitation, Membership, Role, Study
from judging.studies import team
from tests.api.conftest import description, with_token
from tests.api.test_access import addresses, pages, ranked_study
from tests.factory import NOON, later, make_study

TEAM = ("owner", "editor", "viewer")
FORM_TOKEN = re.compile(r'(?<=name="csrfmiddlewaretoken" value=")\w+')  # another on each page
OUTSIDE = ("of another study", "staff without rights")


def somebody(role: str, study: Study) -> User:
    """Somebody by what they are to a study."""
    user = User.objects.create_user(role, is_staff=role == "staff without rights")
    if role in TEAM:
        Membership.objects.create(study=study, user=user, role=role)
    elif role == "of another study":
        Membership.objects.create(study=make_study(), user=user, role=Role.OWNER)
    return user


@pytest.fixture(scope="module")
def made(for_all: None) -> Study:
    return ranked_study()


@pytest.fixture
def small(made: Study, db: None) -> Study:
    return Study.objects.get(pk=made.pk)


def at_desk(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def statuses(client: Client, wanted: list[str]) -> dict[str, int]:
    return {address: client.get(address).status_code for address in wanted}


def expected(study: Study, wanted: list[str], status: int) -> dict[str, int]:
    """This status for all that is of the study; lists are there for everybody."""
    of_study = {address: status for address in wanted if f"/{study.slug}/" in address}
    return dict.fromkeys(wanted, 200) | of_study


@pytest.mark.parametrize("role", TEAM)
def test_all_of_the_team_see_everything_but_platforms_ids(small: Study, role: str) -> None:
    user = somebody(role, small)
    completions = f"/api/v1/studies/{small.slug}/completions/"
    wanted = [*addresses(small), *pages(small), f"/studies/{small.slug}/team/"]
    assert statuses(at_desk(user), wanted) == expected(small, wanted, 200) | {completions: 403}
    user.memberships.update(sees_platform_ids=True)
    assert at_desk(user).get(completions).status_code == 200


@pytest.mark.parametrize("role", OUTSIDE)
def test_for_others_the_study_does_not_exist(small: Study, role: str) -> None:
    client = at_desk(somebody(role, small))
    wanted = [*addresses(small), *pages(small), f"/studies/{small.slug}/team/"]
    answers = {address: client.get(address) for address in wanted}
    got = {address: answer.status_code for address, answer in answers.items()}
    assert got == expected(small, wanted, 404)
    for address in ("/api/v1/studies/", "/api/v1/collections/", "/studies/"):
        assert not re.search(rf"\b{small.slug}\b", answers[address].content.decode())
    for address in wanted if role == OUTSIDE[0] else ():
        if f"/{small.slug}/" in address:
            answer = client.get(address.replace(f"/{small.slug}/", "/nowhere/"))
            there, nowhere = (
                FORM_TOKEN.sub("", page.content.decode()) for page in (answers[address], answer)
            )
            assert there.replace(small.slug, "nowhere") == nowhere, address


# Who may ask for what of a study by REST, and change it; in the order of the addresses.
ALL, EDIT, OWN = TEAM, TEAM[:2], TEAM[:1]
MAY: dict[str, dict[str, tuple[str, ...]]] = {
    "": {"get": ALL, "patch": EDIT, "delete": OWN},
    "alerts/": {"get": EDIT, "patch": EDIT},
    "alerts/feed/": {"post": EDIT, "delete": EDIT},
    "alerts/secret/": {"post": EDIT},
    "analyses/": {"get": ALL},
    "analyses/{name}/": {"get": ALL},
    "analyses/{name}/{part}/": {"get": ALL},
    "approve-payments/": {"post": OWN},
    "archive/": {"post": EDIT},
    "archive-file/": {"post": OWN},
    "batches/": {"get": ALL, "post": EDIT},
    "clone/": {"post": ALL},
    "close/": {"post": EDIT},
    "completions/": {"get": ()},  # those who may see platforms' ids
    "config/": {"get": ALL, "put": EDIT},
    "costs/": {"get": ALL},
    "count-judgments/": {"post": EDIT},
    "crowdkit/": {"get": ALL},
    "dropped-run/": {"post": ALL},
    "entry/": {"get": ALL},
    "excluded-studies/": {"get": ALL, "put": EDIT},
    "exclusions/": {"get": ALL, "post": EDIT},
    "exclusions/{pseudonym}/": {"delete": EDIT},
    "failures/": {"get": ALL},
    "files/": {"get": ALL},
    "files/{table}.{file_format}": {"get": ALL},
    "forecast/": {"get": ALL, "post": EDIT},
    "hanging/": {"get": ALL},
    "invitations/": {"get": OWN, "post": OWN},
    "judgments/": {"get": ALL},
    "links/": {"get": ALL},
    "mark-paid/": {"post": OWN},
    "missing/": {"get": ALL},
    "monitor/": {"get": ALL},
    "open/": {"get": ALL, "post": EDIT},
    "owe-again/": {"post": OWN},
    "participants/": {"get": (), "post": EDIT, "delete": EDIT},
    "participants/remove/": {"post": EDIT},
    "pause/": {"post": EDIT},
    "personal-links/": {"get": ()},  # those who may see platforms' ids
    "pay/": {"get": ALL},
    "payments/": {"get": ALL},
    "plan/": {"get": ALL, "post": EDIT, "delete": EDIT},
    "pool-depths/": {"get": ALL},
    "progress/": {"get": ALL},
    "prolific/": {"get": ALL},
    "prolific/connect/": {"get": OWN, "post": OWN},
    "prolific/submissions/": {"get": ALL},
    **{
        f"prolific/{act}/": {"post": OWN}
        for act in (
            *("approve", "bonuses", "create", "events", "limit", "pause", "places", "publish"),
            *("reject", "resume", "return", "settle-bonuses", "stop"),
        )
    },
    "qrels/": {"get": ALL},
    "random-givers/": {"get": ALL},
    "raise-payment/": {"post": EDIT},
    "rankings/": {"get": ALL},
    "refuse-payment/": {"post": OWN},
    "rehearsals/": {"get": ALL, "post": EDIT},
    "rehearsals/{name}/": {"delete": EDIT},
    "release/": {"post": EDIT},
    "release-unit/": {"post": EDIT},
    "rename/": {"post": OWN},
    "report.zip": {"get": ALL},
    "report/": {"get": ALL, "post": ALL},
    "resume/": {"post": EDIT},
    "signals/": {"get": ALL},
    "take-anchors/": {"post": EDIT},
    "team/": {"get": ALL},
    "team/{username}/": {"patch": OWN, "delete": OWN},
    "topics/": {"get": ALL, "put": EDIT, "patch": EDIT},
    "topics/{query_id}/": {"patch": EDIT},
    "topics/{query_id}/accept-anchors/": {"post": EDIT},
    "topics/{query_id}/proposals/": {"get": ALL},
    "trail/": {"get": OWN},
    "unarchive/": {"post": EDIT},
    "units/": {"get": ALL},
    "verdicts/": {"get": ALL, "post": EDIT},
    "warnings/": {"get": ALL},
    "withdraw/": {"post": EDIT},
}
NOTHING_YET = {
    "analyses/{name}/": 202,
    "analyses/{name}/{part}/": 404,
    "forecast/": 404,
    "plan/": 404,
    "prolific/": 404,
    "rehearsals/{name}/": 404,
    "report.zip": 404,
    "report/": 404,
}
PLACES = {
    "name": "spread",
    "part": "ratios",
    "pseudonym": "ada",
    "username": "other",
    "query_id": "401",
    "table": "table1",
    "file_format": "csv",
}


def test_the_table_has_every_address_of_a_study(small: Study) -> None:
    described, below = description()["paths"], "/api/v1/studies/{slug}/"
    assert {path: set(methods) for path, methods in MAY.items()} == {
        path.removeprefix(below): set(operations)
        for path, operations in described.items()
        if path.startswith(below)
    }


# That a token may only read is found out before anybody is looked up: two roles stand for all.
READING = [(role, Token.Scope.READ) for role in (TEAM[0], OUTSIDE[0])]
WRITING = [(role, Token.Scope.WRITE) for role in (*TEAM, *OUTSIDE, "anonymous")]


@pytest.mark.parametrize(("role", "scope"), WRITING + READING)
def test_who_may_do_what_by_rest(small: Study, role: str, scope: str) -> None:
    small.memberships.create(user=User.objects.create_user("other"), role=Role.VIEWER)
    small.workers.create(pseudonym="ada")
    client = Client() if role == "anonymous" else with_token(somebody(role, small), scope)

    def asked(method: str, path: str) -> int:
        address = f"/api/v1/studies/{small.slug}/{path.format(**PLACES)}"
        with transaction.atomic():
            answer = getattr(client, method)(address, content_type="application/json")
            transaction.set_rollback(True)
        return int(answer.status_code)

    for path, methods in MAY.items():
        for method, roles in methods.items():
            status = asked(method, path)
            if role == "anonymous":
                assert status == 401, (method, path)
            elif scope == "read" and method != "get":
                assert status == 403, (method, path)
            elif role in OUTSIDE:
                assert status == 404, (method, path)
            elif role in roles:
                # Nobody has judged, asked for an analysis, a forecast or a report, nor rehearsed.
                nothing_yet = {NOTHING_YET[path]} if path in NOTHING_YET else set()
                done = {200} if method == "get" else {200, 201, 202, 204, 400, 409}
                assert status in done | nothing_yet, (method, path)
            else:
                assert status == 403, (method, path)


CHANGES: dict[str, dict[str, Any]] = {
    "rehearsal/": {"topics": "401", "units": "1"},
    "publish/release/": {},
    "publish/archive/": {},
    "publish/free-texts/": {"free": "yes"},
    "team/": {"note": "Otto", "role": "viewer"},
    "team/other/": {"role": "editor"},
    "differences/401/D401-001/": {"finding": "labels"},
    "running/": {"action": "pause"},
    "plan/": {"replications": 20},
    "prolific/": {"action": "limit", "spending_limit": "5"},
}
MAY_CHANGE = {
    "owner": {
        "running/": 302,
        "rehearsal/": 302,
        "publish/release/": 200,
        "publish/archive/": 200,
        "publish/free-texts/": 403,
        "team/": 200,
        "team/other/": 302,
        "differences/401/D401-001/": 302,
        "plan/": 302,
        "prolific/": 422,  # it is not connected
    },
    "editor": {
        "running/": 302,
        "rehearsal/": 302,
        "publish/release/": 200,
        "publish/archive/": 403,
        "publish/free-texts/": 403,
        "team/": 403,
        "team/other/": 403,
        "differences/401/D401-001/": 302,
        "plan/": 302,
        "prolific/": 403,
    },
    "viewer": dict.fromkeys(CHANGES, 403),
    **{role: dict.fromkeys(CHANGES, 404) for role in OUTSIDE},
}
# The forms of making a study, which answer with a page, and its verbs, which lead back.
MAKING = {
    **dict.fromkeys(("topics/", "pool/", "pool/401/", "anchors/", "anchors/401/"), 200),
    **dict.fromkeys(("questions/", "questions/401/", "settings/", "recruiting/"), 200),
    **dict.fromkeys(("consent/", "file/", "open/"), 200),
    **dict.fromkeys(("entry/", "participants/", "earlier/"), 200),
    **dict.fromkeys(("take-anchors/", "plan-units/", "discard-plan/", "as-in-paper/"), 302),
}
OWNERS_ALONE = ("name/", "delete/")


@pytest.mark.parametrize("role", MAY_CHANGE)
def test_who_may_change_what(small: Study, role: str) -> None:
    client = at_desk(somebody(role, small))
    other = User.objects.create_user("other")
    Membership.objects.create(study=small, user=other, role=Role.VIEWER)
    got = {
        path: client.post(f"/studies/{small.slug}/{path}", sent).status_code
        for path, sent in CHANGES.items()
    }
    assert got == MAY_CHANGE[role]
    assert Invitation.objects.count() == (1 if role == "owner" else 0)
    assert other.memberships.get().role == ("editor" if role == "owner" else "viewer")


@pytest.mark.parametrize("role", MAY_CHANGE)
def test_who_may_make(small: Study, role: str) -> None:
    client = at_desk(somebody(role, small))
    refused = {"viewer": 403, "of another study": 404, "staff without rights": 404}
    wanted = {path: refused.get(role, status) for path, status in MAKING.items()}
    wanted |= dict.fromkeys(OWNERS_ALONE, {"owner": 200, "editor": 403}.get(role) or refused[role])
    address = f"/studies/{small.slug}/setup/"
    assert {path: client.post(address + path).status_code for path in wanted} == wanted
    assert Study.objects.get(pk=small.pk).version == small.version


@pytest.mark.parametrize(
    ("role", "status"),
    [("owner", 200), ("editor", 403), ("viewer", 403), *((role, 404) for role in OUTSIDE)],
)
def test_the_trail_is_for_owners(small: Study, role: str, status: int) -> None:
    client = at_desk(somebody(role, small))
    assert client.get(f"/studies/{small.slug}/trail/").status_code == status


@pytest.mark.parametrize(
    ("role", "status"),
    [("owner", 200), ("editor", 200), ("viewer", 403), *((role, 404) for role in OUTSIDE)],
)
def test_personal_links_are_for_editors_who_see_ids(small: Study, role: str, status: int) -> None:
    user = somebody(role, small)
    address = f"/studies/{small.slug}/setup/recruiting/links.csv"
    assert at_desk(user).get(address).status_code == max(status, 403)
    user.memberships.update(sees_platform_ids=True)
    assert at_desk(user).get(address).status_code == status


def invited(client: Client, study: Study, **sent: str) -> str:
    """The link of a new invitation."""
    page = client.post(f"/studies/{study.slug}/team/", {"note": "Otto", "role": "viewer", **sent})
    return re.search(r"http://testserver(/invitation/[\w-]+/)", page.content.decode())[1]


def test_a_colleague_comes_by_a_link_and_makes_an_account(small: Study) -> None:
    link = invited(at_desk(somebody("owner", small)), small, role="editor")
    colleague = Client()
    password = {"password1": "over-the-rosy-hills", "password2": "over-the-rosy-hills"}
    assert colleague.post(link, {"username": "owner", **password}).status_code == 200
    assert colleague.post(link, {"username": "otto", **password}).url == f"/studies/{small.slug}/"
    assert colleague.get(f"/studies/{small.slug}/").status_code == 200
    assert User.objects.get(username="otto").memberships.get().role == "editor"
    again = Client().post(link, {"username": "eve", **password})
    assert again.status_code == 404
    assert "no longer" in again.content.decode()
    assert not User.objects.filter(username="eve").exists()


def test_who_has_an_account_accepts(small: Study) -> None:
    link = invited(at_desk(somebody("owner", small)), small)
    otto = User.objects.create_user("otto")
    assert at_desk(otto).get(link).status_code == 200
    assert not otto.memberships.exists(), "looking is not accepting"
    assert at_desk(otto).post(link).status_code == 302
    assert otto.memberships.get().role == "viewer"


@pytest.mark.parametrize(("had", "gets"), [("viewer", "editor"), ("owner", "owner")])
def test_an_invitation_takes_nothing_away(small: Study, had: str, gets: str) -> None:
    owner, otto = somebody("owner", small), User.objects.create_user("otto")
    Membership.objects.create(study=small, user=otto, role=had, sees_platform_ids=True)
    secret = team.invite(owner, NOON, small, "editor")
    invitation = team.invitation_of(secret, NOON)
    assert invitation
    team.accept(invitation, otto, NOON)
    member = otto.memberships.get()
    assert (member.role, member.sees_platform_ids) == (gets, True)


def test_an_invitation_ends(small: Study) -> None:
    owner = somebody("owner", small)
    secret = team.invite(owner, NOON, small, "viewer")
    days = 24 * 3600 * team.VALID_DAYS
    assert team.invitation_of(secret, later(days - 1))
    assert team.invitation_of(secret, later(days)) is None
    link = invited(at_desk(owner), small)
    newest = Invitation.objects.latest("made_at")
    outsider = at_desk(User.objects.create_user("otto"))
    assert outsider.post(f"/invitations/{newest.pk}/end/").status_code == 404
    assert at_desk(owner).post(f"/invitations/{newest.pk}/end/").status_code == 302
    assert Client().get(link).status_code == 404


def test_the_link_is_stored_nowhere(small: Study) -> None:
    secret = team.invite(somebody("owner", small), NOON, small, "viewer")
    assert secret not in str(list(Invitation.objects.values()))


def test_a_study_keeps_an_owner(small: Study) -> None:
    owner = somebody("owner", small)
    client = at_desk(owner)
    own = f"/studies/{small.slug}/team/owner/"
    for role in ("viewer", ""):
        page = client.post(own, {"role": role}, follow=True).content.decode()
        assert "needs an owner" in page
    Membership.objects.create(study=small, user=User.objects.create_user("rita"), role=Role.OWNER)
    assert client.post(own, {"role": ""}).url == "/studies/"
    assert client.get(f"/studies/{small.slug}/").status_code == 404


def test_who_is_no_owner_leaves_though_nobody_else_is_there(small: Study) -> None:
    viewer = somebody("viewer", small)
    left = at_desk(viewer).post(f"/studies/{small.slug}/team/viewer/", {"role": ""})
    assert left.url == "/studies/"
    assert not small.memberships.exists()


@pytest.mark.parametrize("role", [None, Role.EDITOR])
def test_links_of_somebody_who_is_owner_no_longer_end(small: Study, role: str | None) -> None:
    owner, other = somebody("owner", small), User.objects.create_user("rita")
    Membership.objects.create(study=small, user=other, role=Role.OWNER)
    ended = team.invite(owner, NOON, small, "owner")
    stays = team.invite(other, NOON, small, "viewer")
    team.change(small, owner, role)
    assert team.invitation_of(ended, NOON) is None
    assert team.invitation_of(stays, NOON)


def test_a_viewer_leaves(small: Study) -> None:
    viewer = somebody("viewer", small)
    Membership.objects.create(study=small, user=User.objects.create_user("rita"), role=Role.OWNER)
    assert (
        at_desk(viewer).post(f"/studies/{small.slug}/team/viewer/", {"role": ""}).status_code == 302
    )
    assert not viewer.memberships.exists()


def test_only_who_sees_platforms_ids_lets_others_see_them(small: Study) -> None:
    owner = somebody("owner", small)
    other = User.objects.create_user("other")
    Membership.objects.create(study=small, user=other, role=Role.VIEWER)
    client = at_desk(owner)
    sent = {"note": "Otto", "role": "viewer", "sees_platform_ids": "on"}
    page = client.post(f"/studies/{small.slug}/team/", sent)
    assert "You may not see them yourself" in page.content.decode()
    address = f"/studies/{small.slug}/team/other/"
    assert client.post(address, {"role": "viewer", "sees_platform_ids": "on"}).status_code == 403
    owner.memberships.update(sees_platform_ids=True)
    assert client.post(address, {"role": "viewer", "sees_platform_ids": "on"}).status_code == 302
    assert other.memberships.get().sees_platform_ids


def test_admins_alone_invite_to_the_site(small: Study) -> None:
    assert at_desk(somebody("owner", small)).get("/people/").status_code == 403
    admin = at_desk(User.objects.create_superuser("ada"))
    page = admin.post("/people/", {"note": "Rita"}).content.decode()
    link = re.search(r"http://testserver(/invitation/[\w-]+/)", page)[1]
    password = {"password1": "over-the-rosy-hills", "password2": "over-the-rosy-hills"}
    assert Client().post(link, {"username": "rita", **password}).url == "/studies/"


def test_studies_are_compared_with_those_that_the_whole_team_sees(
    small: Study, django_assert_num_queries: Callable[..., Any]
) -> None:
    other = make_study()
    Study.objects.filter(pk=other.pk).update(collection=small.collection)
    sees = other_studies.seen_by_team_of
    assert other in sees(small), "nobody is of the team"
    owner = somebody("owner", small)
    assert other not in sees(small)
    Membership.objects.create(study=other, user=owner, role=Role.VIEWER)
    assert other in sees(small)
    somebody("viewer", small)
    assert other not in sees(small)
