"""Every page that staff can come to, over a site in which every text is hostile."""

import csv
import io
import shutil
from collections import Counter, deque
from collections.abc import Iterator
from urllib.parse import unquote, urlsplit

import pytest
from django.urls import Resolver404, resolve
from playwright.sync_api import Browser, Page

from tests.browser.conftest import Site
from tests.browser.hostile.canary import Canary
from tests.browser.hostile.conftest import nothing_happens
from tests.browser.studies import PASSWORD, RESEARCHER

pytestmark = pytest.mark.whole
STARTS = ("/studies/", "/collections/", "/operations/", "/account/", "/admin/")
# Marks of pictures are links, too, whose `href` is no string.
LINKS = """all => [...new Set(all.map(
    link => new URL(link.getAttribute("href"), document.baseURI).href.split("#")[0]
))]"""
NEEDED = {
    *("studies", "results", "systems", "system", "topics", "topic", "method", "analysis"),
    *("monitor", "monitor-topic", "monitor-worker", "monitor-workers", "preview", "rehearsal"),
    *("plan", "running", "trail", "pay", "people", "release", "collections", "collection"),
    *("import", "operations", "account", "admin:judging_study_change"),
}  # among the pages that are seen
FORMULA = ("=", "+", "-", "@", "\t", "\r")


@pytest.fixture(scope="module")
def hostile_site(tmp_path_factory: pytest.TempPathFactory, canary: Canary) -> Iterator[Site]:
    """A site of its own: nobody else shall meet what is written there."""
    folder = tmp_path_factory.mktemp("hostile-site")
    site = Site(folder)
    try:
        site.call("hostile.places.make", canary.url)
        site.start("/healthz")
        yield site
        site.stop()
    finally:
        site.end()
        shutil.rmtree(folder / "var", ignore_errors=True)


def log_in(page: Page) -> None:
    page.goto("/login/?next=/studies/")
    page.get_by_label("User name").fill(RESEARCHER)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    page.wait_for_url(lambda url: urlsplit(url).path == "/studies/")


def kind_of(address: str) -> str:
    """The view that answers there, and which parameters it is given; not of the admin's lists."""
    parts = urlsplit(address)
    view = resolve(unquote(parts.path)).view_name
    given = sorted(pair.partition("=")[0] for pair in parts.query.split("&"))
    return view if view.startswith("admin:") else " ".join([view, *filter(None, given)])


class Walk:
    """From link to link, some pages of each kind."""

    def __init__(self, page: Page, site: Site) -> None:
        self.page, self.site = page, site
        self.waiting = deque(f"{site.url}{start}" for start in STARTS)
        self.known = set(self.waiting)
        self.seen: Counter[str] = Counter()
        self.wrong: list[str] = []

    def go(self) -> None:
        """To the end: two pages of a view, one of those of the admin and of each parameter."""
        while self.waiting:
            address = self.waiting.popleft()
            try:
                kind = kind_of(address)
            except Resolver404:
                self.wrong.append(f"leads nowhere: {address}")
                continue
            if self.seen[kind] < (1 if " " in kind or kind.startswith("admin:") else 2):
                self.seen[kind] += 1
                self._look(address)

    def _look(self, address: str) -> None:
        answer = self.page.request.get(address)
        if not answer.ok:
            self.wrong.append(f"{answer.status}: {address}")
        elif "text/csv" in answer.headers.get("content-type", ""):
            self._table(address, answer.text())
        elif "text/html" in answer.headers.get("content-type", ""):
            self.page.goto(address)
            self.page.locator("details").evaluate_all("all => all.forEach(one => one.open = true)")
            links = self.page.locator("a[href]").evaluate_all(LINKS)
            self._follow(links)

    def _follow(self, links: list[str]) -> None:
        for link in links:
            if not link.startswith(self.site.url):
                if not link.startswith(("https://", "mailto:")):
                    self.wrong.append(f"{self.page.url} leads to {link}")
            elif link not in self.known:
                self.known.add(link)
                self.waiting.append(link)

    def _table(self, address: str, text: str) -> None:
        if "for=spreadsheet" in address:
            cells = [cell for row in csv.reader(io.StringIO(text)) for cell in row]
            self.wrong += [
                f"{address}: {cell}"
                for cell in cells
                if cell.startswith(FORMULA) and not number(cell)
            ]


def number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def test_nothing_runs_and_nothing_leaves_on_any_page(
    browser: Browser, hostile_site: Site, canary: Canary
) -> None:
    with nothing_happens(browser, hostile_site, canary) as windows:
        page = windows()
        log_in(page)
        walk = Walk(page, hostile_site)
        walk.go()
    assert walk.wrong == []
    assert walk.seen.keys() >= NEEDED
    assert len(walk.seen) > 200
