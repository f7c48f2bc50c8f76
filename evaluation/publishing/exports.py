"""The tables that leave a study as files: which there are, and how one is written."""

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

from evaluation import pipeline, results
from evaluation.publishing import judgment_rows, pair_gains
from evaluation.publishing.judgment_rows import Column, Row
from evaluation.publishing.named_gains import NoSuchGains
from judging.models import Study
from judging.studies import table_one
from magnitudes.comparison.ranks import competition_ranks
from magnitudes.gains import GainError
from magnitudes.gains.whole_numbers import WholeNumbers, are_whole, in_levels, multiply
from web import formats


class CannotExport(ValueError):
    """There is no such table or format, or none with these options; `option` names the one."""

    def __init__(self, why: str, option: str = "") -> None:
        super().__init__(why)
        self.option = option


@dataclass(frozen=True)
class Rows:
    """The rows of a table, and what a reader of them has to know."""

    rows: Iterable[Row]
    remarks: tuple[str, ...] = ()
    gain_of_level: Mapping[int, float] = field(default_factory=dict)

    def __iter__(self) -> Generator[Row, None, None]:
        yield from self.rows


@dataclass(frozen=True)
class Export:
    """One table: its columns, what makes its rows, and the formats it can be written in."""

    table: tuple[Column, ...]
    rows: Callable[..., Iterable[Row]]
    formats: tuple[str, ...] = ("csv", "jsonl")

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of its columns."""
        return tuple(column.name for column in self.table)


@dataclass(frozen=True)
class File:
    """A table as the lines of a file, and what a reader of it has to know."""

    lines: Iterator[str]
    remarks: tuple[str, ...]
    gain_of_level: Mapping[int, float]


QREL = (
    Column("query_id", str),
    Column("iteration", str, help="0; or simulated, demo, imported or model."),
    Column("doc_id", str),
    Column("relevance", float),
)


def qrels(
    study: Study,
    normalisation: str | None = None,
    aggregation: str | None = None,
    gains: str | None = None,
    integers: float | None = None,
    levels: int | None = None,
) -> Rows:
    """The gains of all judged pairs. Nobody reads the iteration: it tells who judged.

    Gains that are all whole are written as whole numbers. `integers` multiplies and rounds them,
    `levels` makes levels of them: see `whole_numbers`.

    Raises:
        CannotExport: the study's scores cannot be scaled so, have no such gains, or no such whole
            numbers can be made of them.
    """
    try:
        with results.snapshot():
            pairs = pair_gains.gains(study, normalisation, aggregation, gains)
            remark = pair_gains.remark(study, gains) if gains else ""
    except pair_gains.NoSuchScheme as fault:
        raise CannotExport(str(fault), fault.option) from fault
    except NoSuchGains as fault:
        raise CannotExport(str(fault), "gains") from fault
    values = [pair.gain for pair in pairs]
    whole = _whole_numbers(values, integers, levels)
    relevance: list[Any] = values
    if whole:
        relevance = whole.numbers.tolist()
    elif are_whole(values):
        relevance = [int(value) for value in values]
    rows = (
        {
            "query_id": pair.query_id,
            "iteration": study.mark or 0,
            "doc_id": pair.doc_id,
            "relevance": number,
        }
        for pair, number in zip(pairs, relevance, strict=True)
    )
    remarks = [f"{gains}: {remark}"] if remark else []
    remarks += [whole.remark] if whole else []
    return Rows(rows, tuple(remarks), whole.gain_of_level if whole else {})


def _whole_numbers(
    values: list[float], integers: float | None, levels: int | None
) -> WholeNumbers | None:
    """What is asked for in place of the gains, if anything is."""
    if integers is not None and levels is not None:
        raise CannotExport("integers and levels are two ways; ask for one of them", "levels")
    try:
        if integers is not None:
            return multiply(values, integers)
        return None if levels is None else in_levels(values, levels)
    except GainError as fault:
        raise CannotExport(str(fault), "levels" if integers is None else "integers") from fault


RANKING = (
    Column("run", str),
    Column("measure", str),
    Column("query_id", str),
    Column("value", float),
    Column("rank", int),
    Column("crowd", str, help="Who judged: people, simulated, demo, imported or model."),
    Column("gains", str),
)


def rankings(study: Study, measure: str | None = None, gains: str | None = None) -> Rows:
    """Every system's value and rank on every topic, and (`all`) its mean.

    By one measure, or those that systems are ranked by.

    Raises:
        CannotExport: there is no such measure, or there are no such gains.
    """
    names = pipeline.measures(study) if measure is None else (measure,)
    if not names:
        raise CannotExport(f"expected a measure: {results.no_measure(study)}", "measure")
    try:
        with results.snapshot():
            tables = [results.table_by(study, name, gains) for name in names]
            remark = pair_gains.remark(study, gains) if gains else ""
    except results.CannotRank as fault:
        raise CannotExport(str(fault), fault.option) from fault
    rows = _rankings(tables, study.mark or "people")
    interim = next((table.source.interim for table in tables if table.source), "")
    remarks = (interim, f"{gains}: {remark}" if remark else "")
    return Rows(rows, tuple(filter(None, remarks)))


def _rankings(tables: Iterable[results.Table], crowd: str) -> Iterator[Row]:
    for table in tables:
        if table.ranked is None:
            continue
        orders = [("all", table.ranked.means, table.ranked.ranks)]
        for query_id, values in zip(table.query_ids, table.values, strict=True):
            orders.append((query_id, values, competition_ranks(values)))
        for query_id, values, ranks in orders:
            for run, value, rank in zip(table.runs, values.tolist(), ranks.tolist(), strict=True):
                yield {
                    "run": run,
                    "measure": table.measure,
                    "query_id": query_id,
                    "value": value,
                    "rank": rank,
                    "crowd": crowd,
                    "gains": table.gains,
                }


TABLE1 = (
    *(Column(name, str if name in table_one.TEXTS else int) for name in table_one.TABLE1),
    Column("crowd", str),
    Column(table_one.UNCOUNTED, int),
)


def table1(study: Study) -> Iterator[Row]:
    """The paper's Table I of this study, topics by the bytes of their names."""
    for row in sorted(table_one.table1(study), key=lambda row: row["topic"].encode()):
        yield row | {"crowd": study.mark or "people"}


def crowdkit(study: Study) -> Rows:
    """The scores of every worker in crowd-kit's columns, which have no room for who judged."""
    return Rows(judgment_rows.crowdkit(study), (f"crowd: {study.mark}",) if study.mark else ())


EXPORTS = {
    "qrels": Export(QREL, qrels, ("trec", "csv", "jsonl")),
    "judgments": Export(judgment_rows.JUDGMENT, judgment_rows.judgments),
    "units": Export(judgment_rows.UNIT, judgment_rows.units),
    "rankings": Export(RANKING, rankings),
    "table1": Export(TABLE1, table1),
    "crowdkit": Export(judgment_rows.CROWDKIT, crowdkit),
}
# Of a study that was judged elsewhere on levels, and with magnitudes: it has no units.
OF_IMPORTED = {
    "qrels": EXPORTS["qrels"],
    "judgments": Export(judgment_rows.OPINION, judgment_rows.opinions),
    "rankings": EXPORTS["rankings"],
    "crowdkit": EXPORTS["crowdkit"],
}
OF_MAGNITUDES = OF_IMPORTED | {"judgments": Export(judgment_rows.MAGNITUDE, judgment_rows.opinions)}
# Which tables an option is for.
OPTIONS = {
    "normalisation": ("qrels",),
    "aggregation": ("qrels",),
    "integers": ("qrels",),
    "levels": ("qrels",),
    "measure": ("rankings",),
    "gains": ("qrels", "rankings"),
}


def ending(file_format: str) -> str:
    """What the name of a file in a format ends in."""
    return "txt" if file_format == "trec" else file_format


def options_of(table: str, asked: Mapping[str, str]) -> dict[str, Any]:
    """Those of some options that a table takes."""
    return {name: value for name, value in asked.items() if table in OPTIONS[name]}


def exports_of(study: Study) -> dict[str, Export]:
    """The tables that a study has."""
    if not study.is_imported:
        return EXPORTS
    return OF_IMPORTED if study.is_graded else OF_MAGNITUDES


def file(
    study: Study, name: str, file_format: str, *, for_spreadsheet: bool = False, **options: Any
) -> File:
    """A table as the lines of a file; numbers with full double precision.

    `for_spreadsheet`: no text of a CSV file can be run by a spreadsheet. For `options` see the
    table's function.

    Raises:
        CannotExport: no such table, not in this format, or not with these options.
    """
    tables = exports_of(study)
    if name not in tables:
        why = f", as {study} was judged elsewhere" if name in EXPORTS else ""
        raise CannotExport(f"There is no table {name}{why}; there are {', '.join(tables)}.")
    export = tables[name]
    if file_format not in export.formats:
        raise CannotExport(
            f"The table {name} is written as {' or '.join(export.formats)}, not as {file_format}."
        )
    rows = export.rows(study, **options)
    if not isinstance(rows, Rows):
        rows = Rows(rows)
    cells = _of_one_moment(export.columns, rows)
    if file_format == "csv":
        written = formats.csv_lines(export.columns, cells, for_spreadsheet=for_spreadsheet)
    elif file_format == "jsonl":
        written = formats.jsonl(export.columns, cells)
    else:
        written = formats.trec(cells)
    return File(written, rows.remarks, rows.gain_of_level)


def lines(study: Study, name: str, file_format: str, **options: Any) -> Iterator[str]:
    """The lines of `file` alone."""
    return file(study, name, file_format, **options).lines


def _of_one_moment(columns: tuple[str, ...], rows: Rows) -> Iterator[list[Any]]:
    """A reader may have had enough: the rows are closed before the moment that they are read in."""
    with results.snapshot(), closing(iter(rows)) as open_rows:
        for row in open_rows:
            yield [row[name] for name in columns]
