"""Log-in at an institution in a real browser, on a site with its variables."""

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import DESKTOP, PATIENCE, Site
from tests.browser.looks import look
from tests.browser.studies import PASSWORD
from tests.doubles import institution
from tests.doubles.institution import CLIENT, SECRET, Institution

OTTO = {"sub": "1", "email": "otto@uni.example", "email_verified": True, "given_name": "Otto"}
KLARA = {"sub": "2", "email": "klara@elsewhere.example", "email_verified": True}


@pytest.fixture(scope="module")
def uni() -> Iterator[Institution]:
    with institution.running() as uni:
        yield uni


@pytest.fixture(scope="module")
def place(site: Site, uni: Institution) -> Iterator[Site]:
    """One more server of the site, with the variables of the documentation."""
    site.call("studies.make_colleague", "klara")
    place = Site(site.log.parent)
    place.environment |= {
        "OIDC_ISSUER": uni.issuer,
        "OIDC_CLIENT_ID": CLIENT,
        "OIDC_CLIENT_SECRET": SECRET,
        "OIDC_NAME": "Uni Example",
        "OIDC_DOMAINS": "uni.example",
    }
    place.start("/login/")
    yield place
    place.stop()


@pytest.fixture
def window(browser: Browser, place: Site) -> Iterator[Callable[..., Page]]:
    contexts = []

    def open_window(**options: bool) -> Page:
        context = browser.new_context(base_url=place.url, viewport=DESKTOP, **options)
        context.set_default_timeout(PATIENCE)
        contexts.append(context)
        return context.new_page()

    yield open_window
    for context in contexts:
        context.close()


def enter(page: Page) -> None:
    page.goto("/login/")
    page.get_by_role("button", name="Log in with Uni Example").click()


def heading(page: Page, text: str) -> None:
    expect(page.get_by_role("heading", level=1)).to_contain_text(text)


@pytest.mark.parametrize("scripts", [True, False])
def test_in_and_out(window: Callable[..., Page], uni: Institution, scripts: bool) -> None:
    uni.person = dict(OTTO)
    page = window(java_script_enabled=scripts)
    page.goto("/login/?next=/account/")
    if scripts:
        look(page)
    page.get_by_role("button", name="Log in with Uni Example").click()
    page.wait_for_url("**/account/")
    heading(page, "Your account, otto")
    page.get_by_role("button", name="Log out").click()
    heading(page, "Log in")


def test_refused_cancelled_and_failed(window: Callable[..., Page], uni: Institution) -> None:
    page = window()
    uni.person = dict(KLARA)
    enter(page)
    heading(page, "You are not logged in")
    look(page)
    uni.person = None
    enter(page)
    page.wait_for_url("**/login/")
    heading(page, "Log in")
    uni.person, uni.claims = dict(OTTO), {"nonce": "another"}
    enter(page)
    heading(page, "The log-in with Uni Example failed")
    look(page)
    uni.claims = {}


def test_linked_and_unlinked(window: Callable[..., Page], uni: Institution) -> None:
    uni.person = dict(KLARA)
    page = window()
    page.goto("/login/?next=/account/")
    page.get_by_label("User name").fill("klara")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in", exact=True).click()
    page.get_by_role("link", name="Log-in with Uni Example").click()
    heading(page, "Your log-in with Uni Example is not linked")
    look(page)
    page.get_by_role("button", name="Link it").click()
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Confirm").click()
    heading(page, "You can log in with Uni Example")
    look(page)
    page.get_by_role("button", name="Log out").click()
    enter(page)
    page.wait_for_url("**/studies/")
    page.goto("/account/oidc/")
    page.get_by_role("button", name="Unlink it").click()
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Confirm").click()
    heading(page, "Your log-in with Uni Example is not linked")
