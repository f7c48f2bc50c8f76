"""NumPy and pyarrow, loaded when they are first used.

Processes that read no files do without pyarrow's 20 MiB, those that only wait without NumPy's 10.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc
    from pyarrow import csv
else:

    class _Lazy:
        def __init__(self, module: str) -> None:
            self._module = module

        def __getattr__(self, name: str) -> Any:
            return getattr(import_module(self._module), name)

    np, pa = _Lazy("numpy"), _Lazy("pyarrow")
    pc, csv = _Lazy("pyarrow.compute"), _Lazy("pyarrow.csv")
