"""All checks of the doctor: of the set-up, then of every part as `/status` does."""

from collections.abc import Callable, Iterator

from django.db import DatabaseError

from operations.doctor import servers, variables
from operations.health.catalogue import run_checks
from operations.health.finding import Finding, State, down, ok

SETUP: tuple[tuple[str, Callable[[], Iterator[Finding]]], ...] = (
    ("variables", variables.variables),
    ("secrets", variables.secrets),
    ("keys to keep", variables.unsaved_keys),
    ("static files", variables.static_files),
    ("e-mail", variables.mail),
    ("PostgreSQL", servers.postgres),
    ("tables", servers.tables),
    ("Redis' settings", servers.queue),
)


def examine() -> Iterator[tuple[str, Finding]]:
    """Each check by name with its findings: one that is ok, or all that are wrong."""
    for name, find in SETUP:
        for finding in _findings(find) or [ok("Nothing is wrong.")]:
            yield name, finding
    for check, part in run_checks().parts:
        yield check.name, part


def _findings(find: Callable[[], Iterator[Finding]]) -> list[Finding]:
    try:
        return list(find())
    except DatabaseError:
        return [down("Not known: the database does not answer.", "Mend the database first.")]


def is_wrong(finding: Finding) -> bool:
    return finding.state != State.OK
