from typing import Any

import numpy as np

from judging.collections import vocabulary
from judging.flow.admission import LINE_LENGTHS
from magnitudes.files.limits import LONGEST_RECORD
from workspace.archive.columns import Keys, Packed, Row
from workspace.archive.field_values import Invalid
from workspace.archive.table import Scope

OPTIONS = 4
TEXTS = ("score_text", "justification")
_CODES, _RANKS = Packed("codes", vocabulary.CODES), Packed("ranks", vocabulary.RANKS)
_SCORES = Packed("scores", vocabulary.SCORES)


def _text(values: Row, row: Row, keys: Keys, scope: Scope) -> None:
    characters = sum(len(text) for text in values.values() if isinstance(text, str))
    if characters > LONGEST_RECORD:
        raise Invalid(f"{characters:,} characters", f"at most {LONGEST_RECORD:,}")


def _document(values: Row, row: Row, keys: Keys, scope: Scope) -> None:
    if not (values["title"] or values["text"]):
        raise Invalid("a document without title and text", "one of them")


def _list(values: Row, row: Row, keys: Keys, scope: Scope) -> None:
    codes, ranks, scores = (column.numbers(row) for column in (_CODES, _RANKS, _SCORES))
    if not len(codes) == len(ranks) == len(scores):
        counts = f"{len(codes)} codes, {len(ranks)} ranks, {len(scores)} scores"
        raise Invalid(counts, "as many of each")
    size = keys["sizes"].get(row["topic"], 0)
    if len(codes) and (codes.max() >= size or len(np.unique(codes)) < len(codes)):
        raise Invalid("codes beyond the vocabulary, or twice", f"each once, below {size}")
    if (np.diff(scores) > 0).any():
        raise Invalid("scores that rise", "scores in descending order")


def _assignment(values: Row, row: Row, keys: Keys, scope: Scope) -> None:
    if sorted(values["option_order"]) != list(range(OPTIONS)):
        raise Invalid(f"option_order {values['option_order']}", "0 to 3, each once")
    if len(values["lines"]) != len(LINE_LENGTHS):
        raise Invalid(f"{len(values['lines'])} lines", f"{len(LINE_LENGTHS)} lengths of lines")
    pages = len(values["order"])
    if pages != scope.study.unit_size:
        raise Invalid(f"{pages} documents", f"{scope.study.unit_size}, the size of units")
    if values["furthest"] > pages or values["position"] > pages + 1:
        raise Invalid(f"page {max(values['furthest'], values['position'])}", f"at most {pages}")


def _visit(values: Row, row: Row, keys: Keys, scope: Scope) -> None:
    if values["position"] not in keys["orders"][row["assignment"]]:
        raise Invalid(f"page {values['position']}", "a page of the assignment")


def _judgment(values: Row, row: Row, keys: Keys, scope: Scope) -> None:
    if values["graded"] != scope.study.is_graded:
        raise Invalid(f"graded {str(values['graded']).lower()}", "as the study's scale is")
    if values["score"] is None or not values["justification"]:  # a draft; its attempt ends
        values |= dict.fromkeys(("score", "first_score")) | dict.fromkeys(TEXTS, "")
    _level(scope, [values[name] for name in ("score", "first_score", "score_at_failure")])


def _opinion(values: Row, row: Row, keys: Keys, scope: Scope) -> None:
    if values["score" if scope.study.is_graded else "level"] is not None:
        raise Invalid("an opinion on another scale", "levels or scores, as the study's scale is")
    _level(scope, [values["level"]])


def _level(scope: Scope, levels: list[Any]) -> None:
    highest = len(scope.study.levels) - 1
    for level in levels:
        if scope.study.is_graded and level is not None and not (0 <= level <= highest):
            raise Invalid(f"level {level:g}", f"0 to {highest}")


def _chosen(values: Row, row: Row, keys: Keys, scope: Scope) -> None:
    for ids in values["chosen"].values():
        if not isinstance(ids, list) or not all(isinstance(doc_id, str) for doc_id in ids):
            raise Invalid("chosen that are no lists of ids", "topics, each with ids of documents")


CHECKS = {
    "topics": _text,
    "documents": _document,
    "lists": _list,
    "batches": _chosen,
    "assignments": _assignment,
    "visits": _visit,
    "judgments": _judgment,
    "opinions": _opinion,
}
