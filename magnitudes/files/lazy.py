"""NumPy and SciPy, loaded when they are first used.

Processes that only wait do without NumPy's 10 MiB, and who measures runs without SciPy.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import scipy
else:

    class _Lazy:
        def __init__(self, package: str) -> None:
            self._package = package

        def __getattr__(self, name: str) -> Any:
            return getattr(import_module(self._package), name)

    np, scipy = _Lazy("numpy"), _Lazy("scipy")

__all__ = ["np", "scipy"]
