"""Every later page of a worker lists all codes they have earned."""

import pytest
from django.test import Client

from judging.models import Assignment
from judging.states import State
from tests.factory import make_study

pytestmark = pytest.mark.django_db


def post(client, url, **fields):
    return client.post(url, fields, follow=True)


def test_the_pages_of_the_next_unit_list_the_code_of_the_last():
    study = make_study(topics=2, minimum_seconds=0)
    home, client = f"/study/{study.slug}/", Client()
    client.get(home)
    post(client, home, action="continue")
    first = to_the_documents(client, home)
    for page in range(1, 9):
        score = 9 if page == place_of(first, "h_k") else 2
        action = "finish" if page == 8 else "next"
        answer = post(client, f"{home}{page}/", action=action, score=score, justification="so")
    code = Assignment.objects.get(state=State.COMPLETED).completion_code
    assert code in answer.content.decode()
    pages = [post(client, home, action="again"), post(client, home, action="continue")]
    to_the_documents(client, home)
    pages += [client.get(home, follow=True), client.get(f"{home}1/")]
    assert all(f"<code>{code}</code>" in page.content.decode() for page in pages)


def to_the_documents(client, home):
    """Through practice, instructions and the question, from wherever in practice."""
    unit = Assignment.objects.latest("pk")
    if unit.practice_step == 0:
        post(client, home, action="continue")
    for length in unit.lines:
        post(client, home, action="next", score=length)
    post(client, home, action="continue")
    post(client, home, action="continue", answer=unit.option_order.index(0))
    return unit


def place_of(unit, role):
    keys = list(unit.order)
    return 1 + keys.index(unit.unit.documents.get(role=role).pk)
