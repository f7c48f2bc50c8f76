"""One word for one thing: words that were given up for another come back nowhere that is read."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
APPS = "accounts config crowd evaluation judging magnitudes operations web workspace".split()
# What is written now, by what it took the place of.
GIVEN_UP = {
    r"\bin hand\b": "in progress, or at work",
    r"\bat rest\b": "idle",
    r"\bworth a look\b": "stands out, or a warning",
    r"\bputs? (it )?away\b": "archive",
    r"\btold (from|apart)\b": "differs significantly from, or distinguished",
    r"\bmore to ask\b": "More options",
    r"\bmake (a|another) (study|rehearsal|token|link)\b": "create",
    r"\bbring (a collection|labels|runs|files)\b": "add, or import",
    r"\bsend files\b": "upload",
    r"\bsave and go on\b": "Save and continue",
    r"\bhave it computed\b": "compute",
    r"\bleft aside\b": "left out, or without",
    r"\bforetell": "predicts",
    r"\bin the mean over\b": "averaged over",
    r"\b(is|are|was|were) held against\b": "compared with",
    r"\bnot for this study\b": "not applicable",
    r"\blooked at\b": "tested, read or compared",
    r"\bsets? of documents for\b": "units",
}
# Where a researcher reads: workers read of a set, and of what they are asked to look at.
PAGES = [
    path
    for path in sorted(ROOT.glob("templates/**/*.*"))
    if "worker" not in path.relative_to(ROOT).parts
]
DOCS = [ROOT / "README.md", ROOT / "GLOSSARY.md", *sorted(ROOT.glob("docs/**/*.md"))]
CODE = [path for app in APPS for path in sorted(ROOT.glob(f"{app}/**/*.py"))]


def strings(source: str) -> Iterator[str]:
    """What a module says: its strings, joined as Python joins them, without docstrings."""
    tree = ast.parse(source)
    silent = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and id(node) not in silent
        ):
            yield node.value


def given_up(text: str) -> list[str]:
    text = " ".join(text.split())
    return [
        f"{match[0]!r}: say {now}"
        for word, now in GIVEN_UP.items()
        for match in re.finditer(word, text, re.IGNORECASE)
    ]


def test_what_was_given_up_is_found():
    assert given_up("3 units in\nhand") == ["'in hand': say in progress, or at work"]
    assert given_up("Put it away") == ["'Put it away': say archive"]
    assert given_up("This rests on 3 units; hand it on") == []
    module = '"""In hand."""\n# in hand\nWORDS = "3 units " "in hand"\n'
    assert [each for text in strings(module) for each in given_up(text)] == [
        "'in hand': say in progress, or at work"
    ]


@pytest.mark.parametrize("kind", ["pages", "docs"])
def test_no_page_says_what_was_given_up(kind):
    files = {"pages": PAGES, "docs": DOCS}[kind]
    assert files
    said = {path.relative_to(ROOT): given_up(path.read_text("utf-8")) for path in files}
    assert {path: words for path, words in said.items() if words} == {}


def test_no_sentence_of_the_code_says_what_was_given_up():
    said = {
        path.relative_to(ROOT): [
            each for text in strings(path.read_text("utf-8")) for each in given_up(text)
        ]
        for path in CODE
    }
    assert {path: words for path, words in said.items() if words} == {}
