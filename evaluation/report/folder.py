"""The folder of a report, written file by file.

`index.html` to read, `main.tex` to set, `tables/` and `figures/` that both show, `data/` as CSV,
`references.bib`, and `methods.txt` and `findings.txt` as plain text.
"""

import logging
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from django.template.loader import render_to_string

from evaluation import pipeline
from evaluation.analyses import Analysis, of_study
from evaluation.cache import part_files, stored
from evaluation.models import CachedAnalysis
from evaluation.publishing import exports
from evaluation.report import references
from evaluation.report.draft import NOT_COMPUTED, Draft, draft
from evaluation.report.methods import methods
from evaluation.study.data import StudyData
from judging.models import Study
from web.formats import csv_lines

log = logging.getLogger(__name__)
EXPORTED = ("table1", "rankings")
DOCUMENTS = ("references.bib", "main.bbl", "main.tex", "index.html")
Done = Callable[[str], None]
Cached = Mapping[str, dict[str, Any]]


class NotEmpty(ValueError):
    """A report would be mixed with other files, such as those of another study."""


class File(NamedTuple):
    path: str
    content: bytes


@dataclass
class Report:
    """What a report came to: the results by analysis, why others have none, files written."""

    results: dict[str, dict[str, Any]] = field(default_factory=dict)
    faults: dict[str, str] = field(default_factory=dict)
    files: int = 0


def cached_results(study: Study, label_set: str) -> dict[str, dict[str, Any]]:
    """By analysis what is kept of today's data, and need not be computed again, with all rows."""
    current = stored.versions(study)
    rows = CachedAnalysis.objects.filter(
        stored.may_be_shown(study), study=study, label_set=label_set, asked=""
    )
    fresh = {row.name: stored.all_rows(row) for row in rows if row.version == current.get(row.name)}
    return {name: result for name, result in fresh.items() if result is not None}


def write(data: StudyData, folder: Path, done: Done, cached: Cached | None = None) -> Report:
    """Write a report into a folder; `done` is told the name of each analysis.

    cached: results that need not be computed, by analysis.

    Raises:
        NotEmpty: the folder holds something already.
        OSError: the folder cannot be written to.
    """
    if folder.is_dir() and any(folder.iterdir()):
        raise NotEmpty(f"{folder} is not empty: name a new folder, so that reports are not mixed")
    report = Report()
    for path, content in files(data, report, done, cached or {}):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)
        report.files += 1
    return report


def files(data: StudyData, report: Report, done: Done, cached: Cached) -> Iterator[File]:
    """Every file of a report. An analysis that cannot be computed holds up no other."""
    fitting = of_study(data.study)
    for name, analysis in fitting.items():
        yield from _of_analysis(analysis, data, report, cached.get(name))
        done(name)
    whole = draft(data, fitting, report.results, report.faults)
    yield from _exported(data.study)
    for path, text in documents(whole):
        yield File(path, text.encode())
    yield File("methods.txt", f"{references.named(methods(data, report.results))}\n".encode())
    yield File("findings.txt", _findings(data.study, report).encode())


def documents(draft: Draft) -> Iterator[tuple[str, str]]:
    """The page, main.tex, which pdflatex sets as it is, and all that they read but pictures."""
    for each in draft.floats:
        kind = "figure" if each.first.is_figure else "table"
        context = {"draft": draft, "each": each}
        text = render_to_string(f"evaluation/report/{kind}.tex", context)
        yield f"{kind}s/{each.first.name}.tex", text
    for name in DOCUMENTS:
        yield name, render_to_string(f"evaluation/report/{name}", {"draft": draft})


def _of_analysis(
    analysis: Analysis, data: StudyData, report: Report, cached: dict[str, Any] | None
) -> list[File]:
    """The files of an analysis; its result, or why there is none, goes into the report."""
    name = analysis.name
    try:
        result = cached or analysis.of(data)
        result = analysis.with_live(data.study, data.label_set, result) or result
        written = [
            file for part in result["parts"] for file in _of_part(name, part, result["crowd"])
        ]
    except Exception as fault:
        log.exception("analysis %s of %s", name, data.study)
        report.faults[name] = str(fault) or type(fault).__name__
        return []
    report.results[name] = result
    return written


def _of_part(name: str, part: dict[str, Any], crowd: str) -> Iterator[File]:
    """What of a part is no document for TeX: its data, and its picture."""
    path = f"{name}-{part['name']}"
    yield File(f"data/{path}.csv", part_files.written(part, "csv", crowd))
    if part["kind"] == "figure":
        for ending in ("svg", "pdf"):
            yield File(
                f"figures/{path}.{ending}",
                part_files.written(part, ending, crowd, has_caption=True),
            )


def _exported(study: Study) -> Iterator[File]:
    """Table I and the values of all systems on all topics, as their exports have them."""
    tables = exports.exports_of(study)
    exported = EXPORTED if pipeline.measures(study) else EXPORTED[:1]
    for name in [name for name in exported if name in tables]:
        columns = tables[name].columns
        rows = ([row[column] for column in columns] for row in tables[name].rows(study))
        yield File(f"data/overview-{name}.csv", "".join(csv_lines(columns, rows)).encode())


def _findings(study: Study, report: Report) -> str:
    """What each analysis says, or why it does not, under its question."""
    says = {name: result["says"] for name, result in report.results.items()}
    says |= {name: [f"{NOT_COMPUTED} {why}"] for name, why in report.faults.items()}
    return "\n".join(
        "\n".join([analysis.asks, "", *says[name], ""])
        for name, analysis in of_study(study).items()
    )
