"""What the longest hostile documents cost a browser, beside a plain one of the same length."""

import json
import sys

import pytest
from playwright.sync_api import Browser

from tests.browser.conftest import Site
from tests.browser.hostile.canary import Canary
from tests.browser.hostile.conftest import Guarded
from tests.browser.hostile.heavy import heavy, plain
from tests.browser.hostile.reader import Reader
from tests.browser.hostile.studies import LAST_WORDS

pytestmark = pytest.mark.nightly
MOST = 100  # times the processor time of a plain document
PATIENCE = 300_000  # milliseconds: a busy machine is slow
DRAWN = "new Promise(drawn => requestAnimationFrame(() => requestAnimationFrame(drawn)))"


def test_each_takes_a_bounded_time_and_can_be_judged(
    site: Site, browser: Browser, guarded: Guarded, canary: Canary
) -> None:
    pages = {"plain": plain(), **heavy()}
    # Each begins with a word of its own, as a unit comes in an order of its own.
    marked = [f"<p>kind{n}.</p>{html}<p>{LAST_WORDS}" for n, html in enumerate(pages.values())]
    site.call("hostile.studies.make_of_pages", "heavy", canary.url, json.dumps(marked))
    session = browser.new_browser_cdp_session()

    def seconds() -> float:
        told = session.send("SystemInfo.getProcessInfo")["processInfo"]
        return float(sum(process["cpuTime"] for process in told))

    reader = Reader(guarded(), "heavy")
    reader.page.set_default_timeout(PATIENCE)
    reader.enter()
    reader.to_documents()
    took: dict[str, float] = {}
    for _ in pages:
        text = reader.page.locator("article.document > p").first.inner_text()
        before = seconds()
        reader.page.reload()
        reader.page.evaluate(DRAWN)
        took[list(pages)[int(text.strip(".")[4:])]] = seconds() - before
        reader.answer_by_keyboard("It says how.")
    assert reader.step == "done"
    ratios = {name: round(each / took["plain"], 1) for name, each in took.items()}
    sys.stdout.write(f"plain {took['plain']:.2f} s; as many times that: {ratios}\n")
    assert max(ratios.values()) < MOST
    site.call("hostile.studies.put_away", "heavy")
