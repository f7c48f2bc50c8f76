"""What the papers print stands once, in `published.toml`, and every number of it is shown."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from string import Formatter
from typing import Any

import pytest

from evaluation.presentation import published
from evaluation.presentation.published import NUMBERS, PAPERS, PublishedError, read

EVALUATION = Path(__file__).parents[2] / "evaluation"
SOURCES = {
    path.relative_to(EVALUATION): path.read_text(encoding="utf-8")
    for path in sorted(EVALUATION.rglob("*.py"))
    if path.name != "published.py"
}
ENTRY = {"value": 1, "place": "Table 1", "quantity": "a share", "condition": "of all documents"}
OTHERS = {  # which are no paper's
    ("analyses/scores/distribution_curves.py", "0.995"),  # a quantile
    ("presentation/parts.py", "0.323"),  # of an example
}


def patterns(text: ast.expr) -> str:
    """A string as a regular expression; what is computed in it may be anything."""
    parts = text.values if isinstance(text, ast.JoinedStr) else [text]
    return "".join(
        re.escape(part.value) if isinstance(part, ast.Constant) else ".+?" for part in parts
    )


def fields(sentence: str) -> Iterator[str]:
    return (name for _, name, _, _ in Formatter().parse(sentence) if name)


def keys_of(place: dict[str, Any]) -> Iterator[str]:
    """Those that a figure or table of a paper shows, in words and beside ours."""
    yield from fields(place.get("theirs", ""))
    for compared in place.get("compare", ()):
        yield from (key for name, key in compared.items() if name.startswith("theirs"))


def asked_for() -> Iterator[str]:
    """Every key that is looked up, as a regular expression."""
    for text in SOURCES.values():
        for node in ast.walk(ast.parse(text)):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
                continue
            if getattr(node.func.value, "id", "") != "published":
                continue
            if node.func.attr in ("value", "values"):
                yield patterns(node.args[0])
            elif node.func.attr == "quote" and isinstance(node.args[0], ast.Constant):
                yield from map(re.escape, fields(node.args[0].value))
            elif isinstance(node.args[0], ast.JoinedStr):
                yield patterns(node.args[0]).removeprefix(r"\{").removesuffix(r"\}")
    for paper in PAPERS.values():
        for place in paper["place"]:
            yield from map(re.escape, keys_of(place))


def test_every_number_is_shown_somewhere() -> None:
    asked = re.compile("|".join(set(asked_for())))
    keys = [
        (key, f"{key}.{item}" if item else key) for key, items in NUMBERS.items() for item in items
    ]
    assert [one for key, one in keys if not asked.fullmatch(key) and not asked.fullmatch(one)] == []


def test_no_number_of_a_paper_stands_in_the_code() -> None:
    """Of three digits or more: shorter ones mean other things as well."""
    forms: set[str] = set()
    for text, number in (printed for items in NUMBERS.values() for printed in items.values()):
        if len(re.sub(r"\D", "", text.partition("/")[0]).strip("0")) >= 3:
            forms |= {text.partition("/")[0], f"{number:.4f}".strip("0"), f"{number:g}".lstrip("0")}
    wanted = re.compile(rf"(?<![\w.,])0?(?:{'|'.join(map(re.escape, forms))})(?!\w)")
    found = {
        (str(path), number) for path, text in SOURCES.items() for number in wanted.findall(text)
    }
    assert found <= OTHERS


def test_a_number_is_as_printed_and_as_a_number() -> None:
    assert published.value("overlap_runs_nDCG.all") == 0.8182
    assert published.values("unit_agreement") == {"perfect": 0.5, "above_8": 0.7, "above_6": 0.86}
    assert published.value("ratio_rule.1") == 3591 / 7059
    sentence = "{units} units, tau {tau_simulated_ERR.all} and {overlap_simulated_ERR.all:.0%}"
    assert published.quote(sentence) == "7,059 units, tau .060 and 68%"


@pytest.mark.parametrize("key", ["alfa", "pairs.all", "pairs"])
def test_an_unknown_key_is_named(key: str) -> None:
    with pytest.raises(PublishedError, match=f"has no {re.escape(key)}"):
        published.value(key)
    with pytest.raises(PublishedError, match=f"has no {re.escape(key)}"):
        published.quote(f"tau {{{key}}}")
    with pytest.raises(PublishedError, match="has no alfa"):
        published.values("alfa")


@pytest.mark.parametrize(
    ("entry", "fault"),
    [
        ({"place": ""}, "tau: place missing, empty or unknown"),
        ({"value": {}}, "tau: value missing, empty or unknown"),
        ({"page": "1"}, "tau: page missing, empty or unknown"),
        ({"value": "a third"}, "tau: 'a third' is no number"),
    ],
)
def test_what_is_wrong_with_a_number_is_said(entry: dict[str, Any], fault: str) -> None:
    with pytest.raises(PublishedError, match=fault):
        read({"made": {"number": {"tau": ENTRY | entry}}})


def test_a_key_stands_once() -> None:
    paper = {"number": {"tau": ENTRY}}
    assert read({"one": paper, "without": {}})["tau"][""].number == 1
    with pytest.raises(PublishedError, match="tau stands twice"):
        read({"one": paper, "other": paper})
    with pytest.raises(PublishedError, match="condition missing"):
        read({"one": {"number": {"tau": {**ENTRY, "condition": ""}}}})
