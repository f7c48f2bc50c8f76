"""From files that nobody here knows to a study that workers can enter, clicks counted."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Site
from tests.browser.looks import look_at_results

TITLES = (
    *("light of distant lamps", "oil that lamps burn", "mirrors behind a flame"),
    *("keepers and their pay", "towers at the sea"),
)
MAX_CLICKS = 40  # on ten topics; a topic takes two


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    """As most collections are: labels name relevant documents alone."""
    ids = [f"D-{n:02}" for n in range(24)]
    texts = [
        {"_id": each, "title": f"On {each}", "text": f"What {each} says. " * 9} for each in ids
    ]
    runs = {"one": ids, "two": ids[::-1]}
    written = {
        "topics.tsv": [f"T-{n}\t{title}" for n, title in enumerate(TITLES, 1)],
        "corpus.jsonl": [json.dumps(text) for text in texts],
        "qrels.txt": [f"T-{n} 0 D-{n:02} 1" for n in range(1, 6)],
        "README.md": ["These are my files, and this is none of them."],
        **{
            f"{tag}.run": [
                f"T-{n} Q0 {each} {rank} {100 - rank} {tag}"
                for n in range(1, 6)
                for rank, each in enumerate(ranked, 1)
            ]
            for tag, ranked in runs.items()
        },
    }
    for name, lines in written.items():
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines))
    return [tmp_path / name for name in written]


class Hand:
    """Counts what it clicks, and presses Enter as often as a click."""

    def __init__(self, page: Page) -> None:
        self.page, self.clicks = page, 0

    def click(self, what: Locator) -> None:
        self.clicks += 1
        what.click()

    def button(self, name: str, **how: Any) -> None:
        with self.page.expect_navigation():
            self.click(self.page.get_by_role("button", name=name, **how))

    def link(self, name: str) -> None:
        with self.page.expect_navigation():
            self.click(self.page.get_by_role("link", name=name))

    def enter(self) -> None:
        before = self.page.url
        self.clicks += 1
        with self.page.expect_navigation(url=lambda url: url != before):
            self.page.keyboard.press("Enter")


def test_from_files_to_an_open_study(
    site: Site, desk: Callable[..., Page], files: list[Path]
) -> None:
    page = desk("/collections/new/")
    hand = Hand(page)
    heading = page.get_by_role("heading", level=1)
    look_at_results(page)
    page.reload()
    hand.clicks += 1
    page.locator("[name=file]").set_input_files(files)
    expect(page.locator("#sent li")).to_have_text(re.compile("README.md: none of the known"))
    page.get_by_label("Name of the collection").fill("Lamps of mine")
    hand.enter()
    site.call("beside.bring_in")
    expect(heading).to_have_text("Import finished")
    hand.link("See what is in lamps-of-mine")
    for address in (
        "documents/?words=says",
        "documents/D-03/",
        "topics/T-3/",
        "topics/T-3/runs/one/",
    ):
        page.goto(f"/collections/lamps-of-mine/{address}")
        look_at_results(page)
    page.goto("/collections/lamps-of-mine/")

    hand.link("Create a study from it")
    page.get_by_label("Title").fill("The way")
    hand.button("Create study")
    hand.button("Save and continue")  # topics
    hand.button("Save and continue")  # pool
    expect(page.get_by_text("names only relevant documents")).to_be_visible()
    hand.link("Read the proposed pairs, one after the other")
    page.wait_for_url("**/anchors/T-1/")
    look_at_results(page)
    page.reload()
    hand.button("take these two, on to topic T-2")
    while "/anchors/" in page.url:
        hand.enter()
    expect(page.get_by_text("This question is proposed")).to_be_visible()
    look_at_results(page)
    page.reload()
    while "/questions/" in page.url:
        hand.enter()

    page.get_by_label("Payment for a unit").fill("2.50")
    hand.clicks += 1
    page.get_by_label("Currency").select_option("USD")
    hand.button("Save and continue")
    expect(page.locator("#entry-link")).to_contain_text("/study/the-way/")
    hand.button("Save and continue")  # recruiting
    hand.button("Start from our text")
    consent = page.get_by_label("What workers agree to")
    consent.fill(re.sub(r"\[[^\]\n]+\]", "the Institute of Lamps", consent.input_value()))
    page.get_by_label("Contact").first.fill("lamps@institute.example")
    page.get_by_label("Ethics approval").fill("Board 17/4")
    hand.button("Save and continue")
    hand.button("Plan units")
    site.call("beside.plan")
    expect(heading).to_have_text("Everything is there: the study can open")
    look_at_results(page)
    page.reload()
    for tick in page.locator("[name=read]").all():
        hand.click(tick)
    hand.button("Open the study")
    expect(heading).to_contain_text("The study is open")
    log_in_and_find = 3
    assert hand.clicks + 2 * (10 - len(TITLES)) + log_in_and_find <= MAX_CLICKS, hand.clicks


def test_a_link_to_hand_out_is_copied(desk: Callable[..., Page]) -> None:
    page = desk("/studies/draft/set-up/recruiting/")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy").click()
    expect(page.get_by_text("Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()").endswith("/study/draft/")


def test_without_scripts_there_is_no_button_and_the_link_is_followed(
    desk: Callable[..., Page],
) -> None:
    page = desk("/studies/draft/set-up/recruiting/", java_script_enabled=False)
    for button in page.locator("[data-copy]").all():
        expect(button).to_be_hidden()
    page.locator("#entry-link a").click()
    page.wait_for_url("**/study/draft/")
