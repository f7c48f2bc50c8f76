"""What a request may bring, and what is believed of it."""

from ipaddress import ip_network

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from web.middleware.limits import max_body_bytes

TOKEN = "t" * 32  # anybody can make one up
FORM = "application/x-www-form-urlencoded"


@pytest.fixture
def stranger():
    """Somebody with a cookie of their own making, as forms ask for."""
    client = Client(enforce_csrf_checks=True)
    client.cookies["csrftoken"] = TOKEN
    return client


def test_the_longest_beginning_of_an_address_counts():
    admin = max_body_bytes("/admin/judging/study/1/change/", authorization="Bearer x")
    assert admin > max_body_bytes("/administrator/", authorization="Bearer x")
    for path in ("/study/demo/1/", "/login/", "/api/v1/"):
        assert max_body_bytes(path) == 65536


@pytest.mark.parametrize("address", settings.BODY_LIMITS)
def test_nowhere_may_a_stranger_send_more_than_64_kib(address):
    strange = max_body_bytes(address), max_body_bytes(address, cookies="csrftoken=x; display=large")
    assert max(strange) <= 65536
    session = f"display=large; {settings.SESSION_COOKIE_NAME}=x"
    assert max_body_bytes(address, cookies=session) == settings.BODY_LIMITS[address]


@pytest.mark.parametrize("address", ["/study/demo/", "/login/"])
def test_a_body_too_long_is_refused_in_words(stranger, address):
    answer = stranger.post(address, "a" * 70_000, content_type=FORM)
    assert answer.status_code == 413
    assert "more than 64.0\xa0KB" in answer.content.decode()


def test_a_body_too_long_is_a_problem_of_the_api(stranger):
    answer = stranger.post("/api/v1/studies/", "a" * 70_000, content_type="application/json")
    assert answer.status_code == 413
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert answer.json()["title"] == "Content too large"


def test_no_form_takes_files(stranger, settings, tmp_path):
    settings.FILE_UPLOAD_TEMP_DIR = str(tmp_path)
    settings.FILE_UPLOAD_MAX_MEMORY_SIZE = 0  # any file would go to the folder
    file = SimpleUploadedFile("a.txt", b"text")
    for path in ("/login/", "/admin/login/"):
        answer = stranger.post(path, {"file": file, "csrfmiddlewaretoken": TOKEN})
        assert answer.status_code == 400
    assert list(tmp_path.iterdir()) == []


@pytest.mark.django_db
def test_only_a_named_proxy_says_that_it_is_https(settings):
    settings.SECURE_SSL_REDIRECT = True
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    settings.TRUSTED_PROXIES = [ip_network("192.0.2.0/24")]
    statuses = [
        Client(REMOTE_ADDR=address).get("/login/", headers={"X-Forwarded-Proto": "https"})
        for address in ("192.0.2.7", "198.51.100.7", "")
    ]
    assert [answer.status_code for answer in statuses] == [200, 301, 301]


@pytest.mark.parametrize(
    ("cookies", "fault"),
    [({}, "does not accept cookies"), ({"csrftoken": TOKEN}, "too old, or not from here")],
)
def test_a_form_that_is_refused_says_what_may_be_wrong(cookies, fault):
    client = Client(enforce_csrf_checks=True)
    client.cookies.load(cookies)
    answer = client.post("/login/", {"csrfmiddlewaretoken": "u" * 32})
    assert answer.status_code == 403
    assert fault in " ".join(answer.content.decode().split())
