from typing import NamedTuple

from django.db.models import Count, Q
from django.urls import reverse

from judging.models import Study, Unit
from judging.settings import Step
from judging.studies.configuration.anchors import all_contradictions
from judging.studies.configuration.missing import Missing, lacks_way_back
from magnitudes.files.words import count


class State(NamedTuple):
    """done: nothing is left to do."""

    text: str
    done: bool


def states(study: Study) -> dict[str, State]:
    """By the names of the steps' pages; five queries, however many topics there are."""
    anchors = Q(h_k__gt="") & Q(n_k__gt="")
    question = Q(question__gt="", options__len__gt=0, answer__gt="")
    counts = study.topics.aggregate(
        all=Count("pk"),
        anchors=Count("pk", filter=anchors & Q(anchors_unread=False)),
        questions=Count("pk", filter=question),
        own_pools=Count("pk", filter=Q(pool__len__gt=0)),
    )
    topics, units = counts["all"], Unit.objects.filter(study=study).count()
    pool = f"depth {study.pool_depth}, by {study.pool_by or 'rank'}"
    if counts["own_pools"]:
        pool = f"{count(counts['own_pools'], 'list')} of your own" + (
            "" if counts["own_pools"] == topics else f"; {pool}"
        )
    with_question = counts["questions"]
    pay = f"{study.payment} {study.currency} a unit" if study.pay_is_chosen else "no payment yet"
    own_texts = [study.introduction, study.practice_instructions, study.instructions]
    texts = [study.consent, study.contact, study.ethics_approval or study.ethics_exemption]
    entry = f"{study.most_workers:,} people at most" if study.most_workers else "any number"
    by_step = {
        Step.TOPICS: State(f"{topics} chosen", topics > 0),
        Step.POOL: State(pool, bool(study.pool_by or units or counts["own_pools"])),
        Step.ANCHORS: _anchors(study, counts["anchors"], topics),
        Step.QUESTIONS: State(f"{with_question} of {topics}", with_question == topics > 0),
        Step.SETTINGS: State(pay, study.pay_is_chosen),
        Step.TEXTS: State(f"optional; {_own_texts(own_texts)}", True),
        Step.RECRUITING: _recruiting(study),
        Step.CONSENT: State(_texts_status(texts), all(texts)),
        Step.ENTRY: State(f"optional; {entry}", True),
        Step.PLAN: State(_stage(study, units), study.opened_at is not None),
    }
    return {page_name(step): state for step, state in by_step.items()}


def page_name(step: str) -> str:
    return f"setup-{step}"


def _anchors(study: Study, done: int, topics: int) -> State:
    """Done if every topic has anchors, and those that labels contradict are accepted."""
    against = sum(
        map(bool, all_contradictions(study, study.topics.select_related("topic")).values())
    )
    state = f"{done} of {topics}"
    if against:
        state += f"; {against} against {'its labels' if against == 1 else 'their labels'}"
    return State(state, done == topics > 0 and not against)


def _recruiting(study: Study) -> State:
    platform = study.from_platform.title or "anywhere"
    lacks = bool(lacks_way_back(study))
    state = f"{platform}: no way back yet" if lacks else platform
    return State(state, not lacks)


def _own_texts(texts: list[str]) -> str:
    own = sum(map(bool, texts))
    return f"{own} of your own" if own else "ours"


def _texts_status(texts: list[str]) -> str:
    missing = sum(not text for text in texts)
    return "written" if not missing else "empty" if missing == len(texts) else f"{missing} empty"


def _stage(study: Study, units: int) -> str:
    if study.opened_at:
        return study.stage
    return f"{count(units, 'unit')} planned" if units else "not planned yet"


ORDER = (
    *(Step.TOPICS, Step.POOL, Step.ANCHORS, Step.QUESTIONS),
    *(Step.SETTINGS, Step.TEXTS, Step.RECRUITING, Step.CONSENT, Step.ENTRY, Step.PLAN),
)
OPTIONAL = (Step.TEXTS, Step.ENTRY)  # steps that are done from the first
RUNNING = (Step.RECRUITING, Step.ENTRY)  # once the study is open, settings of running it


def step_after(study: Study, step: str) -> str:
    """The next step that asks for something."""
    if study.stage != Study.Stage.DRAFT and step in RUNNING:
        return step
    order = list(map(str, ORDER))
    skipped = OPTIONAL if study.stage == Study.Stage.DRAFT else RUNNING
    later = [name for name in order[order.index(step) + 1 :] if name not in skipped]
    return next(iter(later), order[-1])


def link(study: Study, lack: Missing) -> str:
    """The page on which what is missing can be added."""
    if lack.step == Step.COLLECTION:
        return reverse("collection", args=[study.collection.slug])
    if lack.query_id and lack.step in (Step.ANCHORS, Step.QUESTIONS):
        return reverse(f"setup-topic-{lack.step}", args=[study.slug, lack.query_id])
    place = "#next" if lack.step == Step.PLAN else ""
    return reverse(page_name(lack.step), args=[study.slug]) + place
