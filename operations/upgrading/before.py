"""Whether the version before may be at work beside this one."""

import time
from functools import lru_cache

from judging.models import IdKeys

LATELY = 10  # seconds


def v0_1_may_run() -> bool:
    """Whether nobody has said yet, by `manage.py finish_upgrade`, that version 0.1 is gone."""
    return IdKeys.objects.filter(seals=False).exists()


def v0_1_might_run_lately() -> bool:
    """The same some seconds ago, for who asks often: it changes once, and late does no harm."""
    return _might_run(int(time.monotonic() // LATELY))


@lru_cache(maxsize=1)
def _might_run(period: int) -> bool:
    return v0_1_may_run()


forget = _might_run.cache_clear
