"""Every state of a worker's way is right for everybody: by axe, keyboard, and at any size of text.

The acceptance run sees all of them in every language, at every width, by day and night, and leaves
pictures in var/looks, or in the folder that LOOKS names; other runs see a few.
"""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.conf import settings
from django.template.loader import render_to_string
from playwright.sync_api import Page

from tests.browser.adapted import reads_everywhere
from tests.browser.conftest import ROOT, Site, Visits
from tests.browser.gallery import Gallery
from tests.browser.looks import wrong_with
from tests.browser.previewed import KINDS
from tests.browser.walks import endings, judging, preparation, rarely, tried_out
from tests.browser.worker import Person

Desk = Callable[..., Page]
Walk = Callable[[Person], Iterator[None]]
LOOKS = Path(os.environ.get("LOOKS") or ROOT / "var" / "looks")
FEW = ("topic", "no-reason", "me")
OUR_FAULTS = {
    "403": {},
    "403_csrf": {},
    "404": {},
    "413": {"most": 2**20},
    "429": {},
    "500": {},
    "503": {},
}


@pytest.mark.parametrize("name", FEW)
def test_a_few_states(desk: Desk, name: str) -> None:
    page = desk(f"/studies/lamps/set-up/preview/{name}/")
    assert not (wrong := reads_everywhere(page)), wrong


@pytest.mark.whole
@pytest.mark.parametrize("language", [tag for tag, _ in settings.LANGUAGES])
@pytest.mark.parametrize("kind", KINDS)
def test_every_state(site: Site, desk: Desk, kind: str, language: str) -> None:
    site.call("previewed.make_kind", kind, language)
    page = desk(f"/studies/all-{kind}-{language}/set-up/preview/")
    addresses = page.locator("main .files a").evaluate_all("all => all.map(one => one.href)")
    gallery, wrong = Gallery(LOOKS / f"{kind}-{language}"), []
    for number, address in enumerate(addresses, 1):
        page.goto(address)
        page.evaluate("document.getElementById('preview').remove()")
        wrong += _all_wrong(page)
        gallery.take(page, f"{number:02}-{address.rstrip('/').rsplit('/', 1)[1]}")
    gallery.close()
    assert not wrong, "\n".join(wrong)


@pytest.mark.whole
@pytest.mark.parametrize("walk", [preparation, judging, rarely, endings, tried_out])
def test_states_that_people_come_to(visit: Visits, site: Site, walk: Walk) -> None:
    if walk is tried_out:
        site.call("previewed.make_rehearsal")
    person = Person(visit(reduced_motion="reduce"), "tried" if walk is tried_out else "lamps")
    person.enter()
    gallery, wrong = Gallery(LOOKS / walk.__name__), []
    for number, _ in enumerate(walk(person), 1):
        gallery.take(person.page, f"{number:02}")
        wrong += _all_wrong(person.page)
    gallery.close()
    assert not wrong, "\n".join(wrong)


@pytest.mark.whole
def test_pages_of_errors(visit: Visits) -> None:
    page = visit(reduced_motion="reduce")
    page.goto("/study/lamps/")
    gallery, wrong = Gallery(LOOKS / "errors"), []
    for name, context in OUR_FAULTS.items():
        page.set_content(render_to_string(f"{name}.html", context))
        wrong += _all_wrong(page)
        gallery.take(page, name)
    gallery.close()
    assert not wrong, "\n".join(wrong)


def _all_wrong(page: Page) -> list[str]:
    return wrong_with(page) + reads_everywhere(page)
