"""All that the doctor looks at: the set-up, then every part as `/status` does."""

from collections.abc import Callable, Iterator

from django.db import DatabaseError

from operations.doctor import servers, variables
from operations.health.catalogue import ask_all
from operations.health.finding import Finding, State, down, well

SETUP: tuple[tuple[str, Callable[[], Iterator[Finding]]], ...] = (
    ("variables", variables.variables),
    ("secrets", variables.secrets),
    ("keys to keep", variables.keys_to_keep),
    ("static files", variables.static_files),
    ("e-mail", variables.mail),
    ("PostgreSQL", servers.postgres),
    ("tables", servers.tables),
    ("Redis' settings", servers.queue),
)


def examine() -> Iterator[tuple[str, Finding]]:
    """What is looked at by name, with what was found: one well, or each thing that is wrong."""
    for name, look in SETUP:
        for found in _looked(look) or [well("Nothing is wrong.")]:
            yield name, found
    for check, part in ask_all().parts:
        yield check.name, part


def _looked(look: Callable[[], Iterator[Finding]]) -> list[Finding]:
    try:
        return list(look())
    except DatabaseError:
        return [down("Not known: the database does not answer.", "Mend the database first.")]


def is_wrong(found: Finding) -> bool:
    """Whether it is something to mend."""
    return found.state != State.OK
