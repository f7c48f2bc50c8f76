"""Draw docs/measures.md from the measures and what they say of themselves."""

import inspect
import sys
from collections.abc import Mapping
from typing import Any

from django.conf import settings

from magnitudes import measures
from magnitudes.gains import named
from magnitudes.gains.catalogue import GAINS
from magnitudes.measures import names, relevance, unjudged
from magnitudes.measures.catalogue import MEASURES, OF_ALL, Option, literal
from web.drawn_page import DrawnPage


class Command(DrawnPage):
    help = "Draw the page of measures; with --check, fail if the page is stale."
    path = settings.BASE_DIR / "docs" / "measures.md"
    source = "magnitudes/measures"

    def page(self) -> str:
        """The grammar, what all measures share, and then one after the other."""
        return "\n\n".join(
            [
                "# Measures",
                _text(names),
                _table(OF_ALL),
                "## What all have in common",
                _text(measures),
                "## Order, and unjudged documents",
                _text(unjudged),
                "## What counts as relevant",
                _text(relevance),
                "## Gains by name",
                _text(named),
                _gains(),
                *map(_measure, MEASURES),
            ]
        )


def _measure(name: str) -> str:
    definition = MEASURES[name]
    cutoff = {"optional": "", "required": " It needs a cutoff.", "none": " It takes no cutoff."}
    title, *rest = _text(sys.modules[definition.function.__module__]).split("\n\n")
    return "\n\n".join(
        [
            f"## `{name}`",
            f"**{title.replace(chr(10), ' ')}**{cutoff[definition.cutoff]}",
            *rest,
            *([_table(definition.options)] if definition.options else []),
        ]
    )


def _gains() -> str:
    rows = "\n".join(
        f"| `{word}{':' + gain.option.form if gain.option else ''}` | {gain.what} | {gain.of} |"
        for word, gain in GAINS.items()
    )
    return f"| name | what it is | of |\n|---|---|---|\n{rows}"


def _text(module: Any) -> str:
    return inspect.cleandoc(module.__doc__)


def _table(options: Mapping[str, Option]) -> str:
    rows = "\n".join(
        f"| `{name}` | {option.values} | {_default(option)} |" for name, option in options.items()
    )
    return f"| option | values | if not given |\n|---|---|---|\n{rows}"


def _default(option: Option) -> str:
    default = "off" if option.default is None else f"`{literal(option.default)}`"
    if option.in_study is None:
        return default
    return f"{default}; in a study of magnitudes `{literal(option.in_study)}`"
