"""What the worker of evaluation does, next to the server."""

from judging.studies.plan_jobs import make_plans


def plan() -> None:
    """Make the first plan that was asked for."""
    assert make_plans() == 1
