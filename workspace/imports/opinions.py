from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from itertools import islice
from typing import Any
from uuid import UUID

from django.db import transaction

from accounts.models import User
from judging.collections.opinion_files import WORKER, BadReading, Reading, read_files
from judging.collections.opinions import Imported, import_opinions
from judging.models import Collection, Document, Topic
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
MAX_HOMES = 500  # rows with ids of a preview, of all collections
MOST_LEVELS = 10
# Parts of the names of columns, in the order in which they are looked for.
ALSO_CALLED = {
    "worker": ("participant", "prolific", "worker", "judge", "rater", "coder", "subject", "user"),
    "query_id": ("topic", "query", "question"),
    "doc_id": ("doc", "item", "passage", "text_id"),
    "label": ("rating", "magnitude", "judgment", "judgement", "label", "score", "answer", "value"),
}
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
class Guess:
    """What the page proposes: columns by field, and of what collection and scale they look."""

    columns: dict[str, str]
    collection: str = ""
    is_magnitudes: bool = False


def guess(by: User, preview: Preview) -> Guess:
    """By the names of columns, by parts of them, and by values that are ids of a collection."""
    columns, free = dict(preview.guessed), [*preview.columns]
    values = {
        name: {row[place] for row in preview.rows if row[place] and "\0" not in row[place]}
        for place, name in enumerate(preview.columns)
    }
    for field, names in ALSO_CALLED.items():
        free = [name for name in preview.columns if name not in columns.values()]
        like = [name for name in free if any(part in name.casefold() for part in names)]
        if field not in columns and like:
            columns[field] = like[0]
    collection = ""
    seen = Collection.objects.seen_by(by)
    for field, model in (("doc_id", Document), ("query_id", Topic)):
        for name in (columns[field],) if field in columns else free:
            rows = model.objects.filter(**{"collection__in": seen, f"{field}__in": values[name]})
            homes = Counter(rows.values_list("collection__slug", flat=True)[:MAX_HOMES])
            if name not in [taken for other, taken in columns.items() if other != field] and homes:
                columns[field] = name
                collection = collection or homes.most_common(1)[0][0]
                break
    return Guess(columns, collection, _are_magnitudes(values.get(columns.get("label", ""), set())))


def _are_magnitudes(texts: set[str]) -> bool:
    """Whether some number is a fraction, or above what levels are usually called."""
    try:
        numbers = [float(text) for text in texts]
    except ValueError:
        return False
    return any(number != round(number) or number > MOST_LEVELS for number in numbers)


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
