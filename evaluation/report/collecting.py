"""How judgments were collected: pool, anchors, units, checks, people, pay, and who is left out."""

from collections import Counter
from collections.abc import Iterator
from math import nan

from django.db.models import Count, Max, Min

from evaluation.presentation.parts import number
from evaluation.study.data import StudyData
from judging.departures import departures
from judging.models import Assignment, Study
from judging.monitoring.seconds import reading
from judging.states import State
from judging.studies.table_one import pay
from magnitudes.files.words import count

CROWDS = {
    "simulated": " (artificial workers)",
    "demo": " (people and artificial workers)",
    "rehearsal": " (a rehearsal)",
}
POOLED = {"rank": "by the rank field of its file", "order": "in the order of its scores"}
ENDED = {  # how an attempt is said to have ended, in this order
    State.FAILED: "failed a check on the way",
    State.EXHAUSTED: "ended after a failed Finish",
    State.LEFT: "were left",
    State.EXPIRED: "ran out of time",
    State.RELEASED: "were released by the team",
    State.RETURNED: "were returned on the platform",
    State.WITHDRAWN: "were withdrawn by their worker",
}


def paragraphs(data: StudyData) -> Iterator[tuple[str, str]]:
    """Headings and texts."""
    study = data.study
    yield "Collection and pool", _pool(data)
    yield "Judgments", _judgments(data)
    yield "Units and anchors", f"{_units(data)} {_anchors(study)}"
    yield "Checks", _checks(study)
    yield "Departures", _departures(study)
    yield "Workers, consent and pay", " ".join([*_people(data), *_paid(study)])
    yield "Attempts and exclusions", " ".join([_attempts(study), *_left_out(study)])


def _pool(data: StudyData) -> str:
    study = data.study
    sizes = [len(topic.doc_ids) for topic in data.topics]
    named = study.topics.exclude(pool=[]).count()
    lists = f" For {count(named, 'topic')} the pool was given as a list." if named else ""
    by = POOLED[study.pooled_by]
    return (
        f"Of the {count(study.collection.topics.count(), 'topic')} of the collection "
        f"{study.collection} the study has {study.topics.count()}. The pool of a topic is the "
        f"union of what each of {count(study.collection.runs.count(), 'run')} had among its first "
        f"{study.pool_depth} documents, {by}, and the topic's two anchors: "
        f"{count(sum(sizes), 'topic-document pair')}, from {min(sizes)} to {max(sizes)} a topic."
        f"{lists}"
    )


def _judgments(data: StudyData) -> str:
    study, pairs = data.study, int((data.documents.counts > 0).sum())
    times = (
        Assignment.objects.completed()
        .filter(study=study)
        .aggregate(first=Min("finished_at"), last=Max("finished_at"))
    )
    dates = ""
    if times["first"]:
        first, last = (f"{times[end]:%-d %B %Y}" for end in ("first", "last"))
        dates = f" on {first}" if first == last else f" from {first} to {last}"
    return (
        f"Relevance was judged {_how(study)} by {count(len(data.workers), 'worker')} of a crowd"
        f"{CROWDS.get(study.mark, '')}{dates} (UTC): {count(len(data.judgments), 'judgment')} of "
        f"{count(pairs, 'topic-document pair')} on {count(len(data.topics), 'topic')}, in "
        f"{count(len(data.units), 'unit')} of {study.unit_size} documents, at least "
        f"{study.redundancy} judgments planned for each pair."
    )


def _how(study: Study) -> str:
    if study.is_graded:
        return f"on the levels {', '.join(study.levels)}, with the checks of [@maddalena2017],"
    return "by magnitude estimation [@maddalena2017]"


def _units(data: StudyData) -> str:
    study = data.study
    return (
        "Every unit held one document known to be relevant (H_k) and one known not to be (N_k), "
        f"the same for all units of a topic, and {study.unit_size - 2} others, in an order drawn "
        "for each unit; units were drawn so that each other document is in at least "
        f"{study.redundancy} of them, and never twice in one."
    )


def _anchors(study: Study) -> str:
    drawn = study.topics.filter(anchors_drawn=True).count()
    by_hand = study.topics.count() - drawn
    said = []
    if drawn:
        said.append(
            f"The anchors of {count(drawn, 'topic')} were drawn at random from the topic's pool: "
            f"H_k among the documents with its highest label in “{study.labels}”, N_k among those "
            "labelled not relevant."
        )
    if by_hand:
        said.append(f"Those of {count(by_hand, 'topic')} were named by hand.")
    return " ".join(said)


def _checks(study: Study) -> str:
    practice = "in every unit" if study.practice == Study.Practice.EVERY_UNIT else "once"
    seconds = ""
    if study.minimum_seconds:
        seconds = f", and spent {study.minimum_seconds:g} seconds or more on every document"
    scored = "scored H_k above N_k" if seconds else "and scored H_k above N_k"
    failing = "A failed Finish could be mended and tried again"
    if study.max_failed_finishes:
        failing += f", {study.max_failed_finishes} times at most"
    return (
        f"A unit counted when its worker had put three practice lines in order ({practice}), "
        f"answered a question on the topic, {scored}{seconds}. {failing}."
    )


def _departures(study: Study) -> str:
    """Where the protocol was another than the one that it is made after."""
    others = "; ".join(
        f"{each.label}: {each.value} (there: {each.paper_value})" for each in departures(study)
    )
    if not others:
        return (
            "The settings of the protocol were those of [@maddalena2017]; texts and pay are the "
            "study's own."
        )
    return (
        f"The settings of the protocol were those of [@maddalena2017] but for these: {others}. "
        "Texts and pay are the study's own."
    )


def _people(data: StudyData) -> Iterator[str]:
    """Who judged, what they agreed to, and how long they took."""
    study, read = data.study, reading(data.study).all
    mean, sd = (read.mean, read.sd) if read else (nan, nan)
    if study.mark == "simulated":
        yield "No number here comes from a person: workers are artificial, and agreed to nothing."
    else:
        yield from _agreed(study)
    yield (
        f"Workers spent {number(mean)} seconds on a document in the mean (standard "
        f"deviation {number(sd)}), all visits together."
    )


def _agreed(study: Study) -> Iterator[str]:
    people = study.workers.filter(simulated=False, consented_at__isnull=False)
    versions = people.values("consent_version").annotate(n=Count("id")).order_by("-n")
    told = ", ".join(f"{row['consent_version']} ({row['n']:,})" for row in versions)
    if told:
        way = "by ticking a box" if study.consent_by == "checkbox" else "by pressing a button"
        yield f"They had agreed to the study's texts {way}; versions of these texts: {told}."
    if study.ethics_exemption:
        yield f"No ethics approval was needed: {study.ethics_exemption.rstrip('.')}."
    else:
        yield f"Ethics approval: {study.ethics_approval or 'none is named in the study'}."


def _paid(study: Study) -> Iterator[str]:
    if study.payment and not study.mark:
        paid = pay(study)
        per_hour = number(paid.per_hour)
        yield (
            f"A unit was paid {study.payment} {study.currency}; the judgments cost "
            f"{paid.total:,.2f} {study.currency}, fees included. At the median time of a unit this "
            f"is {per_hour} {study.currency} an hour."
        )
    elif study.payment and study.mark == "simulated":
        yield f"People would have been paid {study.payment} {study.currency} for a unit."
    else:
        yield "Nobody was paid."


def _attempts(study: Study) -> str:
    """How all attempts at units ended."""
    rows = Assignment.objects.filter(study=study).values_list("state").annotate(Count("id"))
    states = Counter(dict(rows))
    ended = [f"{states[state]:,} {said}" for state, said in ENDED.items() if states[state]]
    live = sum(n for state, n in states.items() if state not in (*ENDED, State.COMPLETED))
    if live:
        ended.append(f"{live:,} are not ended")
    others = f"; {', '.join(ended)}" if ended else ""
    return (
        f"Of {count(sum(states.values()), 'attempt')} at a unit {states[State.COMPLETED]:,} were "
        f"completed{others}. Only completed ones are counted."
    )


def _left_out(study: Study) -> Iterator[str]:
    """What was judged, and how much of it these numbers are not of."""
    reasons = Counter(
        study.workers.filter(excluded_at__isnull=False).values_list("exclusion_reason", flat=True)
    )
    if reasons:
        told = "; ".join(f"{reason} ({n:,})" for reason, n in reasons.most_common())
        yield (
            f"The scores of {count(sum(reasons.values()), 'worker')} more were excluded, for these "
            f"reasons: {told}."
        )
    else:
        yield "No worker was excluded."
    if batches := study.batches.count():
        which = "all" if study.all_judgments else "only as far as judgments were missing"
        came = f"{count(batches, 'batch', 'batches')} of units came after the plan"
        yield f"{came}; of their judgments count {which}."
