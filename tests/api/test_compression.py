"""Data are sent compressed to whoever accepts it, and are the same."""

import gzip
from typing import Any

import pytest
from django.test import Client

from accounts.models import User
from judging.models import Study
from tests.api.conftest import with_token

pytestmark = pytest.mark.django_db
ACCEPTS = {"headers": {"Accept-Encoding": "gzip, deflate"}}
PATHS = [
    "/api/v1/studies/",
    "/api/v1/studies/{}/judgments/",
    "/api/v1/studies/{}/monitor/",
    "/api/v1/studies/{}/qrels/",
    "/api/v1/studies/{}/qrels/?file_format=jsonl",
    "/api/v1/studies/{}/rankings/",
    "/api/v1/studies/{}/config/?file_format=toml",
    "/api/v1/studies/{}/files/judgments.csv",
    "/api/v1/studies/{}/files/judgments.jsonl",
    "/api/v1/studies/{}/files/qrels.trec",
    "/studies/{}/judgments.csv",
]
CONDITIONAL = ["/api/v1/studies/{}/qrels/", "/api/v1/studies/{}/rankings/", PATHS[-2]]


def content(response: Any) -> bytes:
    return b"".join(response) if response.streaming else response.content


@pytest.mark.parametrize("path", PATHS)
def test_what_is_unpacked_is_what_others_get(researcher: Client, study: Study, path: str) -> None:
    address = path.format(study.slug)
    plain, packed = researcher.get(address), researcher.get(address, **ACCEPTS)
    assert (plain.status_code, packed.status_code) == (200, 200)
    assert "Content-Encoding" not in plain
    assert packed["Content-Encoding"] == "gzip"
    assert "Accept-Encoding" in packed["Vary"]
    sent, whole = content(packed), content(plain)
    if "monitor" not in path:  # which has the time of asking
        assert gzip.decompress(sent) == whole
    assert packed.streaming == plain.streaming
    assert len(sent) < len(whole)


@pytest.mark.parametrize("path", CONDITIONAL)
def test_each_etag_is_answered_304(researcher: Client, study: Study, path: str) -> None:
    address = path.format(study.slug)
    plain, packed = (researcher.get(address, **how)["ETag"] for how in ({}, ACCEPTS))
    assert packed == f"W/{plain}"
    for etag in (plain, packed):
        for accepted in ({}, ACCEPTS["headers"]):
            headers = {**accepted, "If-None-Match": etag}
            response = researcher.get(address, headers=headers)
            assert response.status_code == 304
            assert content(response) == b""
            assert "Content-Encoding" not in response


def test_archives_and_answers_to_post_are_sent_as_they_are(study: Study) -> None:
    client = with_token(User.objects.create_superuser("petra"))
    for path, body in (("release/", {}), ("invitations/", {"note": "Otto", "role": "viewer"})):
        response = client.post(
            f"/api/v1/studies/{study.slug}/{path}", body, "application/json", **ACCEPTS
        )
        assert response.status_code in (200, 201)
        assert "Content-Encoding" not in response
