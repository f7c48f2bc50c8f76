from collections.abc import Mapping
from dataclasses import asdict, dataclass
from itertools import islice
from typing import Any
from uuid import UUID

from django.db import transaction

from accounts.models import User
from judging.collections.opinion_files import WORKER, BadReading, Reading, read_files
from judging.collections.opinions import Imported, import_opinions
from magnitudes.files.containers.archives import open_members
from magnitudes.files.errors import BadFile
from magnitudes.files.labels.opinion_columns import ColumnChoice, header
from magnitudes.files.labels.opinions import FIELDS, GROUP
from magnitudes.files.parsing.tables import Column, column_name, read_rows
from magnitudes.files.parsing.text import read_lines
from web import clock
from workspace.imports.importing import (
    BadImport,
    Finish,
    claim_uploads,
    import_progress,
    refuse_collection,
    stored_files,
)
from workspace.models import ImportJob, Upload

MAX_ROWS = 8  # of a preview
_MAX_LINES = 200  # that a preview's rows may take


@dataclass(frozen=True)
class Preview:
    """guessed: the column of each field."""

    columns: list[str]
    guessed: dict[str, str]
    rows: list[list[str]]


def preview(upload: Upload) -> Preview:
    """The first rows of a table."""
    for member in open_members([upload.stored]):
        columns = list(dict.fromkeys(filter(None, header(member.head()))))
        if len(columns) < 2:
            raise BadFile(upload.name, "no names of columns in its first line", "a table")
        guessed = _guessed(columns)
        wanted_columns = [Column(name, required=False) for name in columns]
        rows = read_rows(member.name, islice(read_lines(member), _MAX_LINES), wanted_columns)
        texts = [[row[name] for name in columns] for _, row in islice(rows, MAX_ROWS)]
        return Preview(columns, guessed, texts)
    raise BadFile(upload.name, "nothing in it", "a table")


def _guessed(columns: list[str]) -> dict[str, str]:
    choice = ColumnChoice({}, fields=FIELDS | GROUP)
    candidates = {name: choice.candidates(name, columns) for name in choice.fields}
    return {name: taken[0] for name, taken in candidates.items() if taken}


@dataclass(frozen=True)
class Target:
    study: str
    collection: str
    title: str = ""
    main_aspect: str = ""
    replace: bool = False


def request_import(by: User, upload: UUID, target: Target, reading: Reading) -> ImportJob:
    refuse_collection(by, target.collection)
    try:
        reading.scale()
    except BadReading as fault:
        names = ", ".join(fault.options).capitalize()
        raise BadImport(f"{names}: {fault}", *fault.options) from fault
    with transaction.atomic():
        (file,) = claim_uploads(by, [upload]).values()
        _refuse_columns(file, reading)
        options = {"wanted": asdict(target), "reading": dict(vars(reading))}
        job = ImportJob.objects.create(
            owner=by,
            what=ImportJob.What.OPINIONS,
            collection=target.collection,
            options=options,
            files=[{**file.about, "kind": "opinions"}],
            asked_at=clock.now(),
        )
        Upload.objects.filter(pk=file.pk).update(job=job)
    return job


def _refuse_columns(file: Upload, reading: Reading) -> None:
    try:
        columns = preview(file).columns
    except BadFile as fault:
        raise BadImport(f"{fault}.", "upload") from fault
    group = "" if reading.group == WORKER else reading.group
    chosen = {"columns": reading.columns.values(), "gold": [reading.gold], "group": [group]}
    for option, names in chosen.items():
        for name in filter(None, names):
            if column_name(name) not in columns:
                message = f"{file} has no column {name}; there are {', '.join(columns)}."
                raise BadImport(message, option)


def import_table(job: ImportJob, finish: Finish) -> None:
    files = list(stored_files(job).values())
    reading, target = Reading(**job.options["reading"]), Target(**job.options["wanted"])
    read = read_files(files, reading, import_progress(job, files))
    with transaction.atomic():
        imported = import_opinions(
            target.study,
            target.collection,
            read.opinions,
            read.levels,
            title=target.title,
            main_aspect=target.main_aspect,
            replace=target.replace,
            by=job.owner,
        )
        finish({"study": target.study, "columns": read.sentences, **_as_dict(imported)})


def _as_dict(imported: Imported) -> Mapping[str, Any]:
    names = ("rows", "golds", "workers", "topics", "pairs", "shared", "main_aspect", "unused")
    return {name: getattr(imported, name) for name in (*names, "unchanged")} | {
        "missing": imported.missing.most_common(5),
        "groups": len(imported.groups),
        "alone": imported.groups.count(1),
    }
