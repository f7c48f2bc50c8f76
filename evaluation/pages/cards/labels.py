"""Does the crowd agree with the labels, and which document is to be read first?"""

from django.db.models import Max, Min
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.safestring import SafeString

from evaluation.models import Verdict
from evaluation.pages.cards import pictures
from evaluation.pages.cards.card import (
    NOTHING,
    Card,
    Inputs,
    Link,
    State,
    of_test,
    possible_tau,
    span,
    to_two,
)
from evaluation.presentation.parts import UNLABELLED, percent, zeros_in_words
from evaluation.study.label_levels import SETTING
from judging.models import Label, Study
from magnitudes.comparison.top_set import LEAST_TOPICS
from magnitudes.files.words import count

NAME, TITLE, ANALYSIS = "labels", "Labels", "labels"
IN_ORDER = "pairs_in_order"
TAUS = {
    "nDCG, binary": "tau_nDCG_binary",
    "nDCG, graded": "tau_nDCG_graded",
    "ERR, graded": "tau_ERR_graded",
}
CHANCE = 0.5
COMPUTED = "How far gains agree with labels is being computed"


def card(inputs: Inputs) -> Card:
    study, numbers = inputs.study, inputs.numbers(ANALYSIS)
    more, picture = _rankings(inputs)
    has_pairs = numbers.get(IN_ORDER) is not None
    if not has_pairs and (unfit := _one_level(inputs)):
        return unfit
    if not has_pairs and not more:
        if not study.collection.label_sets.exists():
            return _without(inputs)
        return Card(NAME, TITLE, *inputs.without_number(ANALYSIS, COMPUTED, _without_a_pair(study)))
    zeros = zeros_in_words(numbers.get(UNLABELLED, 0), not study.is_imported)
    differ, links = _to_read(inputs)
    return Card(
        *(NAME, TITLE, *conclusion(inputs)),
        percent(numbers[IN_ORDER]) if has_pairs else "",
        _around(inputs) if has_pairs else "",
        more,
        " ".join(filter(None, (zeros, differ))),
        picture,
        links,
    )


def _without(inputs: Inputs) -> Card:
    """Of a collection without labels."""
    collection = reverse("collection", args=[inputs.study.collection.slug])
    return Card(
        *(NAME, TITLE, "The collection has no labels to hold the crowd against", State.NONE),
        why="Add the labels of assessors (qrels), and this is computed.",
        links=(Link("Collection", collection),),
    )


def has_one_level(study: Study, label_set: str) -> bool:
    """Whether all labels of a set are the same."""
    labels = Label.objects.filter(
        label_set__collection=study.collection_id, label_set__name=label_set
    )
    ends = labels.aggregate(least=Min("level"), most=Max("level"))
    return ends["least"] is not None and ends["least"] == ends["most"]


def _one_level(inputs: Inputs) -> Card | None:
    """Of labels that nothing can be compared with, unless documents without one count as 0."""
    study, name = inputs.study, inputs.label_set
    if not has_one_level(study, name):
        return None
    if study.unlabelled_as_zero and not inputs.is_current(ANALYSIS):
        return Card(NAME, TITLE, COMPUTED, State.WAIT)
    way = f"The setting “{SETTING}” takes documents without a label in."
    why = "Documents of different labels are compared, and there are none."
    return Card(
        *(NAME, TITLE),
        f"The labels “{name}” have one level: nothing can be compared",
        State.NONE,
        why=why if study.unlabelled_as_zero else f"{why} {way}",
        links=(inputs.link("Settings", "setup-settings"),),
    )


def conclusion(inputs: Inputs) -> tuple[str, State]:
    """How far gains follow the labels."""
    numbers = inputs.numbers(ANALYSIS)
    if numbers.get(IN_ORDER) is None:
        return "No pair of documents has gains and different labels", _without_a_pair(inputs.study)
    low = numbers[f"{IN_ORDER}_low"]
    without = ", without the anchors" if numbers["pairs_of"] == "others" else ""
    if low is None or low <= CHANCE:
        return f"It cannot be said that gains follow the labels{without}", State.EARLY
    if numbers["pairs_topics"] < LEAST_TOPICS:
        topics = count(numbers["pairs_topics"], "topic")
        return f"How far gains follow the labels cannot be estimated from {topics}", State.EARLY
    says = f"Gains follow the labels on {percent(numbers[IN_ORDER])} of pairs{without}"
    return says, of_test(numbers.get(f"{IN_ORDER}_p"))


def _without_a_pair(study: Study) -> State:
    """Of gains and labels without a pair that differs: judgments to come may bring one."""
    return State.NONE if study.is_imported or study.stage == Study.Stage.CLOSED else State.EARLY


def _around(inputs: Inputs) -> str:
    numbers = inputs.numbers(ANALYSIS)
    low, high, topics = (
        numbers[each] for each in (f"{IN_ORDER}_low", f"{IN_ORDER}_high", "pairs_topics")
    )
    ends = ""
    if low is not None and topics >= LEAST_TOPICS:
        ends = f" ({percent(max(low, 0))} to {percent(min(high, 1))})"
    return f"of pairs in order{ends}, {count(topics, 'topic')}; chance: 50%"


def _rankings(inputs: Inputs) -> tuple[str, SafeString]:
    """How far rankings by both agree, where tau is defined: a sentence, and the picture."""
    numbers, rows = inputs.numbers("rankings"), []
    few = inputs.numbers(ANALYSIS).get("pairs_topics", 0) < LEAST_TOPICS
    for kind, name in TAUS.items():
        if (tau := numbers.get(name)) is not None:
            unknown = few or abs(tau) == 1
            ends = (None if unknown else numbers.get(f"{name}_{end}") for end in ("low", "high"))
            rows.append(pictures.Row(kind, *possible_tau(tau, *ends)))
    if not rows:
        return "", NOTHING
    taus = [f"{to_two(row.value)} ({span(row.low, row.high)})" for row in rows]
    described = "; ".join(f"{row.name} {tau}" for row, tau in zip(rows, taus, strict=True))
    more = f"Rankings by both ({rows[0].name}): tau {taus[0].removesuffix(' ()')}."
    return more, pictures.to_one(
        rows, "tau of both rankings", f"Tau with the ranking by labels: {described}"
    )


def _to_read(inputs: Inputs) -> tuple[str, tuple[Link, ...]]:
    """How many documents lie nearer to another level, and the first of them without a verdict.

    No document without a label counts as 0 for that.
    """
    numbers, query = inputs.numbers("differences"), f"?{urlencode({'labels': inputs.label_set})}"
    read = _read(inputs.study, inputs.label_set)
    links = tuple(
        inputs.link(words, "analysis", name, end=query)
        for words, name in (("All", "differences"), ("Rankings", "rankings"))
    )
    unread = [one for one in numbers.get("documents", []) if (one[0], one[1]) not in read]
    first = ""
    for topic, document, *levels in unread[:1]:
        words = f"Read first: {document}, topic {topic}"
        links = (inputs.link(words, "difference", topic, document, end=query), *links)
        if levels:
            first = " {} has level {}, but fits level {} best.".format(document, *levels)
    differ = numbers.get("differ")
    if differ is None:
        return "", links
    if not differ:
        return "No document fits another level better than its label's.", links
    verdicts = count(len(read), "verdict") if read else "no verdict"
    fit = count(differ, "document fits", "documents fit")
    return f"{fit} another level better than the label's; {verdicts} given.{first}", links


def _read(study: Study, label_set: str) -> set[tuple[str, str]]:
    """The documents that have a verdict."""
    verdicts = Verdict.objects.filter(document__study_topic__study=study, label_set=label_set)
    return set(verdicts.values_list("document__study_topic__topic__query_id", "document__doc_id"))
