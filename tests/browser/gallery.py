"""Pictures of pages, a file for each page, width and theme, and one page that lists them."""

from html import escape
from pathlib import Path

from playwright.sync_api import Page

from tests.browser.conftest import DESKTOP

WIDTHS = {1280: DESKTOP, 390: {"width": 390, "height": 844}}
THEMES = ("light", "dark")


class Gallery:
    """A folder of pictures, for people to look at."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.names: list[str] = []

    def take(self, page: Page, name: str) -> None:
        """The whole page at every width, by day and night."""
        self.folder.mkdir(parents=True, exist_ok=True)
        self.names.append(name)
        page.evaluate("scrollTo(0, 0)")  # else what sticks is drawn in the middle
        for theme in THEMES:
            page.emulate_media(color_scheme=theme)
            for width, size in WIDTHS.items():
                page.set_viewport_size(size)
                page.screenshot(path=self._path(name, width, theme), full_page=True)
        page.emulate_media(color_scheme="light")
        page.set_viewport_size(DESKTOP)

    def _path(self, name: str, width: int, theme: str) -> Path:
        return self.folder / f"{name}-{width}-{theme}.png"

    def close(self) -> None:
        rows = "".join(self._row(name) for name in self.names)
        page = f"<!doctype html><title>{escape(self.folder.name)}</title>{rows}"
        (self.folder / "index.html").write_text(page, encoding="utf-8")

    def _row(self, name: str) -> str:
        paths = [self._path(name, width, theme) for width in WIDTHS for theme in THEMES]
        images = "".join(f'<img src="{path.name}" height="600" loading="lazy">' for path in paths)
        return f"<h2>{escape(name)}</h2>{images}"
