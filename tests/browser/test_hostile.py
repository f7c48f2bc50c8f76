"""Documents that are meant to hang a browser are read and judged like any other."""

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.browser.worker import DOCUMENTS, PHONE, Person
from tests.hostile_texts import LAST_WORDS


@pytest.mark.parametrize(
    "options", [{}, pytest.param(PHONE, marks=pytest.mark.whole)], ids=["desktop", "phone"]
)
def test_hostile_documents_are_read_to_their_last_words(
    somebody: Callable[..., Person], options: dict
) -> None:
    person = somebody("hostile", **options)
    person.hurry()
    for position in range(1, DOCUMENTS + 1):
        assert person.position == position
        last = person.page.get_by_text(LAST_WORDS)
        expect(last).to_be_attached()
        person.judge()
    assert person.step == "done"
