"""Draw docs/measures.md from the measures and what they say of themselves."""

import inspect
import sys
from argparse import ArgumentParser
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from magnitudes import measures
from magnitudes.gains import named
from magnitudes.gains.catalogue import GAINS
from magnitudes.measures import names, relevance, unjudged
from magnitudes.measures.catalogue import MEASURES, OF_ALL, Option, literal

PAGE: Path = settings.BASE_DIR / "docs" / "measures.md"


class Command(BaseCommand):
    help = "Draw the page of measures; with --check, fail if the page is stale."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--check", action="store_true", help="write nothing, only compare")
        parser.add_argument("--out", type=Path, default=PAGE, metavar="FILE")

    def handle(self, *args: Any, **given: Any) -> None:
        path, wanted = given["out"], page()
        if not given["check"]:
            path.write_text(wanted, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != wanted:
            raise CommandError(f"{path} is stale: run manage.py draw_measures.")


def page() -> str:
    """The grammar, what all measures share, and then one after the other."""
    shared = "\n\n".join(
        [
            "# Measures",
            _told(names),
            _table(OF_ALL),
            "## What all have in common",
            _told(measures),
            "## Order, and unjudged documents",
            _told(unjudged),
            "## What counts as relevant",
            _told(relevance),
            "## Gains by name",
            _told(named),
            _gains(),
        ]
    )
    each = "\n\n".join(_measure(name) for name in MEASURES)
    drawn = "Drawn by `manage.py draw_measures` from evaluation/measures: change that, not this."
    return f"<!-- {drawn} -->\n{shared}\n\n{each}\n"


def _measure(name: str) -> str:
    definition = MEASURES[name]
    cutoff = {"optional": "", "required": " It needs a cutoff.", "none": " It takes no cutoff."}
    title, *rest = _told(sys.modules[definition.function.__module__]).split("\n\n")
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


def _told(module: Any) -> str:
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
