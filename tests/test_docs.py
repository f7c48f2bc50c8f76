"""The documentation names what there is."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import get_commands

from evaluation.publishing.exports import EXPORTS, OF_IMPORTED, OF_MAGNITUDES
from judging.settings import BY_NAME
from judging.studies.configuration.settings import read_config
from magnitudes.files.labels.opinions import FIELDS

ROOT = Path(__file__).parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])


def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def test_every_variable_is_described():
    used = set(re.findall(r'env\.\w+\("(\w+)"', text("config/settings.py")))
    described = set(re.findall(r"^\| `(\w+)` \|", text("docs/operations.md"), re.MULTILINE))
    assert used == described


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_command_and_link_exists(page):
    said = page.read_text(encoding="utf-8")
    assert set(re.findall(r"manage\.py ([a-z_]+)", said)) <= get_commands().keys()
    for link in re.findall(r"\]\(([^)#:]+)\)", said):
        assert (page.parent / link).exists(), link
    for target in re.findall(r"^make ([a-z-]+)|`make ([a-z-]+)", said, re.MULTILINE):
        assert re.search(rf"^{''.join(target)}:", text("Makefile"), re.MULTILINE), target


def test_the_example_study_names_every_setting(tmp_path):
    example = re.search(r"```toml\n(.*?)```", text("docs/studies.md"), re.DOTALL)
    file = tmp_path / "study.toml"
    file.write_text(example[1])
    assert read_config(file).keys() - {"topics"} == BY_NAME.keys() - {
        "levels",
        "level_descriptions",
        "demo",
    }


def test_every_table_is_listed_with_its_columns():
    said = text("docs/results.md")
    for name, export in EXPORTS.items():
        row = re.search(rf"^\| {name} \| (.*) \|$", said, re.MULTILINE)[1]
        assert tuple(re.findall(r"\w+", re.sub(r"\(.*?\)", "", row))) == export.columns


def test_every_field_of_an_opinion_is_listed():
    said = text("docs/opinions.md").lower()
    for name, aliases in FIELDS.items():
        row = re.search(rf"^\| `{name}`.*$", said, re.MULTILINE)
        told = {word.replace("_", "") for word in re.findall(r"\w+", row[0])}
        assert {alias.replace("_", "") for alias in aliases} <= told
    for what, tables in (
        ("an imported study", OF_IMPORTED),
        ("imported magnitudes", OF_MAGNITUDES),
    ):
        columns = re.search(rf"^\| judgments of {what} \| (.*) \|$", said, re.MULTILINE)[1]
        assert tuple(columns.split(", ")) == tables["judgments"].columns


def linked(page: Path) -> set[Path]:
    """The files that a page links to; of a folder, none."""
    links = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8"))
    targets = {(page.parent / link).resolve() for link in links}
    return {target for target in targets if target.suffix in (".md", ".ipynb", ".py")}


def test_every_page_is_reached_from_the_readme_by_links():
    reached, new = set(), {ROOT / "README.md"}
    while new:
        reached |= new
        new = {link for page in new if page.suffix == ".md" for link in linked(page)} - reached
    pages = {*ROOT.glob("docs/**/*.md"), *ROOT.glob("docs/examples/*.*")}
    assert pages - reached == set()


def test_the_index_lists_every_page():
    index = linked(ROOT / "docs/README.md")
    listed = {*ROOT.glob("docs/**/*.md"), *ROOT.glob("docs/examples/*.*")} - {
        *ROOT.glob("docs/decisions/*.md"),
        ROOT / "docs/README.md",
    }
    assert listed - index == set()


def test_the_site_is_built_and_loads_nothing_from_elsewhere(tmp_path: Path):
    """Strictly: a link that leads nowhere is an error. A script has a source, or is data."""
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--site-dir", tmp_path]
    subprocess.run(command, cwd=ROOT, check=True)
    pages = [page.read_text(encoding="utf-8") for page in tmp_path.glob("**/*.html")]
    assert len(pages) > 40
    for page in pages:
        assert not re.findall(
            r"<(?:script|link|img|iframe)[^>]+(?:src|href)=\"(?:https?:)?//", page
        )
        assert not re.findall(r"<script(?![^>]*(?:src=|application/json))|<style|\sstyle=", page)
