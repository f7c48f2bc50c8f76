"""Columns of many rows, each as one value that NumPy takes as it is.

The monitoring page is renewed every few seconds and may look at 50,000 judgments: too many to make
a Python object of each.
"""

from typing import Any

import numpy as np
from django.db.models import Aggregate, BinaryField, QuerySet
from django.db.models.expressions import Combinable
from numpy.typing import NDArray


class _Packed(Aggregate):
    """A column as bytes, most significant first, row after row."""

    function = "string_agg"
    template = "%(function)s(%(send)s(%(expressions)s), '')"
    output_field = BinaryField()


def columns(rows: QuerySet[Any, Any], **kinds: tuple[type, str | Combinable]) -> dict[str, Any]:
    """Arrays of length n, one for each name, of the n rows of a query, all in the same order.

    kinds: for each name `int` or `float`, and what to read of a row, which is never null.
    """
    send = {int: "int8send", float: "float8send"}
    packed = rows.aggregate(
        **{name: _Packed(column, send=send[kind]) for name, (kind, column) in kinds.items()}
    )
    return {name: _array(packed[name], kind) for name, (kind, _) in kinds.items()}


def _array(data: bytes | None, kind: type) -> NDArray[Any]:
    swapped = np.dtype(kind).newbyteorder(">")
    return np.frombuffer(data or b"", swapped).astype(kind)
