"""pyarrow, loaded when it is first used: processes that read no files do without its 20 MiB."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.compute as pc
    from pyarrow import csv
else:

    class _Lazy:
        def __init__(self, module: str) -> None:
            self._module = module

        def __getattr__(self, name: str) -> Any:
            return getattr(import_module(self._module), name)

    pa, pc, csv = _Lazy("pyarrow"), _Lazy("pyarrow.compute"), _Lazy("pyarrow.csv")
