"""A browser without a window: pages, their forms, cookies; retried when the server is away."""

import asyncio
from http.cookies import SimpleCookie
from urllib.parse import urljoin, urlsplit

import aiohttp
import lxml.html
from yarl import URL

from crowd.behaviour import PageView

REQUEST_TIMEOUT = aiohttp.ClientTimeout(total=60)
FIRST_PAUSE, MAX_PAUSE = 0.2, 3.0
SERVER_ERROR = 500
REFUSED = 400
ERROR_PAGES = (409, 422)  # another answer came before, both are shown; a code is to be corrected


class Page:
    def __init__(self, address: str, html: str) -> None:
        self.address = address
        self._tree = lxml.html.document_fromstring(html)
        self._main = self._tree.find(".//main")

    @property
    def step(self) -> str:
        """Empty on pages that are not a worker's."""
        return "" if self._main is None else self._main.get("data-step", "")

    def view(self) -> PageView:
        line = self._tree.find(".//line")
        return PageView(
            self.step,
            self._tree.xpath("//button[@name='action']/@value"),
            0.0 if line is None else float(line.get("x2")) - float(line.get("x1")),
            int(self._main.get("data-position", 0)),
        )

    @property
    def text(self) -> str:
        return str(self._tree.text_content()).strip()

    def words(self, tag: str) -> str:
        element = self._main.find(f".//{tag}")
        return "" if element is None else " ".join(element.text_content().split())

    @property
    def options(self) -> dict[str, str]:
        radios = self._tree.xpath("//input[@type='radio']")
        return {" ".join(each.label.text_content().split()): each.get("value") for each in radios}

    @property
    def boxes(self) -> dict[str, str]:
        return dict.fromkeys(self._main.xpath(".//input[@type='checkbox']/@name"), "on")

    def form(self, action: str) -> tuple[str, dict[str, str]]:
        """The address and the fields, as they stand, of the form that has this button."""
        for form in self._tree.forms:
            if form.xpath(".//button[@name='action' and @value=$action]", action=action):
                return urljoin(self.address, form.action or ""), dict(form.form_values())
        raise LookupError(f"no button {action} on the page {self.step or self.address}")


class Browser:
    """One worker's browser.

    When the server is away or fails, it asks again, as people press reload; a form that was sent
    already changes nothing. After `timeout` seconds without an answer it gives up.
    """

    def __init__(self, connector: aiohttp.TCPConnector, timeout: float = 120.0) -> None:
        self.session = aiohttp.ClientSession(
            connector=connector,
            connector_owner=False,
            cookie_jar=aiohttp.CookieJar(unsafe=True),  # also of an address in numbers
            timeout=REQUEST_TIMEOUT,
        )
        self.timeout = timeout
        self.failures = 0

    def set_cookie(self, name: str, value: str, address: str) -> None:
        cookies = SimpleCookie({name: value})
        cookies[name]["path"] = urlsplit(address).path
        self.session.cookie_jar.update_cookies(cookies, URL(address))

    async def __aenter__(self) -> "Browser":
        return self

    async def __aexit__(self, *fault: object) -> None:
        await self.session.close()

    async def get(self, address: str) -> Page:
        return await self.follow("GET", address, {})

    async def press(self, page: Page, action: str, **typed: str) -> Page:
        """Send the button's form as it stands, with what is typed."""
        target, fields = page.form(action)
        return await self.follow("POST", target, {**fields, **typed, "action": action})

    async def follow(self, method: str, address: str, fields: dict[str, str]) -> Page:
        while True:
            address, html = await self._retry(method, address, fields)
            if html is not None:
                return Page(address, html)
            method, fields = "GET", {}

    async def _retry(
        self, method: str, address: str, fields: dict[str, str]
    ) -> tuple[str, str | None]:
        """The address and text of the answer, or the address of a redirect and None."""
        pause, waited = FIRST_PAUSE, 0.0
        while True:
            try:
                return await self.send(method, address, fields)
            except (aiohttp.ClientError, TimeoutError, ServerError):
                self.failures += 1
                if waited > self.timeout:
                    raise
            await asyncio.sleep(pause)
            waited += pause
            pause = min(2 * pause, MAX_PAUSE)

    async def send(
        self, method: str, address: str, fields: dict[str, str]
    ) -> tuple[str, str | None]:
        # As browsers say where a form comes from; with TLS none is taken without it.
        headers = {"Origin": str(URL(address).origin())} if method == "POST" else {}
        async with self.session.request(
            method, address, data=fields or None, headers=headers, allow_redirects=False
        ) as answer:
            if answer.status >= SERVER_ERROR:
                raise ServerError(f"{method} {address}: {answer.status}")
            text = await answer.text()
            if location := answer.headers.get("Location"):
                return urljoin(address, location), None
            if answer.status >= REFUSED and answer.status not in ERROR_PAGES:
                raise Refused(f"{method} {address}: {answer.status} {text[:200]}")
            return address, text


class ServerError(Exception):
    """The server answered with an error of its own."""


class Refused(Exception):
    """The server does not take the request."""
