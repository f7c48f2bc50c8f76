"""How long hostile pages take to be imported and shown.

    python -m bench.hostile_texts

Pages of 64 KB whose elements are nested, misnested or unclosed: processor seconds to count their
words and clean them, how much longer four times as much takes, and the processor seconds of
Chromium to lay out what comes of it. Ends with 1 when a page takes a second, or four times as much
more than six times as long.
"""

import sys
import time
from collections.abc import Callable

import psutil
from playwright.sync_api import Page, sync_playwright

from bench.site import processes
from bench.site.command import options
from judging.collections.cleaning import clean_text
from magnitudes.files.documents import Document
from magnitudes.files.lengths import length
from tests.hostile_texts import SIZE, hostile_texts
from tests.setup_browser import find_browser

OPTIONS = options(__doc__)
SECONDS, RATIO, TURNS = 1.0, 6.0, 3
LEAST = 0.005  # seconds: what takes less has no ratio to speak of


def seconds(action: Callable[[], object]) -> float:
    """Processor seconds of the fastest of some turns."""
    turns = []
    for _ in range(TURNS):
        begin = time.process_time()
        action()
        turns.append(time.process_time() - begin)
    return min(turns)


def prepare(html: str) -> str:
    """What an import does with a page."""
    length(Document("A", "", html, is_html=True))
    return clean_text(html, is_html=True)


def renderer_seconds() -> float:
    """Processor seconds of all renderers of this browser so far."""
    return sum(
        processes.seconds(one)
        for one in processes.family(psutil.Process())
        if "--type=renderer" in one.cmdline()
    )


def shown_in(page: Page, html: str) -> float:
    before = renderer_seconds()
    page.set_content(f"<!doctype html><html><body><article>{html}</article></body></html>")
    page.evaluate("document.body.getBoundingClientRect().height")
    page.evaluate("new Promise(drawn => requestAnimationFrame(() => requestAnimationFrame(drawn)))")
    return renderer_seconds() - before


def main() -> int:
    OPTIONS.parse_args()
    slowest = {"import": 0.0, "shown": 0.0, "ratio": 0.0}
    larger = hostile_texts(4 * SIZE)
    print(f"{'page':42} import  4 n / n  Chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=find_browser(),
            args=["--no-sandbox"],
        )
        page = browser.new_page()
        for name, html in hostile_texts().items():
            once, more = (seconds(lambda text=text: prepare(text)) for text in (html, larger[name]))
            ratio = more / max(once, LEAST)
            drawn = shown_in(page, prepare(html))
            print(f"{name:42} {once:5.3f} s  {ratio:7.1f}  {drawn:6.2f} s", flush=True)
            for what, value in zip(slowest, (once, drawn, ratio), strict=True):
                slowest[what] = max(slowest[what], value)
        browser.close()
    passed = max(slowest["import"], slowest["shown"]) < SECONDS and slowest["ratio"] < RATIO
    figures = ", ".join(f"{what} at most {value:.2f}" for what, value in slowest.items())
    print(f"{figures}: {'pass' if passed else 'fail'}")
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
