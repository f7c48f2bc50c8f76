"""Log-in, redirects and security headers, and which request headers are trusted."""

from ipaddress import ip_network

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.test import Client

from accounts.models import User
from accounts.tokens import make_token
from config.hsts import A_YEAR, validate_steps
from judging.models import Study

pytestmark = pytest.mark.django_db
PASSWORD = "over-the-rosy-hills"
INSIDE, OUTSIDE = "192.0.2.7", "198.51.100.7"


@pytest.fixture
def root():
    return User.objects.create_superuser("root", "root@example.org", PASSWORD)


def test_the_admin_has_no_log_in_of_its_own(root):
    """A right password there would pass by the second factor and by the count of wrong ones."""
    client = Client()
    for address in ("/admin/", "/admin/login/", "/admin/login/?next=/admin/accounts/user/"):
        asked = client.get(address, follow=True)
        assert asked.request["PATH_INFO"] == "/login/"
    sent = {"username": "root", "password": PASSWORD, "this_is_the_login_form": "1"}
    assert client.post("/admin/login/", sent).url.startswith("/login/")
    assert client.get("/admin/").status_code == 302
    back = client.get("/admin/accounts/user/").url
    client.get(back)
    form = {"login": "root", "password": PASSWORD, "next": "/admin/accounts/user/"}
    assert client.post("/login/", form).url == "/admin/accounts/user/"
    assert client.get("/admin/accounts/user/").status_code == 200


def test_who_has_no_right_to_the_admin_is_refused_and_not_led_in_circles():
    client = Client()
    client.force_login(User.objects.create_user("rosa"))
    assert client.get("/admin/", follow=True).status_code == 403


def test_a_made_up_sender_does_not_start_the_count_anew(root, settings):
    settings.TRUSTED_PROXIES = [ip_network("192.0.2.0/24")]
    for number in range(20):
        stranger = Client(REMOTE_ADDR=OUTSIDE, headers={"X-Forwarded-For": f"10.0.0.{number}"})
        stranger.post("/login/", {"login": f"somebody{number}", "password": "wrong"})
    stranger = Client(REMOTE_ADDR=OUTSIDE, headers={"X-Forwarded-For": "10.0.1.1"})
    assert stranger.post("/login/", {"login": "root", "password": PASSWORD}).status_code == 200
    through = Client(REMOTE_ADDR=INSIDE, headers={"X-Forwarded-For": f"1.1.1.1, {OUTSIDE}"})
    assert through.post("/login/", {"login": "root", "password": PASSWORD}).status_code == 200, (
        "the last address is the one that the proxy saw"
    )


@pytest.mark.parametrize("sender", [INSIDE, OUTSIDE])
def test_no_header_says_what_the_site_is_called(sender, settings):
    settings.TRUSTED_PROXIES = [ip_network("192.0.2.0/24")]
    settings.ALLOWED_HOSTS = ["testserver"]
    said = {"X-Forwarded-Host": "evil.example", "Forwarded": "host=evil.example"}
    page = Client(REMOTE_ADDR=sender).get("/admin/", headers=said)
    assert page.url.startswith("/")
    assert Client(REMOTE_ADDR=sender).get("/login/", HTTP_HOST="evil.example").status_code == 400


@pytest.mark.parametrize("next_page", ["https://evil.example/", "//evil.example", "javascript:x"])
def test_the_log_in_leads_to_no_other_site(root, next_page):
    form = {"login": "root", "password": PASSWORD, "next": next_page}
    assert Client().post("/login/", form).url == "/studies/"


def test_every_answer_has_its_policy(client):
    for address in ("/", "/login/", "/no-such-page/", "/api/docs/"):
        answer = client.get(address)
        policy = answer["Content-Security-Policy"]
        assert "script-src 'self';" in f"{policy};"
        assert "unsafe-eval" not in policy
        assert "frame-ancestors 'none'" in policy
        assert answer["X-Frame-Options"] == "DENY"
        assert answer["X-Content-Type-Options"] == "nosniff"
        assert answer["Referrer-Policy"] == "same-origin"


def test_programs_are_not_led_on_with_a_token_that_went_in_the_clear(root, settings):
    settings.SECURE_SSL_REDIRECT = True
    token = {"Authorization": f"Token {make_token(root, 'laptop', 'read', 1)}"}
    for address in ("/api/v1/studies/", "/studies/s/judgments.csv"):
        refused = Client().get(address, headers=token)
        assert refused.status_code == 403
        assert refused["Content-Type"] == "application/problem+json"
        assert "in the clear" in refused.json()["detail"]
        assert "Location" not in refused
    for address in ("/api/v1/no-such-address/", "/hooks/prolific/x/"):
        assert Client().post(address).status_code == 403
    assert Client().get("/api/v1/studies/", headers=token, secure=True).status_code == 200
    for address in ("/login/", "/api/docs/"):
        assert Client().get(address).url == f"https://testserver{address}"


def test_static_files_have_it_too(client):
    answer = client.get("/static/img/icon.svg")
    assert b"".join(answer)
    assert "default-src 'none'" in answer["Content-Security-Policy"]
    assert answer["X-Content-Type-Options"] == "nosniff"


def test_hsts_comes_in_steps():
    validate_steps(3600, subdomains=False, preload=False)
    validate_steps(A_YEAR, subdomains=True, preload=True)
    for seconds, subdomains in ((3600, True), (A_YEAR, False)):
        with pytest.raises(ImproperlyConfigured, match="HSTS_PRELOAD"):
            validate_steps(seconds, subdomains=subdomains, preload=True)


@pytest.mark.parametrize(
    "address", ["/healthz", "/readyz", "/health/", "/login/", "/api/schema/", "/api/docs/"]
)
def test_what_everybody_may_ask_tells_nothing_of_a_study(study, address):
    planted = {"slug": "pl4nted-slug", "title": "pl4nted title", "contact": "pl4nted@example.org"}
    Study.objects.filter(pk=study.pk).update(**planted)
    page = Client().get(address)
    assert page.status_code < 400 or address in ("/readyz", "/health/")
    assert b"pl4nted" not in page.content
