"""One folder with everything that a study says: tables, figures, and a methods paragraph."""

import logging
import platform
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

from evaluation import VERSION, exports, pipeline
from evaluation.agreement.opinions import MISSING
from evaluation.analyses import ANALYSES, Analysis, of_study
from evaluation.analyses.study.data import StudyData
from evaluation.analyses.telling.parts import Table, number
from evaluation.store import part_files
from judging.models import Study
from judging.studies.table_one import pay, seconds_per_document
from trec.words import count

Results = Mapping[str, Mapping[str, Any]]  # by the name of their analysis
log = logging.getLogger(__name__)
TITLES = {"table1": "Topics, units, back steps and failed finishes", "rankings": "Systems"}
LIBRARIES = ("numpy", "scipy", "altair", "vl-convert-python")
PAPER = "Maddalena, Mizzaro, Scholer and Turpin, ACM TOIS 35(3), 2017"
CROWDS = {
    "simulated": " (artificial workers)",
    "demo": " (people and artificial workers)",
    "rehearsal": " (a rehearsal)",
}


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
    report = Report()

    def save(path: str, content: bytes) -> None:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)
        report.files += 1

    for path, content in _exported(data.study):
        save(path, content)
        done(path)
    for name, analysis in of_study(data.study).items():
        for path, content in _computed(analysis, data, report):
            save(path, content)
        done(name)
    save("methods.txt", f"{methods(data, report.results)}\n".encode())
    save("findings.txt", _findings(data.study, report).encode())
    return report


def _exported(study: Study) -> Iterator[tuple[str, bytes]]:
    """What the overview shows: Table I and the rankings. In LaTeX the rankings have the means."""
    crowd = study.mark or "people"
    tables = exports.exports_of(study)
    for name in [name for name in TITLES if name in tables]:
        export = tables[name]
        columns = tuple(column for column in export.columns if column != "crowd")
        rows = list(export.rows(study))
        means = [row for row in rows if row.get("query_id", "all") == "all"]
        for ending, some in (("csv", rows), ("tex", means)):
            cells = [[row[column] for column in columns] for row in some]
            part = Table(name, TITLES[name], columns, cells).kept()
            yield f"tables/{name}.{ending}", part_files.written(part, ending, crowd)


def _computed(analysis: Analysis, data: StudyData, report: Report) -> list[tuple[str, bytes]]:
    """The files of an analysis, by path; its result, or why there is none, goes into the report."""
    try:
        computed = analysis.of(data)
        result = analysis.with_live(data.study, data.label_set, computed) or computed
        written = list(_parts(analysis.name, result))
    except Exception as fault:
        log.exception("analysis %s of %s", analysis.name, data.study)
        report.faults[analysis.name] = str(fault) or type(fault).__name__
        return []
    report.results[analysis.name] = result
    return written


def _parts(name: str, result: dict[str, Any]) -> Iterator[tuple[str, bytes]]:
    """Every part of one analysis as files, by path."""
    for part in result["parts"]:
        folder = "figures" if part["kind"] == "figure" else "tables"
        for ending in part_files.formats(part):
            path = f"{folder}/{name}-{part['name']}.{ending}"
            yield path, part_files.written(part, ending, result["crowd"])


def _findings(study: Study, report: Report) -> str:
    """What each analysis says, or why it does not, under its question."""
    says = {name: result["says"] for name, result in report.results.items()}
    says |= {name: [f"This could not be computed: {why}"] for name, why in report.faults.items()}
    return "\n".join(
        "\n".join([analysis.asks, "", *says[name], ""])
        for name, analysis in of_study(study).items()
    )


def methods(data: StudyData, results: Results) -> str:
    """A paragraph for a paper on how the numbers came about."""
    study = data.study
    sentences = _judged_elsewhere(data) if study.is_imported else _judged_here(data)
    if data.label_set:
        sentences.append(f"They are compared with the labels “{data.label_set}” of the collection.")
    sentences.extend(of_analyses(data, results))
    units = "" if study.is_imported else f"; units were drawn with the seed {study.plan_seed}"
    libraries = ", ".join(f"{name} {version(name)}" for name in LIBRARIES)
    sentences.append(
        f"Random draws began with the seed {data.seed}{units}. Computed by magnitudes {VERSION} on "
        f"Python {platform.python_version()} with {libraries}."
    )
    return " ".join(sentences)


def of_analyses(data: StudyData, results: Results) -> Iterator[str]:
    """What the analyses that show something say of how they were computed."""
    for name, analysis in ANALYSES.items():
        if analysis.methods and name in results and results[name]["parts"]:
            yield analysis.methods(data, results[name]["numbers"])


def _judged_elsewhere(data: StudyData) -> list[str]:
    study, counts = data.study, data.documents.counts[data.documents.counts > 0]
    if not study.is_graded:
        return [_magnitudes_elsewhere(data), _scaled(study), _measured(data)]
    missing = int((data.opinions.levels == MISSING).sum())
    others = len(data.opinions.items) - len(data.judgments) - missing
    main_aspect = f" on the aspect {study.main_aspect}" if study.main_aspect else ""
    on_others = f"{count(others, 'label')} were on other aspects; " if others else ""
    return [
        f"Relevance was judged elsewhere, by {count(len(data.workers), 'worker')}, on the levels "
        f"{', '.join(study.levels)}: {count(len(data.judgments), 'label')}{main_aspect} of "
        f"{count(len(counts), 'topic-document pair')} on {count(len(data.topics), 'topic')} were "
        f"imported, {number(counts.mean())} of a pair in the mean; {on_others}"
        f"{count(missing, 'further label')} stood for no level.",
        _scaled(study),
        _measured(data),
    ]


def _magnitudes_elsewhere(data: StudyData) -> str:
    counts = data.documents.counts[data.documents.counts > 0]
    aspect = data.study.main_aspect
    return (
        f"Relevance was judged elsewhere, by {count(len(data.workers), 'worker')}, by magnitudes "
        f"(as in {PAPER}): "
        f"{count(len(data.judgments), 'score')}{f' on the aspect {aspect}' if aspect else ''} of "
        f"{count(len(counts), 'topic-document pair')} on {count(len(data.topics), 'topic')} were "
        f"imported, {number(counts.mean())} of a pair in the mean, in "
        f"{count(len(data.units), 'unit')}, each of scores that a worker gave on one scale."
    )


def _judged_here(data: StudyData) -> list[str]:
    study, pairs = data.study, int((data.documents.counts > 0).sum())
    seconds = seconds_per_document(study)
    return [
        f"Relevance was judged {_how(study)} by {count(len(data.workers), 'worker')} of a crowd"
        f"{CROWDS.get(study.mark, '')}: {count(len(data.judgments), 'judgment')} of "
        f"{count(pairs, 'topic-document pair')} on {count(len(data.topics), 'topic')}, in "
        f"{count(len(data.units), 'unit')} of {study.unit_size} documents, at least "
        f"{study.redundancy} judgments planned for each pair.",
        *_left_out(study),
        "Every unit held one document known to be relevant (H_k) and one known not to be (N_k); "
        f"a unit counted when its worker had put three practice lines in order, {_checks(study)}.",
        f"Workers spent {number(seconds.mean)} seconds on a document in the mean (standard "
        f"deviation {number(seconds.sd)}).",
        _scaled(study),
        _measured(data),
        *_paid(study),
    ]


def _left_out(study: Study) -> Iterator[str]:
    """What was judged, and how much of it these numbers are not of."""
    if excluded := study.workers.filter(excluded_at__isnull=False).count():
        yield f"The scores of {count(excluded, 'worker')} more were excluded."
    if batches := study.batches.count():
        which = "all" if study.all_judgments else "only as far as judgments were missing"
        came = f"{count(batches, 'batch', 'batches')} of units came after the plan"
        yield f"{came}; of their judgments count {which}."


def _how(study: Study) -> str:
    if study.is_graded:
        return f"on the levels {', '.join(study.levels)}, with the checks of {PAPER},"
    return f"by magnitude estimation ({PAPER})"


def _checks(study: Study) -> str:
    if not study.minimum_seconds:
        return "answered a question on the topic, and scored H_k above N_k"
    return (
        "answered a question on the topic, scored H_k above N_k, and spent "
        f"{study.minimum_seconds:g} seconds or more on every document"
    )


def _scaled(study: Study) -> str:
    normalisation, aggregation = pipeline.schemes(study)
    if study.is_graded:
        return f"The gain of a document was the {aggregation} of its levels, the lowest being 0."
    return (
        f"Scores were normalised by {normalisation} averaging within unit and topic (equations 1 "
        f"and 2 of that paper), and aggregated by their {aggregation}."
    )


def _measured(data: StudyData) -> str:
    if not data.runs:
        return "There was no system to measure."
    return (
        f"{count(len(data.runs), 'system')} were measured by {' and '.join(pipeline.MEASURES)}; "
        f"a document without a judgment had gain 0."
    )


def _paid(study: Study) -> Iterator[str]:
    if study.payment and not study.mark:
        yield (
            f"A unit was paid {study.payment} {study.currency}; the judgments cost "
            f"{pay(study).total:,.2f} {study.currency}, fees included."
        )
