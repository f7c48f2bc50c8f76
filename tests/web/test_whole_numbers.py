"""Numbers in addresses: one of thousands of digits is a fault of nobody's."""

import re
from pathlib import Path

import pytest
from django.conf import settings

from tests.database import there_for_all
from tests.factory.completed import busy_study
from tests.workspace_pages import addresses, routes

pytestmark = pytest.mark.django_db
ROOMS = ("accounts", "evaluation", "judging", "operations", "web", "workspace")
ASKED = re.compile(r'\b(?:GET|query_params)(?:\.get\(|\.getlist\(|\[)\s*"(\w+)"')
PARAMETERS = sorted(
    {
        name
        for room in ROOMS
        for path in (Path(settings.BASE_DIR) / room).rglob("*.py")
        for name in ASKED.findall(path.read_text())
    }
)
NUMBERS = {
    "of 5,000 digits": "9" * 5000,
    "beyond a column": "9" * 19,
    "in other digits": "\u0663",
    "a power": "2\u00b2",
}


@pytest.fixture(scope="module")
def study(django_db_setup, django_db_blocker):
    with there_for_all(django_db_blocker):
        yield busy_study()


@pytest.mark.parametrize("number", NUMBERS.values(), ids=NUMBERS)
def test_no_page_fails_by_a_number_in_its_address(number, study, admin_client):
    assert {"again", "before", "topic"} <= set(PARAMETERS), "read from the code"
    words = {"slug": [study.slug], "collections/slug": [study.collection.slug]}
    visited = 0
    for route in routes():
        try:
            there = addresses(route, words)
        except KeyError:
            continue
        for address in there:
            answer = admin_client.get(address, dict.fromkeys(PARAMETERS, number))
            assert answer.status_code < 500, address
            visited += 1
    assert visited > 30
