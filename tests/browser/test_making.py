"""A study is made with forms alone, from a copy of another to one that workers can enter."""

import re
from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.conftest import Site
from tests.browser.looks import look_at_results


def test_from_a_copy_to_an_open_study(site: Site, desk: Callable[..., Page]) -> None:
    page = desk("/studies/draft/share/study/clone/")
    page.get_by_label("Title").fill("Made in a browser")
    page.get_by_label("Name in addresses").fill("made")
    page.get_by_role("button", name="Create the clone").click()
    page.wait_for_url("**/studies/made/set-up/")

    page.goto("/studies/made/set-up/anchors/401/?h_k=D2")
    page.get_by_role("button", name="Take these two").click()
    page.wait_for_url("**/studies/made/set-up/anchors/")
    expect(page.get_by_role("heading", level=1)).to_have_text("Every topic has its anchors")
    look_at_results(page)

    page.goto("/studies/made/set-up/settings/")
    page.get_by_label("Payment for a unit").fill("a lot")
    page.get_by_role("button", name="Save and continue").click()
    expect(page.locator("#errors")).to_contain_text(
        "Payment for a unit: a number from 0 to 99,999.99 was expected."
    )
    expect(page.get_by_label("Payment for a unit")).to_have_value("a lot")
    look_at_results(page)

    page.get_by_label("Payment for a unit").fill("0.20")
    page.get_by_role("button", name="Save and continue").click()
    page.goto("/studies/made/set-up/consent/")
    page.get_by_role("button", name="Start from our text").click()
    expect(page.get_by_label("What workers agree to")).to_have_value(re.compile("You are invited"))
    look_at_results(page)

    page.goto("/studies/made/set-up/recruiting/")
    page.get_by_label("Participant platform").select_option("sona")
    expect(page.get_by_label("Address to go back to")).to_be_visible()
    expect(page.get_by_label("Completion code")).to_be_hidden()
    expect(page.get_by_label("Code for a paid screen-out")).to_be_hidden()

    page.goto("/studies/made/set-up/")
    page.get_by_role("button", name="Plan units").click()
    look_at_results(page)
    site.call("beside.plan")
    page.reload()
    expect(page.get_by_text("an hour is less than the minimum of 12 USD")).to_be_visible()
    look_at_results(page)
    page.get_by_role("button", name="Open the study").click()
    expect(page.locator("#errors")).to_contain_text("Read and tick this first")
    for tick in page.locator("[name=read]:not(:checked)").all():
        tick.check()
    page.get_by_role("button", name="Open the study").click()
    expect(page.locator("#errors")).to_contain_text("Say why it is paid less.")
    page.get_by_label("Why an hour pays less").fill("It is a test.")
    page.get_by_role("button", name="Open the study").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("The study is open")
