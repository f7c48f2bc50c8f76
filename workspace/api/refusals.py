"""What uploads and imports refuse, as REST tells it."""

from collections.abc import Iterator
from contextlib import contextmanager

from rest_framework.exceptions import ValidationError

from judging.api.verbs import Conflict
from workspace.imports.importing import CannotAsk


@contextmanager
def told_of_files(*, but: str = "") -> Iterator[None]:
    """Tell why something cannot be asked for, by the fields that say it.

    but: the field that stands for all others, where a request does not have these.

    Raises:
        ValidationError: some of what was sent is wrong.
        Conflict: it cannot be done as things stand.
    """
    try:
        yield
    except CannotAsk as fault:
        fields = (but,) if but else fault.fields
        if not fields:
            raise Conflict(str(fault)) from fault
        raise ValidationError({field: [str(fault)] for field in fields}) from fault
