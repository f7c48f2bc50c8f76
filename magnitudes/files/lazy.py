"""NumPy, loaded when it is first used: processes that only wait do without its 10 MiB."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
else:

    class _Lazy:
        def __getattr__(self, name: str) -> Any:
            return getattr(import_module("numpy"), name)

    np = _Lazy()
