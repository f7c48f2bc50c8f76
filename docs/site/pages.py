"""The navigation is the list in docs/README.md; pages of the repository's root are pages too."""

import re
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

DOCS = Path(__file__).parent.parent
OF_ROOT = ("CHANGELOG.md", "CONTRIBUTING.md", "GLOSSARY.md", "SECURITY.md")


def on_config(config: MkDocsConfig) -> None:
    """Headings become sections, and the links below them their pages."""
    sections: list[dict[str, list[str]]] = []
    for heading, links in re.findall(
        r"^## (.+?)\n(.*?)(?=^## |\Z)",
        (DOCS / "README.md").read_text(encoding="utf-8"),
        re.M | re.S,
    ):
        pages = [inside(link, "README.md") for link in re.findall(r"\]\(([^)#]+\.md)\)", links)]
        sections.append({heading: pages})
    config.nav = [
        "README.md",
        *sections,
        {"Words and changes": ["GLOSSARY.md", "CHANGELOG.md", "SECURITY.md"]},
    ]


def on_files(files: Files, config: MkDocsConfig) -> None:
    for name in OF_ROOT:
        files.append(File.generated(config, name, abs_src_path=str(DOCS.parent / name)))


def on_page_markdown(markdown: str, page: Page, **_: Any) -> str:
    """Links between docs/ and the root lead to where the pages stand on the site."""
    place = page.file.src_uri
    return re.sub(r"(?<=\]\()[^):]+", lambda link: inside(link[0], place), markdown)


def inside(link: str, place: str) -> str:
    """A relative link of a page, as it is where docs/ and the root are one folder."""
    if place in OF_ROOT:
        return re.sub(r"^docs/", "", link)
    return re.sub(rf"^((?:\.\./){{{place.count('/')}}})\.\./({'|'.join(OF_ROOT)})", r"\1\2", link)
