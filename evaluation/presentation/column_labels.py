"""What columns are called where people read them, on pages and in print. Files keep their names.

A column says its head where it is declared. Here stand the heads that several tables share, those
that are made of names, and what stands in print over neighbours that belong together.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, NamedTuple

SHARED = {
    "query_id": "topic",
    "doc_id": "document",
    "q1": "lower quartile",
    "q3": "upper quartile",
}
SPELLED = {"h k": "H_k", "n k": "N_k", "ndcg": "nDCG", "tbg": "TBG", "2plus": "≥ 2"}
WORD = re.compile(rf"\b({'|'.join(SPELLED)})\b", re.IGNORECASE)
P_VALUES = re.compile(r"p|p_\w+|\w+_p")
# Names of columns that say what they are of, as mean_nDCG or tau_of_all does.
PARTS = (
    re.compile(r"(?P<own>mean|rank)_(?P<group>.+)"),
    re.compile(r"(?P<own>.+)_(?P<group>nDCG|ERR|\d+%)"),
    re.compile(
        r"(?P<group>geometric|median|midrange|anchors|σ|paper's_tau|paper's_overlap|tau|overlap"
        r"|told_apart|overlap_level|back|fail|at(?=_\d+$))_(?P<own>.+)"
    ),
)
GROUPS = {
    "at": "share of scores at",
    "told_apart": "share that differ",
    "back": "Back steps",
    "fail": "Failed finishes",
}
ENDS = {"low": "from", "high": "to"}


class Printed(NamedTuple):
    """What stands over a column in print; group: over it and its neighbours, empty if nothing."""

    head: str
    group: str = ""


def heading(name: str) -> str:
    """What a column is called that does not say it itself.

    >>> heading("query_id"), heading("gain_of_h_k"), heading("rank_by_ndcg")
    ('topic', 'gain of H_k', 'rank by nDCG')
    """
    words = name.replace("_", " ")
    return SHARED.get(name) or WORD.sub(lambda word: SPELLED[word[0].lower()], words)


def head_of(part: Mapping[str, Any], name: str) -> str:
    """What people read above a column of a kept figure or table."""
    return part.get("heads", {}).get(name) or heading(name)


def is_p_value(part: Mapping[str, Any], name: str) -> bool:
    """Whether a column has the p of a test.

    >>> is_p_value({"name": "topics"}, "p_of_logs")
    True
    >>> is_p_value({"name": "chances", "heads": {"p": "chance"}}, "p")
    False
    """
    return P_VALUES.fullmatch(name) is not None and head_of(part, name) != "chance"


def printed(part: Mapping[str, Any], names: Sequence[str]) -> list[Printed]:
    """What stands over some columns of a kept table, with the groups that neighbours belong to.

    >>> printed({}, ["query_id", "tau", "low", "high"])[2]
    Printed(head='from', group='95% interval')
    >>> printed({}, ["system", "mean_nDCG", "rank_nDCG"])[1]
    Printed(head='mean', group='nDCG')
    """
    made = [Printed(head_of(part, name)) for name in names]
    for pattern in PARTS:
        for run in _runs([pattern.fullmatch(name) for name in names]):
            if not any(made[place].group for place in run):
                for place, match in run.items():
                    own, group = match["own"], match["group"]
                    of = GROUPS.get(group, heading(group).removeprefix("by "))
                    made[place] = Printed(ENDS.get(own, heading(own)), of)
    for place in range(len(names) - 1):
        if tuple(names[place : place + 2]) == tuple(ENDS):
            made[place : place + 2] = [Printed(end, "95% interval") for end in ENDS.values()]
    return made


def _runs(matches: Sequence[re.Match[str] | None]) -> Iterator[dict[int, re.Match[str]]]:
    """Two or more neighbours that are of the same group, by their places."""
    for _, members in groupby(enumerate(matches), lambda each: each[1] and each[1]["group"]):
        run = {place: match for place, match in members if match}
        if len(run) > 1:
            yield run
