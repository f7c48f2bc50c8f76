from judging.studies.faults import BadStudy, Fault


class CannotRecruit(BadStudy):
    """Prolific or this study does not allow it; the message says why. field: the value at fault."""

    def __init__(self, *lines: str, field: str = "") -> None:
        where = (field,) if field else ()
        super().__init__(*(Fault(where, line) for line in lines))

    @property
    def stored_message(self) -> str:
        return str(self)


class Refused(CannotRecruit):
    """Prolific refuses: nothing has changed there.

    detail: Prolific's words, which may name a participant: shown, not stored; meaning: of the
    status.
    """

    def __init__(self, meaning: str, status: int, detail: str) -> None:
        super().__init__(f"{meaning}: {detail or f'status {status}'}")
        self._stored_message = f"{meaning} (status {status})."

    @property
    def stored_message(self) -> str:
        """Without Prolific's words."""
        return self._stored_message


class Unreachable(CannotRecruit):
    """Prolific did not answer, or not to the point: whether it was done is not known."""
