"""Who sees and may do what of a study, address by address; and how teams change."""

import re
from typing import Any

import pytest
from django.db import transaction
from django.test import Client
from django.urls import get_resolver, resolve
from django.utils.html import escape

from accounts.models import Token, User
from evaluation.pipeline import evaluate
from evaluation.publishing.exports import EXPORTS, lines
from evaluation.study import other_studies
from judging.flow.admission import Arrival
from judging.models import Invitation, Membership, Role, Study
from judging.pages import identity
from judging.platforms.prolific import PROLIFIC as PROLIFIC_PLATFORM
from judging.studies import team
from tests.api.conftest import description
from tests.desks import at_desk as desk_of
from tests.desks import body_of, with_token
from tests.factory import NOON, later, make_study
from tests.factory.completed import EXTERNAL_ID, PLATFORM_IDS, complete
from tests.factory.runs import add_runs

OF_STUDY = (
    *("", "progress/", "units/", "judgments/", "failures/", "completions/", "pay/", "payments/"),
    *("qrels/", "crowdkit/", "rankings/", "analyses/", "files/", "files/table1.csv"),
    *("signals/", "links/", "random-givers/"),
)
FILES = [f"{table}.{written}" for table, export in EXPORTS.items() for written in export.formats]
SETUP_PAGES = (
    *("", "topics/", "pool/", "pool/401/", "anchors/", "anchors/401/", "questions/"),
    *("questions/401/", "settings/", "recruiting/", "consent/", "study.toml", "file/", "cost/"),
    *("preview/", "preview/welcome/", "rehearsal/"),
)
PAGES = (
    *("", "monitor/", "monitor/workers/", "monitor/exclusions/", "ranking.svg", "ranking.pdf"),
    *("recruit/", "recruit/batches/", "recruit/pay/", "recruit/prolific/"),
    *("share/files/", "share/release/", "share/team/", "share/study/", "share/study/clone/"),
    *(f"set-up/{path}" for path in SETUP_PAGES),
    *("systems/", "systems/bm25/", "systems/bm25/against/dirichlet/"),
    *("systems/bm25/topics/401/", "topics/", "topics/401/", "topics/401/documents/D401-003/"),
    *(
        "differences/401/D401-003/",
        "replication/",
        "method/",
        "method/rankings/",
        "share/report/",
        *FILES,
    ),
)
# What may stand in the routes of pages, by name.
IN_ROUTES = {
    "analysis": "order",
    "doc_id": "D401-003",
    "file_format": "csv",
    "key": "1",
    "name": "order",
    "other": "dirichlet",
    "part": "order",
    "pseudonym": "first",
    "query_id": "401",
    "rest": "order/",
    "run": "bm25",
    "section": "scores",
    "table": "rankings",
    "username": "owner",
}
TEAM = ("owner", "editor", "viewer")
OUTSIDE = ("of another study", "staff without rights")
FORM_TOKEN = re.compile(r'(?<=name="csrfmiddlewaretoken" value=")\w+')  # another on each page
PASSWORD = "over-the-rosy-hills"
NEW_PASSWORD = {"password1": PASSWORD, "password2": PASSWORD}


def addresses(study: Study) -> list[str]:
    """All of the API that has data."""
    below = [f"/api/v1/studies/{study.slug}/{path}" for path in OF_STUDY]
    return ["/api/v1/collections/", "/api/v1/studies/", *below]


def pages(study: Study) -> list[str]:
    below = [f"/studies/{study.slug}/{path}" for path in PAGES]
    return ["/studies/", f"/uploads/run/{study.slug}/", *below]


def somebody(role: str, study: Study) -> User:
    """Somebody by what they are to a study."""
    user = User.objects.create_user(role, is_staff=role == "staff without rights")
    if role in TEAM:
        Membership.objects.create(study=study, user=user, role=role)
    elif role == "of another study":
        Membership.objects.create(study=make_study(), user=user, role=Role.OWNER)
    return user


@pytest.fixture(scope="module")
def made(for_all):
    """One unit of it is completed, so that its two systems are ranked."""
    study, lists = make_study(), {"401": [("D401-000", 1.0)]}
    add_runs(study, dict.fromkeys(("bm25", "dirichlet"), lists))
    complete(study, "first")
    evaluate(study)
    return study


@pytest.fixture
def small(made, db):
    return Study.objects.get(pk=made.pk)


def statuses(client: Client, wanted: list[str]) -> dict[str, int]:
    return {address: client.get(address).status_code for address in wanted}


def expected(study: Study, wanted: list[str], status: int) -> dict[str, int]:
    """This status for all that is of the study; lists are there for everybody."""
    of_study = {address: status for address in wanted if f"/{study.slug}/" in address}
    return dict.fromkeys(wanted, 200) | of_study


# --- admins, strangers and workers ----------------------------------------------------------------
def test_an_admin_opens_everything_by_token_and_by_log_in(researcher, at_desk, small):
    for client, wanted in ((researcher, addresses(small)), (at_desk, pages(small))):
        assert statuses(client, wanted) == dict.fromkeys(wanted, 200)
    assert at_desk.get(f"/api/v1/studies/{small.slug}/").status_code == 200


def test_without_a_token_that_is_known_the_answer_is_401(small):
    for number, address in enumerate(addresses(small)):
        client = Client(REMOTE_ADDR=f"10.0.0.{number}")
        for method in ("get", "head", "options", "post"):
            assert getattr(client, method)(address).status_code == 401, address
    for given in ("", "Token nonsense", "Token", "Token a b", "Bearer x"):
        response = Client(headers={"Authorization": given} if given else {}).get(address)
        assert response.status_code == 401
        assert response["WWW-Authenticate"] == (given.split() or ["Token"])[0]
        assert response["Content-Type"] == "application/problem+json"
        assert small.slug not in response.content.decode()


@pytest.mark.parametrize("who", ["stranger", "outsider"])
@pytest.mark.parametrize("address", ["/api/v1/studies/{}/rankings/", "/studies/{}/"])
def test_a_stranger_does_not_learn_which_studies_there_are(request, who, address, small):
    """Neither without an account nor with one."""
    client = request.getfixturevalue(who)
    there, not_there = (client.get(address.format(slug)) for slug in (small.slug, "nowhere"))
    assert there.status_code == not_there.status_code
    assert there.content == not_there.content
    assert there.get("Location", "").replace(small.slug, "nowhere") == not_there.get("Location", "")


def routes(resolver=None, before: str = ""):
    """The whole route of every address of the site."""
    for pattern in (resolver or get_resolver()).url_patterns:
        route = before + str(pattern.pattern)
        yield from routes(pattern, route) if hasattr(pattern, "url_patterns") else [route]


@pytest.mark.parametrize("who", ["stranger", "outsider"])
def test_every_page_of_a_study_answers_others_as_if_there_were_none(request, who, small):
    client = request.getfixturevalue(who)
    of_studies = [route for route in routes() if route.startswith("studies/<slug:slug>/")]
    assert len(of_studies) > 60
    for route in of_studies:
        address = "/" + re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", route)
        there = address.format(slug=small.slug, **IN_ROUTES)
        nowhere = address.format(slug="nowhere", **IN_ROUTES)
        assert resolve(there).route == route
        for method in (client.get, client.post):
            answer, wanted = method(there), method(nowhere)
            assert answer.status_code == wanted.status_code, there
            assert answer.status_code in (302, 404, 405), there
            leads_to = answer.get("Location", "").replace(small.slug, "nowhere")
            assert leads_to == wanted.get("Location", ""), there


def test_a_token_ends_with_its_user_s_rights(researcher, small):
    address = f"/api/v1/studies/{small.slug}/"
    User.objects.update(is_superuser=False)
    assert researcher.get(address).status_code == 404
    User.objects.update(is_superuser=True, is_active=False)
    assert researcher.get(address).status_code == 401
    User.objects.update(is_active=True)
    Token.objects.all().delete()
    assert researcher.get(address).status_code == 401


def test_a_worker_sees_none_of_it(study):
    client = Client()
    cookie = identity.signed_cookie(study.pk, Arrival("eve"))
    client.cookies[identity.cookie_name(study.pk)] = cookie
    page = client.get(f"/study/{study.slug}/", follow=True).content
    assert b'data-position="1"' in page
    for address in addresses(study):
        assert client.get(address).status_code == 401, address
    for address in pages(study):
        assert client.get(address).url == f"/login/?next={address}"


def test_pages_lead_a_stranger_to_the_log_in_and_back(stranger, small):
    User.objects.create_user("rosa", password=PASSWORD, is_superuser=True)
    address = f"/studies/{small.slug}/monitor/"
    assert stranger.get(address).url == f"/login/?next={address}"
    form = {"login": "rosa", "password": PASSWORD, "next": address}
    assert stranger.post("/login/", form).url == address
    assert stranger.get(address).status_code == 200


def test_results_cannot_be_changed(researcher, small):
    made = ("/api/v1/studies/", f"/api/v1/studies/{small.slug}/")
    for address in [address for address in addresses(small) if address not in made]:
        for method in ("post", "put", "patch", "delete"):
            response = getattr(researcher, method)(address)
            assert response.status_code == 405, address
            assert "GET" in response["Allow"]


def test_ids_of_platforms_appear_where_people_are_paid_only(researcher, at_desk, study):
    secrets = re.compile("|".join([EXTERNAL_ID, *PLATFORM_IDS.values(), "PROLIFIC|SESSION_ID"]))
    # The link to enter on Prolific, which puts the ids there.
    link = escape(PROLIFIC_PLATFORM.query)
    bodies = {
        address: body_of(client.get(address)).decode(errors="replace")
        for client, given in ((researcher, addresses(study)), (at_desk, pages(study)))
        for address in given
    }
    assert link in bodies[f"/studies/{study.slug}/set-up/recruiting/"]
    found = [address for address, body in bodies.items() if secrets.search(body.replace(link, ""))]
    below = f"/api/v1/studies/{study.slug}/"
    assert found == [
        f"{below}completions/",
        f"{below}payments/",
        f"/studies/{study.slug}/recruit/pay/",
    ]
    for table, export in EXPORTS.items():
        for written in export.formats:
            assert not secrets.search("".join(lines(study, table, written)))


# --- the team -------------------------------------------------------------------------------------
@pytest.mark.parametrize("role", TEAM)
def test_all_of_the_team_see_everything_but_platforms_ids(small, role):
    user = somebody(role, small)
    completions = f"/api/v1/studies/{small.slug}/completions/"
    wanted = [*addresses(small), *pages(small), f"/studies/{small.slug}/share/team/"]
    assert statuses(desk_of(user), wanted) == expected(small, wanted, 200) | {completions: 403}
    user.memberships.update(sees_platform_ids=True)
    assert desk_of(user).get(completions).status_code == 200


@pytest.mark.parametrize("role", OUTSIDE)
def test_for_others_the_study_does_not_exist(small, role):
    client = desk_of(somebody(role, small))
    wanted = [*addresses(small), *pages(small), f"/studies/{small.slug}/share/team/"]
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


# Who may ask for what of a study by REST, and change it.
ALL, EDIT, OWN = TEAM, TEAM[:2], TEAM[:1]
PROLIFIC = (
    *("approve", "bonuses", "create", "events", "limit", "pause", "places", "publish"),
    *("reject", "resume", "return", "settle-bonuses", "stop"),
)


def each(*paths: str, **methods: tuple[str, ...]) -> dict[str, dict[str, tuple[str, ...]]]:
    return dict.fromkeys(paths, methods)


MAY = {
    **each("", get=ALL, patch=EDIT, delete=OWN),
    **each(
        *("analyses/", "analyses/{name}/", "analyses/{name}/{part}/", "costs/", "crowdkit/"),
        *("entry/", "failures/", "files/", "files/{table}.{file_format}", "hanging/"),
        *("judgments/", "links/", "missing/", "monitor/", "pay/", "payments/", "pool-depths/"),
        *("progress/", "prolific/", "prolific/submissions/", "qrels/", "random-givers/"),
        *("rankings/", "report.zip", "signals/", "team/", "topics/{query_id}/proposals/"),
        *("units/", "warnings/"),
        get=ALL,
    ),
    **each("completions/", "personal-links/", get=()),  # those who may see platforms' ids
    **each("participants/", get=(), post=EDIT, delete=EDIT),
    **each("clone/", "dropped-run/", post=ALL),
    **each("report/", get=ALL, post=ALL),
    **each("batches/", "exclusions/", "forecast/", "open/", get=ALL, post=EDIT),
    **each("rehearsals/", "verdicts/", get=ALL, post=EDIT),
    **each("plan/", get=ALL, post=EDIT, delete=EDIT),
    **each("config/", "excluded-studies/", get=ALL, put=EDIT),
    **each("topics/", get=ALL, put=EDIT, patch=EDIT),
    **each("topics/{query_id}/", patch=EDIT),
    **each("exclusions/{pseudonym}/", "rehearsals/{name}/", delete=EDIT),
    **each(
        *("alerts/secret/", "archive/", "close/", "count-judgments/", "draw-topics/"),
        "participants/remove/",
        *("pause/", "raise-payment/", "release/", "release-unit/", "resume/", "take-anchors/"),
        *("topics/{query_id}/accept-anchors/", "unarchive/", "withdraw/"),
        post=EDIT,
    ),
    **each("alerts/", get=EDIT, patch=EDIT),
    **each("alerts/feed/", post=EDIT, delete=EDIT),
    **each(
        *("approve-payments/", "archive-file/", "mark-paid/", "owe-again/", "refuse-payment/"),
        *("rename/", *(f"prolific/{act}/" for act in PROLIFIC)),
        post=OWN,
    ),
    **each("model-runs/", get=ALL, post=EDIT),
    **each("model-run/", "model-run/conversations/", get=ALL),
    **each(*(f"model-run/{verb}/" for verb in ("change", "pause", "start")), post=EDIT),
    **each("model-run/stop/", post=OWN),
    **each("published/", get=ALL, post=OWN),
    **each("published/withdraw/", post=OWN),
    **each("invitations/", "prolific/connect/", get=OWN, post=OWN),
    **each("team/{username}/", patch=OWN, delete=OWN),
    **each("trail/", get=OWN),
}
# Nobody has judged, asked for an analysis, a forecast or a report, nor rehearsed; there is no
# endpoint of language models.
NOTHING_YET = {
    "analyses/{name}/": 202,
    **dict.fromkeys(("analyses/{name}/{part}/", "forecast/", "plan/", "prolific/"), 404),
    **dict.fromkeys(("rehearsals/{name}/", "report.zip", "report/"), 404),
    **{path: 404 for path in MAY if path.startswith("model-run")},
}
PLACES = {
    "name": "spread",
    "part": "ratios",
    "pseudonym": "ada",
    "username": "other",
    "query_id": "401",
    "run": "bm25",
    "table": "table1",
    "file_format": "csv",
}


def test_the_table_has_every_address_of_a_study(small):
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
def test_who_may_do_what_by_rest(small, role, scope):
    small.memberships.create(user=User.objects.create_user("other"), role=Role.VIEWER)
    small.workers.create(pseudonym="ada")
    client = Client() if role == "anonymous" else with_token(somebody(role, small), scope)

    def status_of(method, path):
        address = f"/api/v1/studies/{small.slug}/{path.format(**PLACES)}"
        with transaction.atomic():
            answer = getattr(client, method)(address, content_type="application/json")
            transaction.set_rollback(True)
        return int(answer.status_code)

    for path, methods in MAY.items():
        for method, roles in methods.items():
            status = status_of(method, path)
            if role == "anonymous":
                assert status == 401, (method, path)
            elif scope == "read" and method != "get":
                assert status == 403, (method, path)
            elif role in OUTSIDE:
                assert status == 404, (method, path)
            elif role in roles:
                nothing_yet = {NOTHING_YET[path]} if path in NOTHING_YET else set()
                done = {200} if method == "get" else {200, 201, 202, 204, 400, 409}
                assert status in done | nothing_yet, (method, path)
            else:
                assert status == 403, (method, path)


# What is sent to a page, and how an owner and an editor are answered.
CHANGES: dict[str, tuple[dict[str, Any], int, int]] = {
    "set-up/rehearsal/": ({"topics": "401", "units": "1"}, 302, 302),
    "share/release/": ({}, 200, 200),
    "share/archive/": ({}, 200, 403),
    "share/page/": ({}, 200, 403),
    "share/release/free-texts/": ({"free": "yes"}, 403, 403),
    "share/team/": ({"note": "Otto", "role": "viewer"}, 200, 403),
    "share/team/other/": ({"role": "editor"}, 302, 403),
    "differences/401/D401-001/": ({"finding": "labels"}, 302, 302),
    "recruit/": ({"action": "pause"}, 302, 302),
    "recruit/models/": ({"model": "m"}, 404, 404),  # the site has no endpoint
    "set-up/cost/": ({"replications": 20}, 302, 302),
    "recruit/prolific/": (
        {"action": "limit", "spending_limit": "5"},
        422,
        403,
    ),  # it is not connected
}
# The forms of making a study, which answer with a page, and its verbs, which lead back.
MAKING = {
    **dict.fromkeys(("topics/", "pool/", "pool/401/", "anchors/", "anchors/401/"), 200),
    **dict.fromkeys(("questions/", "questions/401/", "settings/", "recruiting/"), 200),
    **dict.fromkeys(("consent/", "file/"), 200),
    "open/": 422,  # its terms are not confirmed
    **dict.fromkeys(("entry/", "participants/", "earlier/"), 200),
    **dict.fromkeys(("take-anchors/", "plan-units/", "discard-plan/", "as-in-paper/"), 302),
}
OWNERS_ALONE = ("share/study/name/", "share/study/delete/")
# Who is neither owner nor editor.
REFUSED = {"viewer": 403, **dict.fromkeys(OUTSIDE, 404)}


@pytest.mark.parametrize("role", [*TEAM, *OUTSIDE])
def test_who_may_change_what(small, role):
    client = desk_of(somebody(role, small))
    other = User.objects.create_user("other")
    Membership.objects.create(study=small, user=other, role=Role.VIEWER)
    for path, (sent, *answers) in CHANGES.items():
        status = REFUSED.get(role) or answers[TEAM.index(role)]
        assert client.post(f"/studies/{small.slug}/{path}", sent).status_code == status, path
    trail = {"owner": 200, "editor": 403}.get(role) or REFUSED[role]
    assert client.get(f"/studies/{small.slug}/share/trail/").status_code == trail
    assert Invitation.objects.count() == (1 if role == "owner" else 0)
    assert other.memberships.get().role == ("editor" if role == "owner" else "viewer")


@pytest.mark.parametrize("role", [*TEAM, *OUTSIDE])
def test_who_may_make(small, role):
    client = desk_of(somebody(role, small))
    wanted = {f"set-up/{path}": REFUSED.get(role, status) for path, status in MAKING.items()}
    wanted |= dict.fromkeys(OWNERS_ALONE, {"owner": 200, "editor": 403}.get(role) or REFUSED[role])
    address = f"/studies/{small.slug}/"
    assert {path: client.post(address + path).status_code for path in wanted} == wanted
    assert Study.objects.get(pk=small.pk).version == small.version
    asked = client.get(f"{address}set-up/open/")
    assert asked.status_code == (404 if role in OUTSIDE else 302)
    assert asked.get("Location", f"{address}set-up/") == f"{address}set-up/"


@pytest.mark.parametrize(
    ("role", "status"),
    [("owner", 200), ("editor", 200), ("viewer", 403), *((role, 404) for role in OUTSIDE)],
)
def test_personal_links_are_for_editors_who_see_ids(small, role, status):
    user = somebody(role, small)
    address = f"/studies/{small.slug}/set-up/recruiting/links.csv"
    assert desk_of(user).get(address).status_code == max(status, 403)
    user.memberships.update(sees_platform_ids=True)
    assert desk_of(user).get(address).status_code == status


def invited(client: Client, study: Study, **sent: str) -> str:
    """The link of a new invitation."""
    page = client.post(
        f"/studies/{study.slug}/share/team/", {"note": "Otto", "role": "viewer", **sent}
    )
    return re.search(r"http://testserver(/invitation/[\w-]+/)", page.content.decode())[1]


def test_a_colleague_comes_by_a_link_and_makes_an_account(small):
    link = invited(desk_of(somebody("owner", small)), small, role="editor")
    colleague = Client()
    assert colleague.post(link, {"username": "owner", **NEW_PASSWORD}).status_code == 200
    made = colleague.post(link, {"username": "otto", **NEW_PASSWORD})
    assert made.url == f"/studies/{small.slug}/monitor/"
    assert colleague.get(f"/studies/{small.slug}/").status_code == 200
    assert User.objects.get(username="otto").memberships.get().role == "editor"
    again = Client().post(link, {"username": "eve", **NEW_PASSWORD})
    assert again.status_code == 404
    assert "no longer" in again.content.decode()
    assert not User.objects.filter(username="eve").exists()


def test_who_has_an_account_accepts(small):
    link = invited(desk_of(somebody("owner", small)), small)
    otto = User.objects.create_user("otto")
    assert desk_of(otto).get(link).status_code == 200
    assert not otto.memberships.exists(), "looking is not accepting"
    assert desk_of(otto).post(link).status_code == 302
    assert otto.memberships.get().role == "viewer"


@pytest.mark.parametrize(("had", "gets"), [("viewer", "editor"), ("owner", "owner")])
def test_an_invitation_takes_nothing_away(small, had, gets):
    owner, otto = somebody("owner", small), User.objects.create_user("otto")
    Membership.objects.create(study=small, user=otto, role=had, sees_platform_ids=True)
    secret = team.invite(owner, NOON, small, "editor")
    team.accept(team.invitation_of(secret, NOON), otto, NOON)
    member = otto.memberships.get()
    assert (member.role, member.sees_platform_ids) == (gets, True)


def test_an_invitation_ends_and_its_link_is_stored_nowhere(small):
    owner = somebody("owner", small)
    secret = team.invite(owner, NOON, small, "viewer")
    assert secret not in str(list(Invitation.objects.values()))
    days = 24 * 3600 * team.VALID_DAYS
    assert team.invitation_of(secret, later(days - 1))
    assert team.invitation_of(secret, later(days)) is None
    link = invited(desk_of(owner), small)
    newest = Invitation.objects.latest("made_at")
    outsider = desk_of(User.objects.create_user("otto"))
    assert outsider.post(f"/invitations/{newest.pk}/end/").status_code == 404
    assert desk_of(owner).post(f"/invitations/{newest.pk}/end/").status_code == 302
    assert Client().get(link).status_code == 404


def test_a_study_keeps_an_owner(small):
    owner = somebody("owner", small)
    client = desk_of(owner)
    own = f"/studies/{small.slug}/share/team/owner/"
    for role in ("viewer", ""):
        page = client.post(own, {"role": role}, follow=True).content.decode()
        assert "needs an owner" in page
    Membership.objects.create(study=small, user=User.objects.create_user("rita"), role=Role.OWNER)
    assert client.post(own, {"role": ""}).url == "/studies/"
    assert client.get(f"/studies/{small.slug}/").status_code == 404


def test_who_is_no_owner_leaves_though_nobody_else_is_there(small):
    viewer = somebody("viewer", small)
    left = desk_of(viewer).post(f"/studies/{small.slug}/share/team/viewer/", {"role": ""})
    assert left.url == "/studies/"
    assert not small.memberships.exists()


@pytest.mark.parametrize("role", [None, Role.EDITOR])
def test_links_of_somebody_who_is_owner_no_longer_end(small, role):
    owner, other = somebody("owner", small), User.objects.create_user("rita")
    Membership.objects.create(study=small, user=other, role=Role.OWNER)
    ended = team.invite(owner, NOON, small, "owner")
    stays = team.invite(other, NOON, small, "viewer")
    team.change(small, owner, role)
    assert team.invitation_of(ended, NOON) is None
    assert team.invitation_of(stays, NOON)


def test_only_who_sees_platforms_ids_lets_others_see_them(small):
    owner = somebody("owner", small)
    other = User.objects.create_user("other")
    Membership.objects.create(study=small, user=other, role=Role.VIEWER)
    client = desk_of(owner)
    sent = {"note": "Otto", "role": "viewer", "sees_platform_ids": "on"}
    page = client.post(f"/studies/{small.slug}/share/team/", sent)
    assert "You may not see them yourself" in page.content.decode()
    address = f"/studies/{small.slug}/share/team/other/"
    assert client.post(address, {"role": "viewer", "sees_platform_ids": "on"}).status_code == 403
    owner.memberships.update(sees_platform_ids=True)
    assert client.post(address, {"role": "viewer", "sees_platform_ids": "on"}).status_code == 302
    assert other.memberships.get().sees_platform_ids


def test_admins_alone_invite_to_the_site(small):
    assert desk_of(somebody("owner", small)).get("/people/").status_code == 403
    admin = desk_of(User.objects.create_superuser("ada"))
    page = admin.post("/people/", {"note": "Rita"}).content.decode()
    link = re.search(r"http://testserver(/invitation/[\w-]+/)", page)[1]
    assert Client().post(link, {"username": "rita", **NEW_PASSWORD}).url == "/studies/"


def test_studies_are_compared_with_those_that_the_whole_team_sees(small):
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
