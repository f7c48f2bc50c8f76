"""The picture of the README, taken of a demo that runs: `make picture`, with its PORT."""

import os
from pathlib import Path

from playwright.sync_api import ViewportSize, sync_playwright

from tests.setup_browser import find_browser

ROOT = Path(__file__).resolve().parent.parent
SITE = f"http://localhost:{os.environ.get('PORT', '8000')}"
SIZE: ViewportSize = {"width": 1280, "height": 800}


def main() -> None:
    password = Path(os.environ.get("VAR_DIR", ROOT / "var"), "demo-password").read_text().strip()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_browser(), args=["--no-sandbox"])
        page = browser.new_page(viewport=SIZE, color_scheme="light")
        page.goto(f"{SITE}/login/")
        page.locator("[name=login]").fill("demo")
        page.locator("[name=password]").fill(password)
        page.locator("[name=password]").press("Enter")
        page.wait_for_url(f"{SITE}/studies/")
        page.goto(f"{SITE}/studies/demo/", wait_until="networkidle")
        page.get_by_text("artificial workers only").wait_for()  # it says whose numbers these are
        page.screenshot(path=ROOT / "docs" / "img" / "overview.png")
        browser.close()


if __name__ == "__main__":
    main()
