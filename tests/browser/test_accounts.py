"""A colleague is invited, makes an account, a token and a second factor, and looks around."""

from collections.abc import Callable

from allauth.mfa.totp.internal.auth import (
    format_hotp_value,
    hotp_value,
    yield_hotp_counters_from_time,
)
from playwright.sync_api import Page, expect

from tests.browser.conftest import Visits
from tests.browser.looks import look, look_at_results

PASSWORD = "over-the-rosy-hills"


def code_of(secret: str) -> str:
    return format_hotp_value(hotp_value(secret, next(iter(yield_hotp_counters_from_time()))))


def test_from_an_invitation_to_a_second_factor(desk: Callable[..., Page], visit: Visits) -> None:
    owner = desk("/studies/small/share/team/")
    owner.get_by_label("Who is it for?").fill("Otto")
    owner.get_by_role("button", name="Create a link").click()
    look_at_results(owner)
    link = owner.locator(".secret code").inner_text()

    page = visit(reduced_motion="reduce")
    page.goto(link)
    page.get_by_role("button", name="Make my account").click()
    expect(page.locator("#errors")).to_contain_text("This field is required")
    look(page)
    page.get_by_label("User name").fill("otto")
    for name in ("password1", "password2"):
        page.locator(f"[name={name}]").fill(PASSWORD)
    page.get_by_role("button", name="Make my account").click()
    page.wait_for_url("**/studies/small/**")

    page.goto("/account/")
    page.get_by_label("Name").fill("notebook")
    page.get_by_role("button", name="Create token").click()
    expect(page.locator(".secret code")).to_be_visible()
    look_at_results(page)
    page.get_by_role("button", name="End the token notebook").click()
    expect(page.get_by_role("status")).to_contain_text("works no longer")

    page.goto("/account/code/on/")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Confirm").click()
    look(page)
    page.locator("[name=code]").fill(code_of(page.locator(".code code").inner_text()))
    page.get_by_role("button", name="Set it up").click()
    expect(page.get_by_role("status").first).to_have_text("Authenticator app activated.")
    recovery = page.locator(".codes code").first.inner_text()

    page.goto("/collections/small/")
    look_at_results(page)
    page.get_by_role("button", name="Log out").click()
    page.goto("/login/?next=/studies/small/share/team/")
    page.get_by_label("User name").fill("otto")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    page.locator("[name=code]").fill(recovery)
    page.get_by_role("button", name="Log in").click()
    page.wait_for_url("**/studies/small/share/team/")
    expect(page.get_by_role("heading", level=1)).to_have_text("1 person on the team")
