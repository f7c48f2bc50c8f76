"""Pages that are small and yet meant to keep an import, a server or a browser busy for minutes."""

SIZE = 64_000
LAST_WORDS = "the last words"
# What is said over and over; more often for a larger page.
REPEATED = {
    "nested blocks": "<div>",
    "nested blocks with words": "<div>word ",
    "unclosed inline": "<b>a<i>b<u>c",
    "inline reopened in every paragraph": "<b><i><u><s><em><strong><small><code><p>a",
    "misnested ends": "<b><p>a</b></i><i>b",
    "nested tables": "<table><tr><td>a<td>",
    "tables without rows": "<table><td>a",
    "tables in captions": "<table><caption>a",
    "words between rows": "<table>a<tr>b<div>c",
    "nested lists": "<ul><li>a",
    "nested definitions": "<dl><dd>a<dt>",
    "nested quotations": "<blockquote><pre>a",
    "wide cells": "<tr><td colspan=99999999 rowspan=99999999>a",
    "unclosed paragraphs": "<p>a",
    "unclosed items": "<li>a",
    "short lines": "a<br>",
    "unclosed comments": "a<!-- > <!",
    "unclosed quotations": "a<p title=' x=\">",
    "unclosed scripts": "a<script>",
    "unclosed titles": "a<title></titl",
    "unclosed dates": "a<date><h1>",
    "bare brackets": "< a </ ",
    "entities": "&#x26;&ampamp",
    "foreign": "<svg><math><mtext>a</svg>",
}


def hostile_texts(size: int = SIZE) -> dict[str, str]:
    """Each kind as HTML of about `size` characters, of which most end in the last words."""
    texts = {name: unit * (size // len(unit)) for name, unit in REPEATED.items()}
    texts["wide cells"] = "<table>" + texts["wide cells"]
    texts["blanks in spans"] = "<table><td colspan=" + " " * size + "x>"
    half = size // 20
    texts["ends in the order of the beginnings"] = (
        "<b>" * half + "<i>" * half + "a" + "</b>" * half + "</i>" * half
    )
    return {name: f"{text}<p>{LAST_WORDS}" for name, text in texts.items()}
