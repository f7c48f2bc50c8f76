from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from judging.states import LIVE, PAID, TRANSITIONS, diagram

PAGE: Path = settings.BASE_DIR / "docs" / "assignment-states.md"


class Command(BaseCommand):
    help = "Draw the states of an assignment; with --check, fail if the page is stale."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--check", action="store_true", help="write nothing, only compare")
        parser.add_argument("--out", type=Path, default=PAGE, metavar="FILE")

    def handle(self, *args: Any, **options: Any) -> None:
        path, wanted = options["out"], page()
        if not options["check"]:
            path.write_text(wanted, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != wanted:
            raise CommandError(f"{path} is stale: run manage.py draw_states.")


def page() -> str:
    rows = "\n".join(
        f"| {t.source or '–'} | {t.move} | {t.by} | {t.target} | {t.when} |" for t in TRANSITIONS
    )
    return f"""\
<!-- Drawn by `manage.py draw_states` from judging/states.py: change that, not this. -->
# The states of an assignment

An assignment is one worker's attempt at one unit. It is live in the states
{_enumerated(LIVE)}; live or completed, it holds its unit.
What is paid is {_enumerated(PAID)}.

```mermaid
{diagram()}
```

| From | Move | Made by | To | When |
|---|---|---|---|---|
{rows}
"""


def _enumerated(states: tuple[str, ...]) -> str:
    return f"{', '.join(states[:-1])} and {states[-1]}"
