"""Every page of researchers, found by following links: one of each address in the URLconf."""

import re
from collections import deque
from collections.abc import Callable
from html import unescape

import pytest
from django.urls import Resolver404, resolve
from playwright.sync_api import Page

from tests.browser.analysed import STUDY
from tests.browser.looks import narrow, wrong_with_results
from tests.browser.worker import SMALL
from tests.workspace_pages import routes

DRAFT = "/studies/draft/set-up/"  # whose forms can be filled in
BEGINNINGS = (
    *(f"/studies/{STUDY}/", f"/studies/{STUDY}/monitor/", f"/collections/{STUDY}/"),
    *("/account/", "/archives/new/", "/collections/new/", "/opinions/new/", "/new-study/"),
    *("/collections/", DRAFT, f"{DRAFT}file/", "/studies/draft/share/study/"),
)
# What the studies of these tests lack: files on their way, and payments. The preview has pages of
# workers, which are looked at in test_states.
NOT_THERE = {
    *("imports/<int:key>/", "opinions/<uuid:key>/", "studies/<slug:slug>/recruit/pay/<int:key>/"),
    "studies/<slug:slug>/set-up/preview/<slug:name>/",
}
pytestmark = pytest.mark.usefixtures("analysed")


def one_of_each(page: Page) -> dict[str, str]:
    """An address of each page, by its route."""
    wanted, found, todo = set(routes()), {}, deque(BEGINNINGS)
    while todo:
        path = todo.popleft()
        try:
            route = resolve(path).route
        except Resolver404:
            continue
        is_other = "/set-up/" in path and not path.startswith(DRAFT)
        if route in found or route not in wanted or is_other:
            continue
        answer = page.request.get(path)
        assert answer.ok, path
        if answer.url.endswith(path):
            found[route] = path
        todo.extend(unescape(link) for link in re.findall(r'href="(/[^"?#]*/)', answer.text()))
    assert wanted - found.keys() == NOT_THERE
    return found


def test_no_page_is_wider_than_a_phone(desk: Callable[..., Page]) -> None:
    page = desk("/account/", viewport=SMALL)
    wrong = []
    for path in one_of_each(page).values():
        page.goto(path)
        wrong += narrow(page, "main")
    assert not wrong, "\n".join(wrong)


@pytest.mark.whole
def test_every_page_looks_right(desk: Callable[..., Page]) -> None:
    page = desk("/account/")
    wrong = []
    for path in one_of_each(page).values():
        page.goto(path)
        wrong += wrong_with_results(page)
    assert not wrong, "\n".join(wrong)
