"""Does the crowd agree with the labels, and which document is to be read first?"""

from collections.abc import Mapping
from typing import Any

from django.db.models import Max, Min
from django.urls import reverse
from django.utils.http import urlencode

from evaluation.models import Verdict
from evaluation.pages.cards import pictures
from evaluation.pages.cards.card import Card, Kept, Light, Link, of_test, possible_tau, span, to_two
from evaluation.presentation.parts import UNLABELLED, percent, zeros_in_words
from evaluation.study.label_levels import SETTING
from judging.models import Label, Study
from magnitudes.comparison.top_set import LEAST_TOPICS
from magnitudes.files.words import count

NAME, TITLE = "labels", "Labels"
IN_ORDER = "pairs_in_order"
TAUS = {
    "nDCG, binary": "tau_nDCG_binary",
    "nDCG, graded": "tau_nDCG_graded",
    "ERR, graded": "tau_ERR_graded",
}
CHANCE = 0.5
COMPUTED = "How far gains agree with labels is being computed"


def card(study: Study, kept: Kept, label_set: str) -> Card:
    numbers, taus = kept.numbers("labels"), _taus(kept)
    if numbers.get(IN_ORDER) is None and has_one_level(study, label_set):
        return _one_level(study, label_set, kept)
    if numbers.get(IN_ORDER) is None and not taus:
        if not study.collection.label_sets.exists():
            return _without(study)
        waits = kept.waits("labels")
        says = kept.says("labels") or COMPUTED
        return Card(NAME, TITLE, says, Light.WAIT if waits else _without_a_pair(study))
    read = _read(study, label_set)
    first = _to_read(kept, read)
    return Card(
        NAME,
        TITLE,
        finding(kept),
        _light(study, numbers),
        _why(study, kept, read),
        _share(numbers),
        _around(numbers),
        _more(taus),
        _picture(taus),
        _links(study, label_set, first),
    )


def _without(study: Study) -> Card:
    """Of a collection without labels."""
    return Card(
        NAME,
        TITLE,
        "The collection has no labels to hold the crowd against",
        Light.NONE,
        "Add the labels of assessors (qrels), and this is computed.",
        links=(Link("Collection", reverse("collection", args=[study.collection.slug])),),
    )


def has_one_level(study: Study, label_set: str) -> bool:
    """Whether all labels of a set are the same."""
    labels = Label.objects.filter(
        label_set__collection=study.collection_id, label_set__name=label_set
    )
    ends = labels.aggregate(least=Min("level"), most=Max("level"))
    return ends["least"] is not None and ends["least"] == ends["most"]


def _one_level(study: Study, label_set: str, kept: Kept) -> Card:
    """Of labels that nothing can be compared with, unless documents without one count as 0."""
    if study.unlabelled_as_zero and not kept.is_current("labels"):
        return Card(NAME, TITLE, COMPUTED, Light.WAIT)
    way = f"The setting “{SETTING}” takes documents without a label in."
    return Card(
        NAME,
        TITLE,
        f"The labels “{label_set}” have one level: this is not for this study",
        Light.NONE,
        "Documents of different labels are compared, and there are none."
        f"{'' if study.unlabelled_as_zero else f' {way}'}",
        links=(Link("Settings", reverse("setup-settings", args=[study.slug])),),
    )


def _taus(kept: Kept) -> dict[str, tuple[float, float | None, float | None]]:
    """Tau of the ranking with that by labels, and its interval, by kind; those that are defined."""
    numbers = kept.numbers("rankings")
    few = kept.numbers("labels").get("pairs_topics", 0) < LEAST_TOPICS
    taus = {}
    for kind, name in TAUS.items():
        if (tau := numbers.get(name)) is not None:
            unknown = few or abs(tau) == 1
            ends = (None if unknown else numbers.get(f"{name}_{end}") for end in ("low", "high"))
            taus[kind] = (tau, *possible_tau(*ends))
    return taus


def finding(kept: Kept) -> str:
    """How far gains follow the labels."""
    numbers = kept.numbers("labels")
    if numbers.get(IN_ORDER) is None:
        return "No pair of documents has gains and different labels"
    low = numbers[f"{IN_ORDER}_low"]
    without = ", anchors left out" if numbers["pairs_of"] == "others" else ""
    if low is None or low <= CHANCE:
        return f"It cannot be said that gains follow the labels{without}"
    if numbers["pairs_topics"] < LEAST_TOPICS:
        topics = count(numbers["pairs_topics"], "topic")
        return f"How far gains follow the labels cannot be estimated from {topics}"
    return f"Gains follow the labels on {percent(numbers[IN_ORDER])} of pairs{without}"


def _light(study: Study, numbers: Mapping[str, Any]) -> Light:
    if numbers.get(IN_ORDER) is None:
        return _without_a_pair(study)
    low = numbers.get(f"{IN_ORDER}_low")
    if low is None or low <= CHANCE or numbers["pairs_topics"] < LEAST_TOPICS:
        return Light.EARLY
    return of_test(numbers.get(f"{IN_ORDER}_p"))


def _without_a_pair(study: Study) -> Light:
    """Of gains and labels without a pair that differs: judgments to come may bring one."""
    return Light.NONE if study.is_imported or study.stage == Study.Stage.CLOSED else Light.EARLY


def _why(study: Study, kept: Kept, read: set[tuple[str, str]]) -> str:
    unlabelled = kept.numbers("labels").get(UNLABELLED, 0)
    zeros = zeros_in_words(unlabelled, not study.is_imported)
    return " ".join(filter(None, (zeros, _differ(kept, read))))


def _differ(kept: Kept, read: set[tuple[str, str]]) -> str:
    """How many documents lie nearer to another level, for which no document counts as 0."""
    differ = kept.numbers("differences").get("differ")
    if differ is None:
        return ""
    if not differ:
        return "No document lies nearer to another level."
    verdicts = count(len(read), "verdict") if read else "no verdict"
    return f"{count(differ, 'document')} nearer to another level; {verdicts} given."


def _share(numbers: Mapping[str, Any]) -> str:
    share = numbers.get(IN_ORDER)
    return "" if share is None else percent(share)


def _around(numbers: Mapping[str, Any]) -> str:
    if numbers.get(IN_ORDER) is None:
        return ""
    low, high = numbers[f"{IN_ORDER}_low"], numbers[f"{IN_ORDER}_high"]
    topics = count(numbers["pairs_topics"], "topic")
    if low is None or numbers["pairs_topics"] < LEAST_TOPICS:
        return f"of pairs in order, {topics}; chance: 50%"
    ends = f"{percent(max(low, 0))} to {percent(min(high, 1))}"
    return f"of pairs in order ({ends}), {topics}; chance: 50%"


def _more(taus: Mapping[str, tuple[float, float | None, float | None]]) -> str:
    if not taus:
        return ""
    kind, (tau, low, high) = next(iter(taus.items()))
    ends = f" ({span(low, high)})" if low is not None else ""
    return f"Rankings by both ({kind}): tau {to_two(tau)}{ends}."


def _picture(
    taus: Mapping[str, tuple[float, float | None, float | None]],
) -> pictures.SafeString:
    if not taus:
        return pictures.SafeString()
    rows = [pictures.Row(kind, *values) for kind, values in taus.items()]
    ends = [end for values in taus.values() for end in values if end is not None]
    axis = pictures.Axis(min(0.0, *ends), 1.0, (0.0, 0.5, 1.0))
    said = (f"{kind} {to_two(tau)} ({span(*ends)})" for kind, (tau, *ends) in taus.items())
    return pictures.strip(rows, axis, f"Tau with the ranking by labels: {'; '.join(said)}")


def _read(study: Study, label_set: str) -> set[tuple[str, str]]:
    """The documents that have a verdict."""
    verdicts = Verdict.objects.filter(document__study_topic__study=study, label_set=label_set)
    return set(verdicts.values_list("document__study_topic__topic__query_id", "document__doc_id"))


def _to_read(kept: Kept, read: set[tuple[str, str]]) -> tuple[str, str] | None:
    """The first without a verdict of the documents that differ most."""
    listed = kept.numbers("differences").get("documents", [])
    return next((pair for one in listed if (pair := (one[0], one[1])) not in read), None)


def _links(study: Study, label_set: str, first: tuple[str, str] | None) -> tuple[Link, ...]:
    labels = f"?{urlencode({'labels': label_set})}"
    every = (
        Link("All", reverse("analysis", args=[study.slug, "differences"]) + labels),
        Link("Rankings", reverse("analysis", args=[study.slug, "rankings"]) + labels),
    )
    if first is None:
        return every
    address = reverse("difference", args=[study.slug, *first])
    topic, document = first
    return Link(f"Read first: {document}, topic {topic}", address + labels), *every
