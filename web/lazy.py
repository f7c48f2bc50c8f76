"""A library that is loaded when it is first used: 20 MiB of each idle process."""

from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING

from django.utils.functional import SimpleLazyObject

if TYPE_CHECKING:
    import httpx
else:
    httpx = SimpleLazyObject(partial(import_module, "httpx"))
