"""What the worker of imports does, next to the server."""

from workspace.tasks import import_files


def bring_in() -> None:
    """Do the first import that was asked for."""
    assert import_files() == 1
