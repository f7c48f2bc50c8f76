"""What columns are called where people read them: on pages and in LaTeX. Files keep their names."""

import re
from collections.abc import Mapping
from typing import Any

# By name, and where a name means something else in one table, by the table's and its own.
HEADS = {
    "query_id": "topic",
    "doc_id": "document",
    "by-level.n": "documents",
    "by-topic.n": "documents",
    "quantiles.n": "how many",
    "quantiles.of": "measure of spread",
    "by-judges.of": "agreement",
    "by-topics.of": "agreement",
    "boxes.n": "pairs",
    "levels.n": "judgments",
    "r2": "R²",
    "adjusted_r2": "adjusted R²",
    "q1": "lower quartile",
    "q3": "upper quartile",
    "mean_ndcg": "mean nDCG",
    "ndcg": "nDCG",
    "rank_by_ndcg": "rank by nDCG",
    "by_tbg": "by TBG",
    "mean_tbg": "mean TBG",
    "rank_by_tbg": "rank by TBG",
    "rank_by_tbg_of_study": "rank by TBG, the study's T_D",
    "rank_by_tbg_of_topics": "rank by TBG, each topic's T_D",
    "tbg": "TBG",
    "tbg_of_study": "TBG, the study's T_D",
    "tbg_of_topics": "TBG, each topic's T_D",
}
ANCHOR = re.compile(r"\b([HN]) k\b", re.IGNORECASE)
P_VALUES = re.compile(r"p|p_\w+|\w+_p")


def heading(name: str, part: str = "") -> str:
    """What a column of a figure or table is called.

    >>> heading("query_id"), heading("n", "by-level"), heading("gain_of_h_k")
    ('topic', 'documents', 'gain of H_k')
    """
    given = HEADS.get(f"{part}.{name}") or HEADS.get(name)
    return given or ANCHOR.sub(lambda k: f"{k[1].upper()}_k", name.replace("_", " "))


def head_of(part: Mapping[str, Any], name: str) -> str:
    """What people read above a column of a kept figure or table."""
    return part.get("heads", {}).get(name) or heading(name, part["name"])


def is_p_value(part: Mapping[str, Any], name: str) -> bool:
    """Whether a column has the p of a test.

    >>> is_p_value({"name": "topics"}, "p_of_logs")
    True
    >>> is_p_value({"name": "chances", "heads": {"p": "chance"}}, "p")
    False
    """
    return P_VALUES.fullmatch(name) is not None and head_of(part, name) != "chance"
