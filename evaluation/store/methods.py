"""How a study's numbers came about, as a paragraph for a paper."""

import platform
from collections.abc import Iterator, Mapping
from importlib.metadata import version
from typing import Any

from evaluation import VERSION, pipeline
from evaluation.agreement.opinions import MISSING
from evaluation.analyses import ANALYSES
from evaluation.analyses.study.data import StudyData
from evaluation.analyses.telling.parts import number
from judging.models import Study
from judging.studies import report as judged
from trec.words import count

Results = Mapping[str, Mapping[str, Any]]
LIBRARIES = ("numpy", "scipy", "altair", "vl-convert-python")


def methods(data: StudyData, results: Results) -> str:
    """A paragraph on how the numbers came about, for a paper; `results` of analyses by name."""
    said = _judged_elsewhere(data) if data.study.is_imported else _judged_here(data)
    if data.label_set:
        said.append(f"They are compared with the labels “{data.label_set}” of the collection.")
    said.extend(of_analyses(data, results))
    drawn = f"; units were drawn with the seed {data.study.plan_seed}"
    said.append(
        f"Random draws began with the seed {data.seed}"
        f"{'' if data.study.is_imported else drawn}. Computed by magnitudes {VERSION} on Python "
        f"{platform.python_version()} with "
        f"{', '.join(f'{name} {version(name)}' for name in LIBRARIES)}."
    )
    return " ".join(said)


def of_analyses(data: StudyData, results: Results) -> Iterator[str]:
    """What the analyses that show something say of how they were computed."""
    for name, analysis in ANALYSES.items():
        if analysis.methods and name in results and results[name]["parts"]:
            yield analysis.methods(data, results[name]["numbers"])


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
    if not data.runs:
        return "There was no system to measure."
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
        "Every unit held one document known to be relevant (H_k) and one known not to be (N_k); "
        f"a unit counted when its worker had put three practice lines in order, {_checks(study)}.",
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
