"""The admin: an action is for who may change its rows, and nobody acts on who may do more."""

import re

import pytest
from allauth.mfa.models import Authenticator
from django.contrib import admin
from django.contrib.auth.models import Permission
from django.contrib.sessions.models import Session
from django.test import Client, RequestFactory
from django.urls import reverse

from accounts.models import User
from judging.models import Assignment
from tests.cast import ada
from tests.desks import at_desk
from tests.factory import make_study

pytestmark = pytest.mark.django_db
LINK = re.compile(r"/password/\w+-[\w-]+/")


def staff(name: str, *codenames: str) -> User:
    user = User.objects.create_user(name, password="x", is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename__in=codenames))
    return user


def act(client: Client, model: str, action: str, *keys: int) -> str:
    """What the page says after an action on some rows."""
    answer = client.post(
        reverse(f"admin:{model}_changelist"),
        {"action": action, "_selected_action": keys},
        follow=True,
    )
    return answer.content.decode()


@pytest.fixture(autouse=True)
def _no_second_factor(settings):
    settings.SECOND_FACTOR = "nobody"


@pytest.mark.parametrize("registered", admin.site._registry.values(), ids=str)
def test_who_may_only_look_has_no_action(registered):
    model = registered.model._meta
    request = RequestFactory().get("/")
    request.user = staff("viewer", f"view_{model.model_name}")
    assert registered.has_view_permission(request)
    assert registered.get_actions(request) == {}


def test_a_viewer_gets_no_link_and_logs_nobody_out(admin_user):
    viewer = at_desk(staff("viewer", "view_user"))
    at_desk(admin_user)
    before = Session.objects.count()
    assert not LINK.search(act(viewer, "accounts_user", "password_link", admin_user.pk))
    act(viewer, "accounts_user", "log_out", admin_user.pk)
    assert Session.objects.count() == before


def test_a_viewer_withdraws_nothing():
    person = ada(make_study()).complete()
    completed = Assignment.objects.get(state="completed")
    viewer = at_desk(staff("viewer", "view_assignment"))
    act(viewer, "judging_assignment", "withdraw", completed.pk)
    assert completed.judgments.count() == 8, person
    editor = at_desk(staff("editor", "view_assignment", "change_assignment"))
    act(editor, "judging_assignment", "withdraw", completed.pk)
    assert completed.judgments.count() == 0


@pytest.mark.parametrize("more", ["superuser", "permission", "inactive superuser"])
def test_nobody_acts_on_somebody_with_more_rights(more):
    keeper = staff("keeper", "view_user", "change_user", "delete_user")
    other = staff("other", *(["change_study"] if more == "permission" else []))
    User.objects.filter(pk=other.pk).update(
        is_superuser="superuser" in more, is_active=more != "inactive superuser"
    )
    client = at_desk(keeper)
    at_desk(other)
    before = Session.objects.count()
    assert not LINK.search(act(client, "accounts_user", "password_link", other.pk))
    act(client, "accounts_user", "log_out", other.pk)
    assert Session.objects.count() == before
    form = reverse("admin:auth_user_password_change", args=[other.pk])
    assert client.get(form).status_code == 403
    page = reverse("admin:accounts_user_change", args=[other.pk])
    assert client.post(page, {"username": "mine"}).status_code == 403
    assert client.post(page.replace("change", "delete"), {"post": "yes"}).status_code == 403


def test_somebody_with_the_same_rights_or_fewer_gets_a_link():
    keeper = staff("keeper", "view_user", "change_user")
    page = act(at_desk(keeper), "accounts_user", "password_link", staff("other", "view_user").pk)
    assert LINK.search(page)


def test_nobody_gives_themselves_rights():
    keeper = staff("keeper", "view_user", "change_user")
    client, page = at_desk(keeper), reverse("admin:accounts_user_change", args=[keeper.pk])
    form = client.get(page).context["adminform"].form
    typed = {name: form[name].value() or "" for name in form.fields if name != "password"}
    typed |= {"last_login_0": "", "last_login_1": "", "is_superuser": "on"}
    typed |= {"date_joined_0": "2026-01-01", "date_joined_1": "12:00:00", "user_permissions": [1]}
    assert client.post(page, typed).status_code == 302
    keeper.refresh_from_db()
    assert not keeper.is_superuser
    assert keeper.user_permissions.count() == 2


def test_a_lost_second_factor_is_deleted_and_nobody_reads_it_or_sets_it_up_for_another(admin_user):
    helper = staff("helper", "view_authenticator", "delete_authenticator")
    theirs, own = (
        Authenticator.objects.create(user=user, type="totp", data={"secret": "JBSWY3DPEHPK3PXP"})
        for user in (admin_user, helper)
    )
    desk, address = at_desk(helper), "/admin/mfa/authenticator/"
    seen = desk.get(f"{address}{theirs.pk}/change/")
    assert seen.status_code == 200
    assert "JBSWY3DPEHPK3PXP" not in seen.content.decode()
    assert desk.get(f"{address}add/").status_code == 403
    assert at_desk(admin_user).get(f"{address}add/").status_code == 403
    assert desk.post(f"{address}{theirs.pk}/delete/", {"post": "yes"}).status_code == 403
    assert desk.post(f"{address}{own.pk}/delete/", {"post": "yes"}).status_code == 302
    assert [*Authenticator.objects.all()] == [theirs]
