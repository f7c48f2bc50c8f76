"""Opinions from elsewhere: a table looked at, and imported in the background as a study."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from itertools import islice
from typing import Any
from uuid import UUID

from django.db import transaction

from accounts.models import User
from judging.collections.opinion_files import WORKER, BadReading, Reading, read_files
from judging.collections.opinions import Imported, import_opinions
from trec.containers.archives import open_members
from trec.errors import BadFile
from trec.labels.opinion_columns import ColumnChoice, header
from trec.labels.opinions import FIELDS, GROUP
from trec.parsing.tables import Column, column_name, read_rows
from trec.parsing.text import read_lines
from web import clock
from workspace.imports.importing import (
    CannotAsk,
    Finish,
    claimed,
    noting,
    refuse_collection,
    stored_files,
)
from workspace.models import ImportJob, Upload

MOST_ROWS = 8  # of a preview
_LINES = 200  # that a preview's rows may take


@dataclass(frozen=True)
class Preview:
    """The beginning of a table: its columns, which of them is taken for which field, and rows."""

    columns: list[str]
    guessed: dict[str, str]
    rows: list[list[str]]


def preview(upload: Upload) -> Preview:
    """Look at the beginning of a table.

    Raises:
        BadFile: it is none, or damaged.
    """
    for member in open_members([upload.stored]):
        columns = list(dict.fromkeys(filter(None, header(member.head()))))
        if len(columns) < 2:
            raise BadFile(upload.name, "no names of columns in its first line", "a table")
        guessed = _guessed(columns)
        wanted = [Column(name, required=False) for name in columns]
        rows = read_rows(member.name, islice(read_lines(member), _LINES), wanted)
        texts = [[row[name] for name in columns] for _, row in islice(rows, MOST_ROWS)]
        return Preview(columns, guessed, texts)
    raise BadFile(upload.name, "nothing in it", "a table")


def _guessed(columns: list[str]) -> dict[str, str]:
    """The column that is taken for each field, where there is one."""
    choice = ColumnChoice({}, fields=FIELDS | GROUP)
    candidates = {name: choice.candidates(name, columns) for name in choice.fields}
    return {name: taken[0] for name, taken in candidates.items() if taken}


@dataclass(frozen=True)
class Wanted:
    """What is to become of a table."""

    study: str
    collection: str
    title: str = ""
    main_aspect: str = ""
    replace: bool = False


def ask(by: User, upload: UUID, wanted: Wanted, reading: Reading) -> ImportJob:
    """Have a table imported as a study of opinions.

    Raises:
        CannotAsk: as `importing.ask`; options that contradict each other; columns that the table
            does not have.
    """
    refuse_collection(by, wanted.collection)
    try:
        reading.scale()
    except BadReading as fault:
        names = ", ".join(fault.options).capitalize()
        raise CannotAsk(f"{names}: {fault}", *fault.options) from fault
    with transaction.atomic():
        (file,) = claimed(by, [upload]).values()
        _refuse_columns(file, reading)
        options = {"wanted": asdict(wanted), "reading": _as_json(reading)}
        job = ImportJob.objects.create(
            owner=by,
            what=ImportJob.What.OPINIONS,
            collection=wanted.collection,
            options=options,
            files=[{**file.about, "kind": "opinions"}],
            asked_at=clock.now(),
        )
        Upload.objects.filter(pk=file.pk).update(job=job)
    return job


def _refuse_columns(file: Upload, reading: Reading) -> None:
    """Refuse columns that the table does not have."""
    try:
        there = preview(file).columns
    except BadFile as fault:
        raise CannotAsk(f"{fault}.", "upload") from fault
    group = "" if reading.group == WORKER else reading.group
    asked = {"columns": reading.columns.values(), "gold": [reading.gold], "group": [group]}
    for option, names in asked.items():
        for name in filter(None, names):
            if column_name(name) not in there:
                message = f"{file} has no column {name}; there are {', '.join(there)}."
                raise CannotAsk(message, option)


def _as_json(reading: Reading) -> dict[str, Any]:
    return {each.name: getattr(reading, each.name) for each in fields(reading)}


def import_table(job: ImportJob, finish: Finish) -> None:
    """Import the table of a job."""
    files = list(stored_files(job).values())
    reading, wanted = Reading(**job.options["reading"]), Wanted(**job.options["wanted"])
    read = read_files(files, reading, noting(job, files))
    with transaction.atomic():
        done = import_opinions(
            wanted.study,
            wanted.collection,
            read.opinions,
            read.levels,
            title=wanted.title,
            main_aspect=wanted.main_aspect,
            replace=wanted.replace,
            by=job.owner,
        )
        finish({"study": wanted.study, "columns": read.sentences, **_told(done)})


def _told(done: Imported) -> Mapping[str, Any]:
    return {
        "rows": done.rows,
        "golds": done.golds,
        "workers": done.workers,
        "topics": done.topics,
        "pairs": done.pairs,
        "shared": done.shared,
        "main_aspect": done.main_aspect,
        "missing": done.missing.most_common(5),
        "unused": done.unused,
        "groups": len(done.groups),
        "alone": done.groups.count(1),
        "unchanged": done.unchanged,
    }
