"""The button that copies a completion code, with a clipboard and without one."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, Locator, StorageState, expect

from tests.browser.conftest import Site
from tests.browser.worker import DOCUMENTS, Person

Somebody = Callable[..., Person]
NO_CLIPBOARD = "Object.defineProperty(Navigator.prototype, 'clipboard', { get() {} })"


def copy_button(person: Person) -> Locator:
    return person.page.locator("[data-copy]")


def status(person: Person) -> Locator:
    return person.page.locator(".code [role=status]")


@pytest.fixture(scope="module")
def finished(site: Site, browser: Browser) -> StorageState:
    """The cookies of somebody who has finished a set."""
    with browser.new_context(base_url=site.url) as context:
        Person(context.new_page(), "lamps").hurry(DOCUMENTS)
        return context.storage_state()


@pytest.fixture
def done(somebody: Somebody, finished: StorageState) -> Person:
    return somebody(storage_state=finished)


def test_a_code_is_copied_and_that_is_said(done: Person) -> None:
    done.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    copy_button(done).click()
    expect(status(done)).to_have_text("Copied")
    assert done.page.evaluate("navigator.clipboard.readText()") == done.code


def test_without_a_clipboard_the_code_is_selected(done: Person) -> None:
    """As on every site that is reached by plain http."""
    done.page.add_init_script(NO_CLIPBOARD)
    done.page.reload()
    copy_button(done).click()
    expect(status(done)).to_have_text("Copied")
    assert done.page.evaluate("getSelection().toString().trim()") == done.code


def test_without_scripts_there_is_no_button(somebody: Somebody, finished: StorageState) -> None:
    person = somebody(java_script_enabled=False, storage_state=finished)
    assert person.code
    expect(copy_button(person)).to_be_hidden()
