"""The documentation as pages of the site: docs/, the glossary, and what else stands at the root.

A page that is shown to researchers names the part of it that fits: see `HELP`.
"""

import re
from functools import cache, partial
from html import unescape
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit
from xml.etree.ElementTree import Element

import markdown
from django.conf import settings
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import strip_tags
from django.utils.safestring import SafeString, mark_safe
from django.utils.text import slugify
from markdown.extensions.toc import TocExtension
from markdown.treeprocessors import Treeprocessor

ROOT: Path = settings.BASE_DIR
GLOSSARY, INDEX = "glossary", "index"
NAMES_OF_ROOT = GLOSSARY, "changelog", "contributing", "security"
OF_ROOT = {name: ROOT / f"{name.upper()}.md" for name in NAMES_OF_ROOT}


class HelpPage(NamedTuple):
    title: str
    html: SafeString  # what is below the title
    contents: list[tuple[str, str]]  # id and text of the headings below the title


class Definition(NamedTuple):
    """A word of the glossary: its place on the page, and what it means in a sentence or two."""

    slug: str
    text: str


@cache
def files() -> dict[str, Path]:
    """Every page by its name in addresses."""
    docs = ROOT / "docs"
    below = {
        path.relative_to(docs).with_suffix("").as_posix(): path for path in docs.glob("**/*.md")
    }
    below[INDEX] = below.pop("README")
    return below | OF_ROOT


@cache
def page(name: str) -> HelpPage:
    """One of the pages that `files` lists."""
    file = files()[name]
    reader = markdown.Markdown(extensions=["fenced_code", "tables", TocExtension(toc_depth="2-2")])
    reader.treeprocessors.register(_OnSite(reader, file), "on-site", 0)
    html = reader.convert(file.read_text(encoding="utf-8")).replace("<pre>", '<pre tabindex="0">')
    title, _, body = html.partition("</h1>")
    contents = [(token["id"], unescape(token["name"])) for token in reader.toc_tokens]  # type: ignore[attr-defined]
    return HelpPage(unescape(strip_tags(title)), mark_safe(body), contents)  # noqa: S308 - our files


@cache
def definitions() -> dict[str, Definition]:
    """The entries of the glossary, by each of their words in small letters."""
    text = OF_ROOT[GLOSSARY].read_text(encoding="utf-8")
    entries: dict[str, Definition] = {}
    for entry in text.split("\n\n"):
        if entry.startswith("**"):
            head, _, meaning = entry.partition(": ")
            words = re.findall(r"\*\*(.+?)\*\*", head)
            plain = re.sub(r"[*`]", "", meaning).replace("\n", " ")
            definition = Definition(slugify(words[0]), plain)
            entries |= dict.fromkeys(map(str.lower, words), definition)
    return entries


class _OnSite(Treeprocessor):
    """Links between files lead to pages of the site; tables can be scrolled; words have a place."""

    def __init__(self, reader: markdown.Markdown, file: Path) -> None:
        super().__init__(reader)
        self.file = file

    def run(self, root: Element) -> None:
        for parent in list(root.iter()):
            for place, child in enumerate(list(parent)):
                if child.tag == "a":
                    self._lead(child)
                elif child.tag == "table":
                    wide = Element("div", {"class": "scroll", "tabindex": "0"})
                    wide.append(child)
                    parent[place] = wide
                elif child.tag == "th" and not "".join(child.itertext()).strip():
                    child.tag = "td"
        if self.file == OF_ROOT[GLOSSARY]:
            for entry in root.iter("p"):
                if len(entry) and entry[0].tag == "strong" and not (entry.text or "").strip():
                    entry.set("id", slugify(entry[0].text or ""))

    def _lead(self, link: Element) -> None:
        """A file that is no page, as one of the code, is named without a link."""
        href = urlsplit(link.get("href", ""))
        if href.scheme or not href.path:
            return
        target = (self.file.parent / href.path).resolve()
        name = next((name for name, path in files().items() if path == target), None)
        if name is None:
            link.tag = "span"
            del link.attrib["href"]
        else:
            fragment = f"#{href.fragment}" if href.fragment else ""
            link.set("href", address(name) + fragment)


def address(name: str) -> str:
    """Where a page is on the site; `name` may end in the part of it, as in studies#anchors."""
    name, _, part = name.partition("#")
    where = reverse("help") if name == INDEX else reverse("help-page", args=[name])
    return f"{where}#{part}" if part else where


# What fits each page of researchers, by the names of addresses; others lead to the index.
HELP = {
    name: part
    for part, names in {
        "studies": "studies",
        "studies#in-a-browser": (
            "new-study setup-plan setup-topics setup-pool setup-topic-pool setup-anchors "
            "setup-topic-anchors setup-questions setup-topic-questions setup-settings "
            "whole-study clone-study rename-study delete-study bring-toml as-in-paper plan-units "
            "discard-plan earlier-studies participants take-anchors"
        ),
        "studies#texts-of-your-own": "setup-texts setup-consent",
        "studies#platforms-and-the-way-back": "setup-recruiting",
        "studies#who-may-come-and-how-much-they-may-hold": "setup-entry",
        "studies#opening-it": "open-study",
        "studies#what-it-will-cost-and-what-it-will-tell": "plan",
        "studies#by-yourself-the-preview": "preview",
        "studies#with-a-few-people-a-rehearsal": "rehearsal",
        "studies#5-run-it": "running trail",
        "studies#more-judges": "batches",
        "studies#leaving-out-a-workers-scores": "exclusions",
        "studies#pay-people": "pay payment",
        "platforms/prolific-api": "prolific",
        "alerts": "alerts",
        "language-models": "model-runs model-run model-unit",
        "monitoring": "monitor",
        "monitoring#failed-checks": "monitor-topic",
        "monitoring#workers-who-stand-out": "monitor-workers",
        "monitoring#signals-of-careless-or-machine-work": "monitor-worker",
        "results#the-overview-of-a-study": "results",
        "results#the-way-down": (
            "systems system against system-on-topic topics topic judged-document difference"
        ),
        "results#runs-and-labels-from-files": "dropped-run",
        "results#files": "files",
        "results#analyses-and-the-report": "replication report",
        "analyses": "method analysis section",
        "publishing#a-release": "release",
        "publishing#a-page-for-everybody": "published",
        "publishing#an-archive": "archive new-archive",
        "people": "people account sessions",
        "people#teams": "team change-member",
        "collections#in-the-browser": (
            "collections new-collection new-dataset bring-sample collection collection-document "
            "collection-documents collection-topic collection-run add-files "
            "change-collection import"
        ),
        "opinions#in-the-browser": "new-opinions opinions",
        "operations/watching#status-the-state-of-every-part": "operations",
    }.items()
    for name in names.split()
}


def fitting(request: HttpRequest) -> dict[str, object]:
    """For templates: where the documentation of this page is, and the words explained so far."""
    match = request.resolver_match
    part = HELP.get(match.url_name or "", INDEX) if match else INDEX
    return {"help_link": partial(address, part), "explained_words": set[str]()}
