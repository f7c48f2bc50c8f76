from django.conf import settings

from judging.states import LIVE, PAID, TRANSITIONS, diagram
from web.drawn_page import DrawnPage


class Command(DrawnPage):
    help = "Draw the states of an assignment; with --check, fail if the page is stale."
    path = settings.BASE_DIR / "docs" / "assignment-states.md"
    source = "judging/states.py"

    def page(self) -> str:
        rows = "\n".join(
            f"| {t.source or '–'} | {t.move} | {t.by} | {t.target} | {t.when} |"
            for t in TRANSITIONS
        )
        return f"""\
# The states of an assignment

An assignment is one worker's attempt at one unit. It is live in the states
{_enumerated(LIVE)}; live or completed, it holds its unit.
What is paid is {_enumerated(PAID)}.

```mermaid
{diagram()}
```

| From | Move | Made by | To | When |
|---|---|---|---|---|
{rows}"""


def _enumerated(states: tuple[str, ...]) -> str:
    return f"{', '.join(states[:-1])} and {states[-1]}"
