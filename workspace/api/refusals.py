from collections.abc import Iterator
from contextlib import contextmanager

from rest_framework.exceptions import ValidationError

from judging.api.verbs import Conflict
from workspace.imports.importing import BadImport


@contextmanager
def translate_import_errors(*, field: str = "") -> Iterator[None]:
    """Translate `BadImport` into the errors of REST.

    field: reported instead of the fields of the error, where a request does not have those.

    Raises:
        ValidationError: some of what was sent is wrong.
        Conflict: it cannot be done as things stand.
    """
    try:
        yield
    except BadImport as fault:
        names = (field,) if field else fault.fields
        if not names:
            raise Conflict(str(fault)) from fault
        raise ValidationError({name: [str(fault)] for name in names}) from fault
