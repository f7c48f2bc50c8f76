"""People who log in: their browsers and tokens, and what pages say to them."""

import re
from typing import Any

from django.test import Client

from accounts.models import Token, User
from accounts.tokens import make_token
from judging.models import Study


def at_desk(user: User) -> Client:
    """The browser of somebody who has logged in."""
    client = Client()
    client.force_login(user)
    return client


def admin_at_desk(name: str = "rita") -> Client:
    return at_desk(User.objects.create_user(name, is_superuser=True, is_staff=True))


def member(study: Study, role: str = "owner", name: str = "", **rights: bool) -> User:
    """Somebody new in a study's team."""
    user = User.objects.create_user(name or f"the {role}")
    study.memberships.create(user=user, role=role, **rights)
    return user


def desk_of(study: Study, role: str = "owner") -> Client:
    """The browser of somebody new in a study's team."""
    return at_desk(member(study, role))


def post_and_confirm(client: Client, address: str, secure: bool = False, **sent: Any) -> Any:
    """The question before something that cannot be undone, and the answer once it is done."""
    question = client.post(address, sent, secure=secure)
    html = question.content.decode()
    assert question.status_code == 200, html
    inputs = re.findall(r'<input type="hidden" name="(\w+)"(?: value="([^"]*)")?', html)
    hidden = {name: value for name, value in inputs if name != "csrfmiddlewaretoken"}
    done = client.post(address, {"action": sent["action"], **hidden}, secure=secure)
    assert done.status_code == 302
    return html, done


def with_token(user: User, scope: str = Token.Scope.WRITE) -> Client:
    """A client with a new token of somebody."""
    secret = make_token(user, f"to {scope}", scope, days=1)
    return Client(headers={"Authorization": f"Token {secret}"})


class Api:
    """Requests of one person's token: `api("post", "pause/")` is what it answers."""

    def __init__(self, user: User, slug: str = "") -> None:
        self.client, self.slug = with_token(user), slug

    def __call__(
        self, method: str, path: str = "", status: int = 200, /, site: bool = False, **sent: Any
    ) -> Any:
        address = f"/api/v1/{path}" if site else f"/api/v1/studies/{self.slug}/{path}"
        body = None if method == "get" else sent
        response = getattr(self.client, method)(address, body, content_type="application/json")
        assert response.status_code == status, response.content
        return response.json() if response.content else None

    def site(self, method: str, path: str, status: int = 200, /, **sent: Any) -> Any:
        return self(method, path, status, site=True, **sent)

    def faults(
        self, method: str, path: str, /, status: int = 400, site: bool = False, **sent: Any
    ) -> dict[str, str]:
        """Where something is wrong, and what."""
        problem = self(method, path, status, site=site, **sent)
        return {fault["pointer"]: fault["detail"] for fault in problem["faults"]}


def body_of(response: Any) -> bytes:
    """What is sent, at once or in pieces."""
    return b"".join(response)


def words(response: Any) -> str:
    """The text of a page, without tags and with single blanks."""
    return " ".join(re.sub(r"<[^>]+>", " ", response.content.decode()).split())
