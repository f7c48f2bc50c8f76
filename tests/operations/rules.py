"""The alert rules, and what they choose among the numbers."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import yaml

ROOT = Path(__file__).parents[2]
RULES = ROOT / "deploy/alerts.rules.yml"
SELECTOR = re.compile(r"(\w+)\{([^}]*)\}")
MATCHER = re.compile(r'(\w+)(=~|!=|!~|=)"([^"]*)"')


class Choice(NamedTuple):
    """What a rule asks of a label: one of `values`, each a regular expression of the whole."""

    metric: str
    label: str
    values: list[str]


def rules() -> list[dict[str, Any]]:
    (group,) = yaml.safe_load(RULES.read_text())["groups"]
    return group["rules"]


def choices() -> Iterator[Choice]:
    for rule in rules():
        for metric, inside in SELECTOR.findall(rule["expr"]):
            for label, operator, value in MATCHER.findall(inside):
                values = value.split("|") if "~" in operator else [re.escape(value)]
                yield Choice(metric, label, values)
