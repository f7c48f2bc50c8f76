"""Documents that are meant to keep a browser busy, as long as one that is shown may be."""

from judging.collections.cleaning import MAX_LENGTH
from tests.hostile_texts import hostile_texts

LENGTH = MAX_LENGTH - 1000
SENTENCE = "The lamp had burned in the same tower for as long as anybody could say. "
# What is said over and over.
REPEATED = {
    "spans": "<span>a</span>",
    "cells": "<td>a",
    "items": "<ul><li>a</ul>",
    "one word": "W",
    "letters with many marks": "a" + "\u0337\u0322\u031b\u0353\u0344" * 4,
    "words to the left and right": "\u05e9\u05dc\u05d5\u05dd ab 12 ",
    "embeddings without an end": "\u2066\u202ba",
    "breaks that cannot be seen": "a\u200b",
    "letters that are joined": "\U0001f468\u200d\U0001f469\u200d\U0001f467",
    "letters that are stacked": "\u0f67\u0f90\u0fb5\u0fa8\u0fb3\u0fba",
}
# Of those meant to hold up an importer, what takes a browser longest, and the worst of each sort.
LONG = (
    *("inline reopened in every paragraph", "nested tables", "tables in captions", "wide cells"),
    *("nested blocks with words", "unclosed inline", "tables without rows", "nested lists"),
    "ends in the order of the beginnings",
)


def plain() -> str:
    """A document of the same length, as people write them."""
    paragraph = f"<p>{SENTENCE * 8}</p>"
    return paragraph * (LENGTH // len(paragraph))


def heavy() -> dict[str, str]:
    texts = {name: unit * (LENGTH // len(unit)) for name, unit in REPEATED.items()}
    texts["cells"] = f"<table>{texts['cells']}</table>"
    longer = hostile_texts(LENGTH)
    return texts | {name: longer[name] for name in LONG}
