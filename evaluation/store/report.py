"""One folder with everything that a study says: tables, figures, and a methods paragraph."""

import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evaluation import exports
from evaluation.analyses import ANALYSES, Analysis
from evaluation.analyses.study.data import StudyData
from evaluation.analyses.telling.parts import Table
from evaluation.store import files
from evaluation.store.methods import methods
from judging.models import Study

log = logging.getLogger(__name__)
TITLES = {"table1": "Topics, units, back steps and failed finishes", "rankings": "Systems"}


class NotEmpty(ValueError):
    """A report would be mixed with other files, such as those of another study."""


@dataclass
class Report:
    """What a report came to: the results by analysis, why others have none, files written."""

    results: dict[str, dict[str, Any]] = field(default_factory=dict)
    faults: dict[str, str] = field(default_factory=dict)
    files: int = 0


def write(data: StudyData, folder: Path, done: Callable[[str], None]) -> Report:
    """Compute every analysis and write it; `done` is told the name of each.

    Files: tables/ (CSV and LaTeX), figures/ (SVG, PDF and their data as CSV), methods.txt, and
    findings.txt with what each analysis says. One that cannot be computed holds up no other.

    Raises:
        NotEmpty: the folder holds something already.
        OSError: the folder cannot be written to.
    """
    if folder.is_dir() and any(folder.iterdir()):
        raise NotEmpty(f"{folder} is not empty: name a new folder, so that reports are not mixed")
    made = Report()

    def keep(path: str, content: bytes) -> None:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)
        made.files += 1

    fitting = {name: one for name, one in ANALYSES.items() if one.fits(data.study)}
    for path, content in _exported(data.study):
        keep(path, content)
        done(path)
    for name, analysis in fitting.items():
        try:
            computed = analysis.of(data)
            result = analysis.with_live(data.study, data.label_set, computed) or computed
            written = list(_parts(name, result))
        except Exception as failed:
            log.exception("analysis %s of %s", name, data.study)
            made.faults[name] = str(failed) or type(failed).__name__
        else:
            made.results[name] = result
            for path, content in written:
                keep(path, content)
        done(name)
    keep("methods.txt", f"{methods(data, made.results)}\n".encode())
    keep("findings.txt", _findings(fitting, made).encode())
    return made


def _exported(study: Study) -> Iterator[tuple[str, bytes]]:
    """What the overview shows: Table I and the rankings. In LaTeX the rankings have the means."""
    crowd = study.mark or "people"
    there = exports.exports_of(study)
    for name in [name for name in ("table1", "rankings") if name in there]:
        export = there[name]
        columns = tuple(column for column in export.columns if column != "crowd")
        rows = list(export.rows(study))
        for ending in ("csv", "tex"):
            of = [
                [row[column] for column in columns]
                for row in rows
                if ending == "csv" or row.get("query_id", "all") == "all"
            ]
            part = Table(name, TITLES[name], columns, of).kept()
            yield f"tables/{name}.{ending}", files.written(part, ending, crowd)


def _parts(name: str, result: dict[str, Any]) -> Iterator[tuple[str, bytes]]:
    """Every part of one analysis as files, by path."""
    for part in result["parts"]:
        folder = "figures" if part["kind"] == "figure" else "tables"
        for ending in files.formats(part):
            yield (
                f"{folder}/{name}-{part['name']}.{ending}",
                files.written(part, ending, result["crowd"]),
            )


def _findings(fitting: dict[str, Analysis], made: Report) -> str:
    """What each analysis says, or why it does not, under its question."""
    said = {name: result["says"] for name, result in made.results.items()}
    said |= {name: [f"This could not be computed: {why}"] for name, why in made.faults.items()}
    return "\n".join(
        "\n".join([analysis.asks, "", *said[name], ""]) for name, analysis in fitting.items()
    )
