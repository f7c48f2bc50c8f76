"""A browser for the tests: the one that is installed, or else one that this script installs.

`python tests/setup_browser.py` is run when the development environment is made.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import sync_playwright

# The shell without a window goes first: it is what Playwright drives by itself, and takes a third
# less processor time.
NAMES = (
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "google-chrome-beta",
    "chrome",
    "microsoft-edge",
)
ON_A_MAC = Path("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome")
HELP = """No browser was found, and none could be installed.
Install Chromium or Google Chrome, so that one of these is on the PATH:
    {names}
On Debian or Ubuntu: sudo apt-get install chromium
With Playwright: .venv/bin/playwright install chromium
    and, as root, .venv/bin/playwright install-deps chromium"""


def tell(message: str) -> None:
    print(message, flush=True)  # noqa: T201


def find_browser() -> str | None:
    """The program of an installed Chromium or Chrome; None: there is none that starts."""
    return next((path for path in _candidates() if path and _starts(path)), None)


def _candidates() -> Iterator[str | None]:
    yield from map(shutil.which, NAMES)
    yield str(ON_A_MAC)
    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    yield path


def _starts(path: str) -> bool:
    """Whether it says its version: one whose libraries are missing, or a stub, does not."""
    try:
        subprocess.run([path, "--version"], check=True, capture_output=True, timeout=60)
    except (OSError, subprocess.SubprocessError):
        return False
    return True


def _try(*command: str) -> bool:
    tell(f"$ {' '.join(command)}")
    try:
        return subprocess.run(command, check=False).returncode == 0
    except OSError as fault:
        tell(str(fault))
        return False


def install() -> None:
    """Try what there is: Playwright's own build, then the system's packages."""
    is_root = os.geteuid() == 0
    libraries = ["--with-deps"] if is_root else []  # anybody else would be asked for a password
    _try(sys.executable, "-m", "playwright", "install", *libraries, "chromium")
    if is_root and not find_browser() and shutil.which("apt-get"):
        _try("apt-get", "update")
        get = ("apt-get", "install", "--yes", "--no-install-recommends")
        _ = _try(*get, "chromium-headless-shell") or _try(*get, "chromium")


def main() -> int:
    """The exit status: 0 if there is a browser."""
    if not find_browser():
        install()
    path = find_browser()
    tell(f"browser for the tests: {path}" if path else HELP.format(names=", ".join(NAMES)))
    return 0 if path else 1


if __name__ == "__main__":
    sys.exit(main())
