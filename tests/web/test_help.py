"""The documentation on the site, and the way to it from every page of researchers."""

import re
from pathlib import Path

import pytest
from django.template import Context, Template, TemplateSyntaxError
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from web import help as help_pages
from web.help import HELP, INDEX

ROOT = Path(__file__).parents[2]
# Addresses of researchers that are no pages: files, and buttons that lead on at once.
NO_PAGES = re.compile(
    r".*\.(csv|zip|jsonl?|toml|atom)|.*<(slug|str):(file_format|secret|token)>|.*/(delete|end|remove|"
    r"release|archive|free-texts)/|uploads/|hooks/.*|.*preview/<slug:name>/"
)
OF_RESEARCHERS = "studies/", "collections/", "imports/", "opinions/", "people/", "new-study/"


def addresses(of: URLResolver, before: str = "") -> dict[str, str]:
    found: dict[str, str] = {}
    for each in of.url_patterns:
        route = before + str(each.pattern)
        if isinstance(each, URLResolver):
            found |= addresses(each, route)
        elif isinstance(each, URLPattern) and each.name:
            found[each.name] = route
    return found


def test_every_page_of_researchers_has_its_page_of_the_documentation():
    pages = {
        name
        for name, route in addresses(get_resolver()).items()
        if route.startswith(OF_RESEARCHERS) and not NO_PAGES.fullmatch(route)
    }
    assert pages - set(HELP) == set()
    assert set(HELP) - set(addresses(get_resolver())) == set()


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    """The HTML of each page by its name; its headings are places in it."""
    return {name: help_pages.page(name).html for name in help_pages.files()}


def test_every_link_leads_to_a_page_and_a_place_on_it(pages):
    places = {name: set(re.findall(r'id="([^"]+)"', html)) for name, html in pages.items()}
    links = [
        (name, link)
        for name, html in pages.items()
        for link in re.findall(r'href="([^":]+)"', html)
    ]
    assert len(links) > 150
    for name, link in [*links, *((INDEX, help_pages.address(part)) for part in HELP.values())]:
        path, _, place = link.partition("#")
        to = (path.removeprefix("/help/").strip("/") or INDEX) if path else name
        assert to in pages, (name, link)
        assert not place or place in places[to], (name, link)


def test_strangers_may_read_it(client: Client, db: None):
    for name in (INDEX, "glossary", "platforms/prolific", "measures"):
        assert client.get(help_pages.address(name)).status_code == 200
    for name in ("../README", "no-such-page", "glossary.md"):
        assert client.get(f"/help/{name}/").status_code == 404


def shown(source: str) -> str:
    return Template("{% load help %}" + source).render(Context({"explained_words": set()}))


def test_a_word_is_explained_where_it_stands_first():
    text = shown('{% term "Units" "unit" %} and {% term "unit" %}')
    assert text.count("popover ") == text.count("<button") == 1
    assert "both anchors and others" in text
    assert text.endswith(" and unit")
    with pytest.raises(TemplateSyntaxError, match="has no sprocket"):
        shown('{% term "sprocket" %}')


def test_words_that_templates_explain_are_in_the_glossary():
    tags = [
        tag
        for path in ROOT.glob("templates/**/*.html")
        for tag in re.findall(r'\{% term "([^"]+)"(?: "([^"]+)")? %\}', path.read_text("utf-8"))
    ]
    assert len(tags) > 20
    assert {(word or text).lower() for text, word in tags} - set(help_pages.definitions()) == set()
