import json
import platform
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from typing import Any, NamedTuple

from django.template.loader import render_to_string

from evaluation import pipeline
from evaluation.publishing import named_gains, planned_end
from judging.departures import departures
from judging.models import Study
from judging.studies import analysis_plan
from web import clock
from web.files import File
from web.product import VERSION

LIBRARIES = ("numpy", "scipy")
# The settings of a study that a release lists, where the study has them.
SETTINGS = (
    *("scale", "levels", "unit_size", "redundancy", "minimum_seconds", "pool_depth", "pool_by"),
    *("payment", "currency", "practice", "show_previous_score", "ratios_after_practice", "hints"),
    "most_failed_finishes",
    *("max_units_per_worker", "most_workers", "newcomers_an_hour", "newcomers_a_day", "entry"),
    *("platform", "further_units", "question_tries", "attempts"),
    *("labels", "main_aspect"),
)
# By their SPDX identifiers: the name, and where the legal text stands.
LICENCES = {
    "CC-BY-4.0": (
        "Creative Commons Attribution 4.0",
        "https://creativecommons.org/licenses/by/4.0/legalcode",
    ),
    "CC-BY-SA-4.0": (
        "Creative Commons Attribution-ShareAlike 4.0",
        "https://creativecommons.org/licenses/by-sa/4.0/legalcode",
    ),
    "CC-BY-NC-4.0": (
        "Creative Commons Attribution-NonCommercial 4.0",
        "https://creativecommons.org/licenses/by-nc/4.0/legalcode",
    ),
    "CC0-1.0": (
        "Creative Commons Zero 1.0: no rights reserved",
        "https://creativecommons.org/publicdomain/zero/1.0/legalcode",
    ),
    "ODbL-1.0": (
        "Open Database License 1.0",
        "https://opendatacommons.org/licenses/odbl/1-0/",
    ),
}
CITE_ALSO = (
    'references:\n  - type: article\n    title: "On Crowdsourcing Relevance Magnitudes for '
    'Information Retrieval Evaluation"\n    authors:\n      - name: "Maddalena, E."\n'
    '      - name: "Mizzaro, S."\n      - name: "Scholer, F."\n      - name: "Turpin, A."\n'
    '    journal: "ACM Transactions on Information Systems"\n    volume: 35\n    issue: 3\n'
    "    year: 2017\n"
)


MEANINGS = {
    "worker": "The worker, under a number drawn at random for this release",
    "unit": "The set of documents that the worker judged together",
    "query_id": "The topic",
    "doc_id": "The document",
    "position": "The page of the unit on which the document stood, from 1",
    "score": "What the worker gave: a magnitude, or the number of a level, from 0",
    "seconds": "How long the page was open, in seconds, by the server's clock",
    "normalised": "The score on the common scale of its topic, without the worker's own scale",
    "role": "h_k (known to be highly relevant), n_k (known not to be relevant) or other",
    "visits": "How often the page was opened",
    "visible_seconds": "How long the page was visible, in seconds, as the browser counted",
    "first_score": "The first score that the worker gave to the document",
    "changed_after_failure": "Whether the score was changed after the first Finish that failed",
    "submitted_on": "The day of the judgment (UTC)",
    "simulated": "Whether an artificial worker judged",
    "batch": "The batch that added the unit; empty for the original plan",
    "excluded": "Whether the worker was excluded; no gain uses the scores of excluded workers",
    "aspect": "The aspect of the document that was judged",
    "group": "The number of a group: scores of a worker on a topic that share a scale",
    "occasion": "The number of the occasion, where a worker judged more than once",
    "justification": "What the worker wrote about the score",
}


class Qrels(NamedTuple):
    """is_whole: tools that read only labels can read it."""

    path: str
    gains: str
    is_whole: bool
    remarks: Sequence[str]


class Described(NamedTuple):
    """What a release says of itself.

    left_out: how many judgments are not in it, as too few others judged their topics; others: how
    many would be enough.
    """

    authors: Sequence[str] = ()
    licence: str = ""  # its SPDX identifier
    columns: Sequence[str] = ()
    qrels: Sequence[Qrels] = ()
    left_out: int = 0
    others: int = 0


def method(study: Study) -> dict[str, Any]:
    """For the template of this name: how the documents were judged, and gains made of scores."""
    normalisation, aggregation = pipeline.schemes(study)
    return {
        "study": study,
        "departures": departures(study),
        "usual": named_gains.usual(study),
        "normalisation": normalisation,
        "aggregation": aggregation,
        "topics": study.topics.count(),
        "analysis_plan": analysis_plan.in_words(study.analysis_plan).values(),
        "interim": analysis_plan.interim(study),
        "planned_end": planned_end.sentence_of(study),
        "batches": study.batches.order_by("number"),
    }


def files(study: Study, described: Described) -> Iterator[File]:
    settings = _settings(study)
    columns, qrels, licence = described.columns, described.qrels, described.licence
    context = {
        **method(study),
        "settings": settings,
        "licence": LICENCES.get(licence),
        "described": described,
        "consent": "\n".join(f"> {line}".rstrip() for line in study.consent.splitlines()),
        "columns": [(name, MEANINGS[name]) for name in columns],
        "qrels": qrels,
        "whole": next(each for each in qrels if each.is_whole),
        "measures": pipeline.measures(study),
        "free": study.collection.free_to_share,
        "product": VERSION,
        "python": platform.python_version(),
        "libraries": [(name, version(name)) for name in LIBRARIES],
        "made_on": clock.now().date().isoformat(),
    }
    readme = render_to_string("workspace/release/README.md", context)
    yield File("README.md", [readme.encode()])
    yield File("settings.json", [json.dumps(settings, indent=1, ensure_ascii=False).encode()])
    yield File("CITATION.cff", [_citation(study, described.authors, licence).encode()])
    if licence:
        text = render_to_string("workspace/release/LICENSE", context)
        yield File("LICENSE", [text.encode()])


def _settings(study: Study) -> dict[str, Any]:
    names = ("scale", "levels", "main_aspect") if study.is_imported else SETTINGS
    values = {name: getattr(study, name) for name in names}
    return {
        name: value if isinstance(value, list | int | float | bool) else str(value)
        for name, value in values.items()
        if value not in (None, "", [])
    }


def _citation(study: Study, authors: Sequence[str], licence: str) -> str:
    """CITATION.cff 1.2; JSON strings are valid YAML."""
    names = authors or [f"The authors of {study.title}"]
    lines = [
        "cff-version: 1.2.0",
        'message: "If you use these judgments, please cite them as below."',
        "type: dataset",
        f"title: {json.dumps(study.title, ensure_ascii=False)}",
        "authors:",
        *(f"  - name: {json.dumps(name, ensure_ascii=False)}" for name in names),
        f'date-released: "{clock.now().date().isoformat()}"',
        *([f"license: {licence}"] if licence else []),
    ]
    return "\n".join(lines) + "\n" + CITE_ALSO
