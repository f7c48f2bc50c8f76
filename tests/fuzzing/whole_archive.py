"""A small archive of a study as its readers take it, made from the list of its tables."""

import io
import json
import zipfile
from hashlib import sha256
from typing import Any

from django.contrib.postgres.fields import ArrayField
from django.db import models

from judging.models import Collection, Study
from magnitudes.files.errors import Place
from workspace.archive import importing, unpacking
from workspace.archive.checking import CHECKS
from workspace.archive.collection_tables import OF_COLLECTION
from workspace.archive.columns import Code, DocumentIds, JudgedDocument, Order, Packed, Stored
from workspace.archive.exporting import FORMAT, FORMAT_VERSION, MANIFEST
from workspace.archive.study_tables import OF_STUDY, STUDY, TABLES
from workspace.archive.table import Scope, Table

TOPIC, DOCUMENT = "401", "a"
# What the rows of other tables may name, as if those had been read.
KEYS: dict[str, dict[Any, Any]] = {
    **{name: {TOPIC: 1} for name in ("topics", "study_topics", "sizes")},
    **{name: {DOCUMENT: 1} for name in ("runs", "label_sets", "workers")},
    **{name: {1: 1} for name in ("batches", "assignments")},
    "pool": {(TOPIC, DOCUMENT): 1},
    "units": {(TOPIC, 1): 1},
    "unit_documents": {1: [1]},
    "orders": {1: {1: (1, DOCUMENT)}},
}
NAMED: dict[str, Any] = {"topic": TOPIC, "unit": 1, "batch": 1, "assignment": 1}
HOME = Scope(Collection(slug="c"), Study(slug="s", unit_size=1, collection=Collection(slug="c")))
ALL: dict[str, Table] = {table.name: table for table in (STUDY, *OF_COLLECTION, *OF_STUDY)}
NAMES = list(ALL)


def _value(field: Any) -> Any:
    if field.choices:
        return field.flatchoices[0][0]
    kinds: list[tuple[type, Any]] = [
        (ArrayField, []),
        (models.JSONField, {}),
        (models.BooleanField, False),
        (models.IntegerField, 1),
        (models.FloatField, 1.5),
        (models.DecimalField, "1.50"),
        (models.DateTimeField, "2026-01-01T00:00:00+00:00"),
    ]
    return next((value for kind, value in kinds if isinstance(field, kind)), DOCUMENT)


def _cells(column: Any) -> dict[str, Any]:
    if isinstance(column, Stored):
        return {column.name: _value(column.model._meta.get_field(column.name))}
    if isinstance(column, Code):
        return {"paid": True}
    if isinstance(column, Packed):
        return {column.name: [0]}
    if isinstance(column, DocumentIds | Order):
        return {column.name: [DOCUMENT]}
    if isinstance(column, JudgedDocument):
        return {"doc_id": DOCUMENT}
    return {name: NAMED.get(name, DOCUMENT) for name in column.sources}


def row_of(table: Table) -> dict[str, Any]:
    """A row of a table, all of whose values are of the right kind."""
    row = {name: value for column in table.columns for name, value in _cells(column).items()}
    right = {"option_order": [0, 1, 2, 3], "lines": [50, 120, 220], "language": "en"}
    right |= {"position": 1, "unit_size": 3, "text_language": "en"}
    return row | {name: value for name, value in right.items() if name in row}


FILES_OF_STUDY = tuple(
    f"{name}\n{json.dumps(row_of(table))}".encode() for name, table in ALL.items()
)


def read_row(data: bytes) -> None:
    """Read a row of the table whose name stands in the first line."""
    name, _, line = data.partition(b"\n")
    table = ALL.get(name.decode(errors="replace")) or ALL[NAMES[len(name) % len(NAMES)]]
    place = Place(f"{table.name}.jsonl", 1)
    row = unpacking._object(place, line)
    values = importing._read(table, place, row, KEYS)
    if check := CHECKS.get(table.name):
        importing._checked(place, check, values, row, KEYS, HOME)
    for value in values.values():
        importing._text(value)


def study_zip(method: int = zipfile.ZIP_DEFLATED) -> bytes:
    files = {f"{table.name}.jsonl": json.dumps(row_of(table)).encode() + b"\n" for table in TABLES}
    manifest = {
        "format": FORMAT,
        "version": FORMAT_VERSION,
        "study": "s",
        "collection": "c",
        "files": {
            name: {"rows": 1, "sha256": sha256(data).hexdigest()} for name, data in files.items()
        },
    }
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, data in {MANIFEST: json.dumps(manifest).encode(), **files}.items():
            archive.writestr(name, data)
    return out.getvalue()
