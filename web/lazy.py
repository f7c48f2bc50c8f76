"""Libraries that are loaded when they are first used: together, 50 MiB of each process at rest.

Vega, by which `vl_convert` draws, takes another 50, and a second for a process' first picture.
"""

from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING

from django.utils.functional import SimpleLazyObject

if TYPE_CHECKING:
    import altair
    import httpx
    import vl_convert
else:
    altair, httpx, vl_convert = (
        SimpleLazyObject(partial(import_module, name)) for name in ("altair", "httpx", "vl_convert")
    )
