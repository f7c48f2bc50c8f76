"""People who log in, and their tokens."""

import io

import pytest
from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.management import CommandError, call_command
from rest_framework.authtoken.models import Token

from accounts.models import User

pytestmark = pytest.mark.django_db


def token_of(name: str) -> str:
    printed = io.StringIO()
    call_command("create_token", name, stdout=printed)
    return printed.getvalue().strip()


def test_the_user_model_is_ours():
    assert get_user_model() is User
    assert settings.AUTH_USER_MODEL == "accounts.User"


def test_a_new_token_replaces_the_old_one():
    rita = User.objects.create_user("rita", is_staff=True)
    first, second = token_of("rita"), token_of("rita")
    assert first != second
    assert Token.objects.get(user=rita).key == second


@pytest.mark.parametrize(("name", "reason"), [("otto", "not staff"), ("nobody", "no user")])
def test_who_gets_no_token(name, reason):
    User.objects.create_user("otto")
    with pytest.raises(CommandError, match=reason):
        token_of(name)


def test_users_are_in_the_admin(admin_client):
    assert admin_client.get("/admin/accounts/user/").status_code == 200
