"""How the numbers of a report came about: all that a reviewer asks, from the study's own data.

Citations are written [@key], as `references` reads them.
"""

import platform
from collections.abc import Iterator, Mapping
from importlib.metadata import version
from typing import Any, NamedTuple

from evaluation import pipeline
from evaluation.analyses import ANALYSES
from evaluation.presentation.parts import UNLABELLED, number
from evaluation.publishing import planned_end
from evaluation.report import collecting, references
from evaluation.study import comparing
from evaluation.study.data import StudyData
from judging.models import Study
from judging.studies import analysis_plan
from magnitudes.agreement.opinions import MISSING
from magnitudes.files.words import count
from web.product import VERSION

Results = Mapping[str, Mapping[str, Any]]  # by the name of their analysis
LIBRARIES = ("numpy", "scipy")

# By the analysis that it is of, and its part.
TESTED = {
    "order": "Effects of order and practice are factors against the others' scores of the same "
    "document; their intervals allow for scores that are alike within workers and within "
    "documents.",
    "levels": "Gains of neighbouring levels, and their logarithms, are compared by Welch's "
    "two-sided t test.",
    "workers": "The agreement of a worker with the others is Spearman's rank correlation.",
    "topics.together": "How aspects of topics go together is said by Spearman's rank correlation.",
    "power": "The measures that are compared by how many pairs of systems they tell apart are "
    "those named above, precision, average precision, reciprocal rank, rank-biased precision "
    "(RBP), and P+ and nERR as in [@sakai2017].",
    "preferences": "Of the order of judged documents alone are rpref, a generalisation of bpref, "
    "its relative form, and bpref, all three as in [@debeer2006].",
    "consistency": "The overlap of two judges is the share of the documents that both call "
    "relevant among those that either does.",
    "robustness": "One judge's order of documents is measured by another's labels: by nDCG, "
    "average precision, and graded average precision (GAP).",
    "reading": "The line of time by length is fitted by least squares, its errors being those of "
    "views that are alike within a worker.",
}


class Paragraph(NamedTuple):
    """Of the methods, under a heading of its own."""

    heading: str
    text: str


def paragraphs(data: StudyData, results: Results) -> list[Paragraph]:
    """The methods of a study, in the order in which things were done."""
    study = data.study
    collected = _judged_elsewhere(data) if study.is_imported else collecting.paragraphs(data)
    made = [
        *(Paragraph(heading, text) for heading, text in collected),
        Paragraph("Gains", _scaled(study)),
        Paragraph("Measures", _measured(data)),
        Paragraph("Comparing systems", _compared(data)),
        Paragraph("Unlabelled documents", _zeros(data, results)),
        Paragraph("Planned end", _planned(data)),
        Paragraph("Tests and intervals", " ".join(_tested(results))),
        Paragraph("Analyses", " ".join(of_analyses(data, results))),
        Paragraph("Seeds and software", _computed(data)),
    ]
    made = [paragraph for paragraph in made if paragraph.text]
    texts = references.with_sources(references.recognised(each.text) for each in made)
    return [paragraph._replace(text=text) for paragraph, text in zip(made, texts, strict=True)]


def _zeros(data: StudyData, results: Results) -> str:
    """How many unlabelled documents counted as 0 in what is shown."""
    counts = (result["numbers"].get(UNLABELLED, 0) for result in results.values())
    if not (unlabelled := max(counts, default=0)):
        return ""
    anchors = (
        "; anchors were not among them, and pairs with an anchor were left out"
        if data.has_anchors
        else ""
    )
    return (
        "Where pairs of documents, orders of systems or gains were compared with labels, "
        f"{count(unlabelled, 'judged document')} without a label in “{data.label_set}” counted as "
        f"0, as tools that read qrels have it{anchors}."
    )


def methods(data: StudyData, results: Results) -> str:
    """All of it as one text, citations among it."""
    return " ".join(paragraph.text for paragraph in paragraphs(data, results))


def of_analyses(data: StudyData, results: Results) -> Iterator[str]:
    """What the analyses that show something say of how they were computed."""
    for name, analysis in ANALYSES.items():
        if analysis.methods and name in results and results[name]["parts"]:
            yield analysis.methods(data, results[name]["numbers"])


def _tested(results: Results) -> Iterator[str]:
    """The tests and intervals of the analyses that show something."""
    for place, text in TESTED.items():
        name, _, part = place.partition(".")
        parts = [each["name"] for each in results[name]["parts"]] if name in results else []
        if part in parts or (parts and not part):
            yield text


def _computed(data: StudyData) -> str:
    units = (
        "" if data.study.is_imported else f"; units were drawn with the seed {data.study.plan_seed}"
    )
    libraries = ", ".join(f"{name} {version(name)}" for name in LIBRARIES)
    return (
        f"Random draws began with the seed {data.seed}{units}. Computed by magnitudes {VERSION} on "
        f"Python {platform.python_version()} with {libraries}."
    )


def _judged_elsewhere(data: StudyData) -> Iterator[tuple[str, str]]:
    yield (
        "Judgments",
        _magnitudes_elsewhere(data) if not data.study.is_graded else _labels_elsewhere(data),
    )


def _labels_elsewhere(data: StudyData) -> str:
    study, counts = data.study, data.documents.counts[data.documents.counts > 0]
    missing = int((data.opinions.levels == MISSING).sum())
    others = len(data.opinions.items) - len(data.judgments) - missing
    main_aspect = f" on the aspect {study.main_aspect}" if study.main_aspect else ""
    on_others = f"{count(others, 'label')} were on other aspects; " if others else ""
    return (
        f"Relevance was judged elsewhere, by {count(len(data.workers), 'worker')}, on the levels "
        f"{', '.join(study.levels)}: {count(len(data.judgments), 'label')}{main_aspect} of "
        f"{count(len(counts), 'topic-document pair')} on {count(len(data.topics), 'topic')} were "
        f"imported, {number(counts.mean())} of a pair in the mean; {on_others}"
        f"{count(missing, 'further label')} stood for no level."
    )


def _magnitudes_elsewhere(data: StudyData) -> str:
    counts = data.documents.counts[data.documents.counts > 0]
    aspect = data.study.main_aspect
    return (
        f"Relevance was judged elsewhere, by {count(len(data.workers), 'worker')}, by magnitudes "
        f"(as in [@maddalena2017]): "
        f"{count(len(data.judgments), 'score')}{f' on the aspect {aspect}' if aspect else ''} of "
        f"{count(len(counts), 'topic-document pair')} on {count(len(data.topics), 'topic')} were "
        f"imported, {number(counts.mean())} of a pair in the mean, in "
        f"{count(len(data.units), 'unit')}, each of scores that a worker gave on one scale."
    )


def _scaled(study: Study) -> str:
    normalisation, aggregation = pipeline.schemes(study)
    if study.is_graded:
        return f"The gain of a document was the {aggregation} of its levels, the lowest being 0."
    return (
        f"Scores were normalised by {normalisation} averaging within unit and topic "
        "[@moskowitz1977,maddalena2017], and aggregated by their "
        f"{aggregation}: a score s became s · γ / γ_u, with γ the geometric mean of all scores of "
        "the topic, and γ_u that of the unit; the gain of a document was the "
        f"{aggregation} of what its scores became."
    )


def _measured(data: StudyData) -> str:
    if not data.runs:
        return "There was no system to measure."
    ndcg, err = comparing.measures(data.study)
    return (
        f"{count(len(data.runs), 'system')} were measured by {ndcg} and {err}; "
        "a document without a judgment had gain 0, and a topic without a list the value 0. "
        f"{ndcg} [@jarvelin2002] is the discounted cumulated gain of the first {ndcg.cutoff} "
        "documents in the form of [@maddalena2017], which divides by log2 of the rank from rank 2 "
        f"on, over that of all judged documents of the topic in the best order. {err} "
        "[@chapelle2009] takes (2^G - 1) / 2^Gmax for the chance that a document of gain G "
        "satisfies its reader, Gmax being the largest gain of the topic."
    )


def _planned(data: StudyData) -> str:
    """What was fixed when the study opened, whether its end is reached, and what came after it."""
    frozen = analysis_plan.in_words(data.study.analysis_plan).values()
    fixed = f"Fixed when the study opened: {' '.join(frozen)}" if frozen else ""
    still = f"{data.interim}." if data.interim else ""
    later = planned_end.sentence(data.ordered_later, data.planned_end)
    return " ".join(filter(None, (fixed, still, later)))


def _compared(data: StudyData) -> str:
    if not data.runs:
        return ""
    labels = (
        f"Systems were also ranked by the labels “{data.label_set}” of the collection. "
        if data.label_set
        else ""
    )
    return (
        f"{labels}Orders of systems are compared by Kendall's tau-b, which allows for ties, of the "
        "systems' means; its 95% interval is that of Hollander, Wolfe and Chicken, and means of a "
        "system have Student's t interval over topics. Whether any two systems "
        "differ is tested for all pairs at once by the randomised Tukey HSD test. "
        "A top set [@maddalena2017] is the system with the best mean seen, and all that by a "
        "two-sided paired Wilcoxon signed-rank test over topics do not differ from it "
        "significantly (p ≥ 0.05), each compared alone: no significant difference is not the same "
        "as equal. With fewer than six topics no outcome of that test reaches p < 0.05."
    )
