"""Columns of a table as a paper prints them: plain words over them, and groups over these."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from types import MappingProxyType
from typing import NamedTuple

from evaluation.presentation.heads import heading

WORDS = {
    "low": "from",
    "high": "to",
    "sd": "s.d.",
    "h_k": "H_k",
    "n_k": "N_k",
    "paid_not_counted": "paid, not counted",
    "units_with_at_least_this": "units with at least this",
}
PHRASES = {
    "by magnitudes": "magnitudes",
    "no anchors": "without anchors",
}
PAIRED = re.compile(r"(?P<own>mean|rank)_(?P<group>.+)")
ENDS = re.compile(r"(?P<own>.+)_(?P<group>nDCG|ERR|\d+%)")
STARTS = re.compile(
    r"(?P<group>geometric|median|midrange|anchors|σ|paper's_tau|paper's_overlap|tau|overlap"
    r"|told_apart|overlap_level|back|fail)_(?P<own>.+)"
)
AT = re.compile(r"(?P<group>at)_(?P<own>\d+)")
GROUPS = {
    "σ": "σ",
    "at": "share of scores at",
    "told_apart": "share told apart",
    "back": "Back steps",
    "fail": "Failed finishes",
}
INTERVAL = "95% interval"


class Column(NamedTuple):
    """What stands over a column; group: over it and its neighbours, empty if nothing does."""

    head: str
    group: str = ""


def columns_of(
    names: Sequence[str], heads: Mapping[str, str] = MappingProxyType({})
) -> list[Column]:
    """The columns of a table by their names in data files; heads: what its page has above them.

    >>> columns_of(["query_id", "tau", "low", "high"])[2]
    Column(head='from', group='95% interval')
    >>> columns_of(["system", "mean_nDCG", "rank_nDCG"])[1]
    Column(head='mean', group='nDCG')
    """
    made = [Column(words(name, heads.get(name, ""))) for name in names]
    for pattern in (PAIRED, ENDS, STARTS, AT):
        for run in _runs([pattern.fullmatch(name) for name in names]):
            if not any(made[place].group for place, _ in run):
                for place, match in run:
                    made[place] = Column(words(match["own"]), group_words(match["group"]))
    for place in range(len(names) - 1):
        if (names[place], names[place + 1]) == ("low", "high"):
            made[place], made[place + 1] = Column("from", INTERVAL), Column("to", INTERVAL)
    return made


def _runs(matches: Sequence[re.Match[str] | None]) -> Iterator[list[tuple[int, re.Match[str]]]]:
    """Two or more neighbours that are of the same group, with their places."""
    for _, members in groupby(enumerate(matches), lambda each: each[1] and each[1]["group"]):
        run = [(place, match) for place, match in members if match]
        if len(run) > 1:
            yield run


def words(name: str, head: str = "") -> str:
    """A column's name in words, from what its page has above it."""
    if name in WORDS:
        return WORDS[name]
    said = (head or heading(name)).replace("2plus", "≥ 2")
    for phrase, better in PHRASES.items():
        said = re.sub(rf"\b{phrase}\b", better, said)
    return said


def group_words(name: str) -> str:
    return GROUPS.get(name, words(name).removeprefix("by "))
