"""Libraries that are loaded when they are first used: 20 and 50 MiB of each idle process."""

from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING

from django.utils.functional import SimpleLazyObject

if TYPE_CHECKING:
    import httpx
    import openai
else:
    httpx = SimpleLazyObject(partial(import_module, "httpx"))
    openai = SimpleLazyObject(partial(import_module, "openai"))
