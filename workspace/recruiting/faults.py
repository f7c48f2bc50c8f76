"""What can be wrong with something that is asked of Prolific."""

from judging.studies.faults import BadStudy, Fault


class CannotRecruit(BadStudy):
    """It cannot be done with this study, or Prolific does not do it; the message says why.

    field: the value that is wrong, if it is one.
    """

    def __init__(self, *lines: str, field: str = "") -> None:
        where = (field,) if field else ()
        super().__init__(*(Fault(where, line) for line in lines))

    @property
    def kept(self) -> str:
        """What may be stored of it: all of it are words of ours."""
        return str(self)


class Refused(CannotRecruit):
    """Prolific answers that it does not do it: nothing has changed there.

    Its words, which may name a participant, are for whoever asked, and stored nowhere.

    meaning: what the answer means; told: Prolific's words.
    """

    def __init__(self, meaning: str, status: int, told: str) -> None:
        super().__init__(f"{meaning}: {told or f'status {status}'}")
        self._kept = f"{meaning} (status {status})."

    @property
    def kept(self) -> str:
        """What it means, without what Prolific says."""
        return self._kept


class Unreachable(CannotRecruit):
    """Prolific did not answer, or not to the point: whether it was done is not known."""
