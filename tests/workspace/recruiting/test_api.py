"""How Prolific is asked: what is asked again, what never, and what its refusals say."""

import httpx
import pytest

from tests.doubles.prolific import TOKEN, WORKSPACE
from workspace.recruiting import api
from workspace.recruiting.api import Api
from workspace.recruiting.faults import Refused, Unreachable


@pytest.fixture(autouse=True)
def pauses(monkeypatch):
    """How long would have been waited."""
    waited: list[float] = []
    monkeypatch.setattr(api, "sleep", waited.append)
    return waited


def test_what_is_read_is_asked_for_again(there, pauses):
    there.broken_before.add("GET workspaces/")
    with pytest.raises(Unreachable, match=r"cannot do it just now \(status 502\)"):
        Api(TOKEN).workspaces()
    assert there.requests["GET workspaces/"] == 3
    assert pauses == [0.5, 1.0]
    there.broken_before.clear()
    assert [each.key for each in Api(TOKEN).workspaces()] == [WORKSPACE]


def test_what_changes_something_is_asked_for_once(there):
    there.broken_before.add("POST hooks/secrets/")
    with pytest.raises(Unreachable):
        Api(TOKEN).make_secret(WORKSPACE)
    assert there.requests["POST hooks/secrets/"] == 1


def test_a_refusal_says_what_prolific_says(there):
    with pytest.raises(Refused, match=r"name: This field is required\.; description"):
        Api(TOKEN).create_study({})
    with pytest.raises(Refused, match="does not accept the token"):
        Api("another").workspaces()
    assert there.requests["GET workspaces/"] == 1, "a refusal is not asked for again"


def test_nobody_answers():
    nowhere = Api(TOKEN, address="http://127.0.0.1:9")
    with pytest.raises(Unreachable, match=r"does not answer .ConnectError."):
        nowhere.workspaces()
    assert TOKEN not in repr(nowhere)


@pytest.mark.parametrize("answer", [b"<html>", b"[]", b"{}", b'{"results": null}'])
def test_an_answer_that_is_none(answer):
    transport = httpx.MockTransport(lambda request: httpx.Response(200, content=answer))
    with pytest.raises(Unreachable, match="without results"):
        Api(TOKEN, transport=transport).workspaces()


@pytest.mark.parametrize("counted", [True, False])
def test_pages_of_submissions_are_read_to_the_end(monkeypatch, counted):
    rows = [{"id": f"s{n}", "participant_id": f"p{n}", "status": "ACTIVE"} for n in range(7)]

    def answer(request):
        page, size = (int(request.url.params[name]) for name in ("page", "page_size"))
        told = {"results": rows[size * (page - 1) : size * page]}
        return httpx.Response(200, json=told | ({"meta": {"count": 7}} if counted else {}))

    monkeypatch.setattr(api, "PAGE_SIZE", 3)
    asked = Api(TOKEN, transport=httpx.MockTransport(answer))
    assert [each.submission_id for each in asked.submissions("x")] == [r["id"] for r in rows]
