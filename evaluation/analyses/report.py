"""One folder with everything that a study says: tables, figures, and a methods paragraph."""

import logging
import platform
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

from evaluation import VERSION, exports, pipeline
from evaluation.analyses import ANALYSES, Analysis, files
from evaluation.analyses.data import StudyData
from evaluation.analyses.parts import Table, number
from evaluation.gains.opinions import MISSING
from judging import report as judged
from judging.models import Study
from trec.words import count

log = logging.getLogger(__name__)
TITLES = {"table1": "Topics, units, back steps and failed finishes", "rankings": "Systems"}
LIBRARIES = ("numpy", "scipy", "altair", "vl-convert-python")


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
        OSError: the folder cannot be written to.
    """
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
    keep("methods.txt", f"{methods(data)}\n".encode())
    keep("findings.txt", _findings(fitting, made).encode())
    return made


def _exported(study: Study) -> Iterator[tuple[str, bytes]]:
    """What the overview shows: Table I and the rankings. In LaTeX the rankings have the means."""
    crowd = study.mark or "people"
    there = exports.exports_of(study)
    for name in [name for name in ("table1", "rankings") if name in there]:
        export = there[name]
        columns = tuple(column for column in export.columns if column != exports.CROWD)
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


def methods(data: StudyData) -> str:
    """A paragraph on how the numbers came about, for a paper."""
    said = _judged_elsewhere(data) if data.study.is_imported else _judged_here(data)
    if data.label_set:
        said.append(f"They are compared with the labels “{data.label_set}” of the collection.")
    drawn = f"; units were drawn with the seed {data.study.plan_seed}"
    said.append(
        f"Random draws began with the seed {data.seed}"
        f"{'' if data.study.is_imported else drawn}. Computed by magnitudes {VERSION} on Python "
        f"{platform.python_version()} with "
        f"{', '.join(f'{name} {version(name)}' for name in LIBRARIES)}."
    )
    return " ".join(said)


def _judged_elsewhere(data: StudyData) -> list[str]:
    study, pairs = data.study, data.counts[data.counts > 0]
    missing = int((data.opinions.levels == MISSING).sum())
    others = len(data.opinions.items) - len(data.raw) - missing
    of_main = f" on the aspect {study.main_aspect}" if study.main_aspect else ""
    return [
        f"Relevance was judged elsewhere, by {count(len(data.workers), 'worker')}, on the levels "
        f"{', '.join(study.levels)}: {count(len(data.raw), 'label')}{of_main} of "
        f"{count(len(pairs), 'topic-document pair')} on {count(len(data.topics), 'topic')} were "
        f"imported, {number(pairs.mean())} of a pair in the mean; "
        + (f"{count(others, 'label')} were on other aspects; " if others else "")
        + f"{count(missing, 'further label')} stood for no level.",
        _scaled(study),
        _measured(data),
    ]


def _measured(data: StudyData) -> str:
    return (
        f"{count(len(data.runs), 'system')} were measured by {' and '.join(pipeline.MEASURES)}; "
        f"a document without a judgment had gain 0."
    )


def _judged_here(data: StudyData) -> list[str]:
    study = data.study
    seconds, pay = judged.seconds_per_document(study), judged.pay(study)
    pairs = int((data.counts > 0).sum())
    crowd = {"simulated": "artificial workers", "demo": "people and artificial workers"}
    said = [
        f"Relevance was judged {_how(study)} by {count(len(data.workers), 'worker')} of a crowd"
        f"{f' ({crowd[study.mark]})' if study.mark else ''}: {count(len(data.raw), 'judgment')} of "
        f"{count(pairs, 'topic-document pair')} on {count(len(data.topics), 'topic')}, in "
        f"{count(data.units, 'unit')} of {study.unit_size} documents, at least {study.redundancy} "
        f"judgments planned for each pair.",
        f"Every unit held one document known to be relevant (H_k) and one known not to be (N_k); "
        f"a unit counted when its worker had put three practice lines in order, answered a "
        f"question on the topic, scored H_k above N_k, and spent {study.minimum_seconds:g} seconds "
        f"or more on every document.",
        f"Workers spent {number(seconds.mean)} seconds on a document in the mean (standard "
        f"deviation {number(seconds.sd)}).",
        _scaled(study),
        _measured(data),
    ]
    if study.payment and not study.mark:
        said.append(
            f"A unit was paid {study.payment} {study.currency}; the judgments cost "
            f"{pay.total:,.2f} {study.currency}, fees included."
        )
    return said


def _how(study: Study) -> str:
    paper = "Maddalena, Mizzaro, Scholer and Turpin, ACM TOIS 35(3), 2017"
    if study.is_graded:
        return f"on the levels {', '.join(study.levels)}, with the checks of {paper},"
    return f"by magnitude estimation ({paper})"


def _scaled(study: Study) -> str:
    normalisation, aggregation = pipeline.schemes(study)
    if study.is_graded:
        return f"The gain of a document was the {aggregation} of its levels, the lowest being 0."
    return (
        f"Scores were normalised by {normalisation} averaging within unit and topic (equations 1 "
        f"and 2 of that paper), and aggregated by their {aggregation}."
    )
