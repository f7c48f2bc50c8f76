from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from django.core.management.base import CommandError


@contextmanager
def new_file(path: Path) -> Iterator[BinaryIO]:
    """A new file to write to; it is deleted if what is written is not finished.

    Raises:
        CommandError: it is there already, or cannot be written.
    """
    try:
        with path.open("xb") as target:
            yield target
    except FileExistsError as fault:
        raise CommandError(f"{path} is there already: name a new file.") from fault
    except OSError as fault:
        path.unlink(missing_ok=True)
        raise CommandError(f"{path}: {fault.strerror}") from fault
    except BaseException:
        path.unlink(missing_ok=True)
        raise
