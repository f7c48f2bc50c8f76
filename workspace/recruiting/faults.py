"""What can be wrong with something that is asked of Prolific."""

from judging.studies.faults import BadStudy, Fault


class CannotRecruit(BadStudy):
    """It cannot be done with this study, or Prolific does not do it; the message says why.

    field: the value that is wrong, if it is one.
    """

    def __init__(self, *lines: str, field: str = "") -> None:
        where = (field,) if field else ()
        super().__init__(*(Fault(where, line) for line in lines))


class Refused(CannotRecruit):
    """Prolific answers that it does not do it: nothing has changed there."""


class Unreachable(CannotRecruit):
    """Prolific did not answer, or not to the point: whether it was done is not known."""
