"""A study that its owner publishes for everybody, and withdraws."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.analysed import STUDY
from tests.browser.conftest import Site, Visits
from tests.browser.looks import look

pytestmark = pytest.mark.usefixtures("analysed")


def test_a_stranger_reads_what_an_owner_published_until_it_is_withdrawn(
    desk: Callable[..., Page], visit: Visits, site: Site
) -> None:
    site.call("analysed.close_for_publication", STUDY)
    try:
        page = desk(f"/studies/{STUDY}/share/page/")
        look(page)
        page.get_by_label("About the study").fill("Lamps, judged by four.")
        page.get_by_label("Authors to cite").fill("Gödel, Kurt")
        page.get_by_role("button", name="Publish version 1").click()
        expect(page.locator(".field.wrong")).to_have_count(2)
        look(page)
        page.get_by_label("Licence").select_option("CC-BY-4.0")
        page.get_by_label("I have read the consent text").check()
        page.get_by_role("button", name="Publish version 1").click()
        expect(page.get_by_text("Version 1 is published.")).to_be_visible()
        look(page)
        address = page.locator("#address-1").inner_text()

        stranger = visit()
        stranger.goto(address)
        expect(stranger.get_by_role("heading", level=1)).to_have_text("What a crowd said of lamps")
        look(stranger)
        with stranger.expect_download() as download:
            stranger.get_by_role("link", name="qrels/magnitude.txt").click()
        assert download.value.path().read_text().count("\n") > 10

        page.get_by_role("button", name="Withdraw version 1").click()
        page.get_by_role("button", name="Withdraw it").click()
        expect(page.get_by_text("Version 1 is withdrawn.")).to_be_visible()
        answer = stranger.goto(address)
        assert answer
        assert answer.status == 410
        look(stranger)
    finally:
        site.call("analysed.open_again", STUDY)
