"""Changes of tables that hold up nobody.

Whoever wants to change a table waits until nobody reads it, and until then everybody else waits
behind them: one long analysis or backup would stop all judging. So a change waits a moment only
(`DATABASE_LIMITS_OF` in the settings), lets the others through, and tries again.
"""

import time
from collections.abc import Callable, Sequence
from itertools import chain, repeat

from django.db import OperationalError
from psycopg2.errorcodes import LOCK_NOT_AVAILABLE  # type: ignore[import-untyped]

PAUSES = (1.0, 2.0, 5.0)  # seconds between two tries; then always the last
TRIES = 200  # for as long as a large backup takes, some twenty minutes


def patiently(
    change: Callable[[], object],
    tell: Callable[[str], object],
    pauses: Sequence[float] = PAUSES,
    tries: int = TRIES,
) -> None:
    """Make a change, again and again while others keep it from a table.

    change: what it did before it was kept from a table is undone, or is not done twice.
    OperationalError as it came, at the last try or where it is about something else.
    """
    waits = chain(pauses, repeat(pauses[-1]))
    for wait, left in zip(waits, range(tries - 1, -1, -1), strict=False):
        try:
            change()
            return
        except OperationalError as fault:
            if not left or getattr(fault.__cause__, "pgcode", "") != LOCK_NOT_AVAILABLE:
                raise
        tell(f"A table is in use; nobody waits for this. Trying again in {wait:g} s.")
        time.sleep(wait)
