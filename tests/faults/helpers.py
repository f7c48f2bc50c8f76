"""What tests of the checks share."""

from tests.faults.fault import Strike


def found(complaints) -> str:
    """The one thing that a check complains of."""
    (complaint,) = complaints
    return complaint


def strike(kind: str, at: float, ended: float, seconds: float | None, **more) -> Strike:
    """A fault that befell a site, and what it was."""
    return Strike(kind, f"{kind} 1", at, ended, seconds, **more)
