"""Errors of recruiting on Prolific."""

from judging.studies.faults import BadStudy, Fault


class CannotRecruit(BadStudy):
    """It cannot be done with this study, or Prolific does not do it; the message says why.

    field: the value that is wrong, if it is one.
    """

    def __init__(self, *lines: str, field: str = "") -> None:
        where = (field,) if field else ()
        super().__init__(*(Fault(where, line) for line in lines))

    @property
    def stored_message(self) -> str:
        """The message as it may be stored: all of it."""
        return str(self)


class Refused(CannotRecruit):
    """Prolific answers that it does not do it: nothing has changed there.

    Its words, which may name a participant, are shown and not stored.

    meaning: of the status; detail: Prolific's words.
    """

    def __init__(self, meaning: str, status: int, detail: str) -> None:
        super().__init__(f"{meaning}: {detail or f'status {status}'}")
        self._stored_message = f"{meaning} (status {status})."

    @property
    def stored_message(self) -> str:
        """The message without Prolific's words."""
        return self._stored_message


class Unreachable(CannotRecruit):
    """Prolific did not answer, or not to the point: whether it was done is not known."""
