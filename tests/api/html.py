"""What must hold of every page: HTML that is whole, and nothing that our own policy would block."""

from collections import Counter
from html.parser import HTMLParser
from typing import Any

from django.test import Client

VOID = {"meta", "link", "input", "br", "hr", "img", "path", "line", "circle", "rect"}
SVG_EMPTY = {"path", "line", "circle", "rect"}


class Page(HTMLParser):
    """A page read strictly: `faults` lists what is wrong with it."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.faults: list[str] = []
        self.ids: Counter[str] = Counter()
        self.refers: list[str] = []  # to ids
        self.words: list[str] = []
        self.links: list[str] = []
        self.titles: list[str] = []
        self.html, self.context = text, None
        self.feed(text)
        self.close()
        self.faults += [f"<{tag}> is left open" for tag in self.open]
        self.faults += [f"id {name} {n} times" for name, n in self.ids.items() if n > 1]
        self.faults += [f"no id {name}" for name in self.refers if name not in self.ids]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if len(given) < len(attrs):
            self.faults.append(f"<{tag}> has an attribute twice")
        if "style" in given or any(name.startswith("on") for name in given):
            self.faults.append(f"<{tag}> has a style or a script that the policy blocks")
        if tag in ("script", "style") and "src" not in given:
            self.faults.append(f"<{tag}> inline, which the policy blocks")
        if given.get("src", "/")[0] != "/" or (tag == "link" and given["href"][0] != "/"):
            self.faults.append(f"<{tag}> loads from elsewhere")
        if tag == "th" and "scope" not in given:
            self.faults.append("<th> without a scope")
        if "id" in given:
            self.ids[given["id"]] += 1
        for name in ("aria-labelledby", "aria-describedby", "for"):
            self.refers += given.get(name, "").split()
        if tag == "a":
            self.links.append(given.get("href", ""))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in SVG_EMPTY:
            return
        if not self.open or self.open[-1] != tag:
            self.faults.append(f"</{tag}> closes {self.open[-1:] or 'nothing'}")
        if tag in self.open:
            while self.open.pop() != tag:
                pass

    def handle_data(self, data: str) -> None:
        if data.strip():
            self.words.append(data)
            if self.open and self.open[-1] == "title" and "svg" not in self.open:
                self.titles.append(data)

    @property
    def text(self) -> str:
        """The words of the page, with single blanks."""
        return " ".join(" ".join(self.words).split())


def look(client: Client, address: str, **query: str) -> Page:
    """A page as it is shown, which must be whole."""
    response: Any = client.get(address, query)
    assert response.status_code == 200, address
    page = Page(response.content.decode())
    assert page.faults == []
    assert page.titles
    page.context = response.context
    return page
