"""More judges: batches of units beside those of the plan, and which of their judgments count."""

from collections import Counter

import numpy as np
import pytest

from accounts.models import User
from judging import completed
from judging.completed.units import counted
from judging.models import PooledDocument, Study, Unit, UnitDocument
from judging.studies.conduct import stages
from judging.studies.conduct.batches import add_batch, short_of_judgments, size_of
from judging.studies.conduct.closing import close_study
from judging.studies.conduct.exclusion import exclude
from judging.studies.conduct.opening import open_study
from judging.studies.conduct.stages import CannotRun
from judging.studies.table_one import table1
from tests.cast import ada
from tests.factory import make_study
from tests.factory.completed import complete
from tests.judging.invariants import broken


@pytest.fixture
def study(db: None) -> Study:
    return make_study(topics=2)


def sets_of(study: Study, **units: object) -> list[tuple[str, ...]]:
    """The documents of some units, anchors among them, by the order of their numbers."""
    rows = Unit.objects.filter(study=study, **units).order_by("study_topic", "number")
    return [
        tuple(sorted(unit.documents.values_list("doc_id", flat=True)))
        for unit in rows.prefetch_related("documents")
    ]


def uses(study: Study, **units: object) -> Counter[str]:
    """In how many units each document stands that is no anchor."""
    rows = UnitDocument.objects.filter(
        unit__study=study, document__role="other", **{f"unit__{k}": v for k, v in units.items()}
    )
    return Counter(rows.values_list("document__doc_id", flat=True))


# --- units of a batch ---------------------------------------------------------------------------
def test_all_documents_of_a_topic_or_of_all(study: Study) -> None:
    plan = sets_of(study, batch=None)
    batch = add_batch(study, {"401": []}, 3, None)
    assert (batch.number, batch.units.count()) == (1, 6)
    assert sets_of(study, batch=None) == plan
    units = batch.units.order_by("number")
    assert [unit.number for unit in units] == [5, 6, 7, 8, 9, 10]
    assert all(unit.study_topic.topic.query_id == "401" and unit.free for unit in units)
    assert all({"D401-000", "D401-003"} < {*row} for row in sets_of(study, batch=batch))
    assert {*uses(study, batch=batch).values()} == {3}
    assert add_batch(study, None, 1, None).units.count() == 4


def test_chosen_documents_are_filled_with_the_least_used(db: None) -> None:
    study = make_study(documents=13)  # 11 others in 4 units of 6: two of them stand in a third
    often = {doc_id for doc_id, n in uses(study).items() if n == 3}
    chosen = sorted({f"D401-{n:03}" for n in (5, 6)})
    batch = add_batch(study, {"401": chosen}, 1, None)
    assert len(often) == 2
    ((*documents,),) = sets_of(study, batch=batch)
    assert {*chosen} < {*documents}
    assert not (often - {*chosen}) & {*documents}, "seven others are used less"


def test_the_same_seed_draws_the_same_batch(study: Study, db: None) -> None:
    batches = [add_batch(study, {"401": []}, 2, None, seed=7) for _ in range(2)]
    first, second = (sets_of(study, batch=batch) for batch in batches)
    assert first != second, "each number has a draw of its own"
    again = make_study(topics=2)
    drawn = sets_of(again, batch=add_batch(again, {"401": []}, 2, None, seed=7))
    assert drawn == first


def test_asked_twice_it_is_made_once(study: Study) -> None:
    first = add_batch(study, {"401": ["D401-005"]}, 2, None, number=1)
    assert add_batch(study, {"401": ["D401-005"]}, 2, None, number=1) == first
    others: list[dict[str, list[str]]] = [{"401": []}, {"402": []}]
    for other in others:
        with pytest.raises(CannotRun, match="another batch 1: the next is 2"):
            add_batch(study, other, 2, None, number=1)
    with pytest.raises(CannotRun, match="no batch 3 yet"):
        add_batch(study, {"401": []}, 2, None, number=3)
    assert study.trail.filter(action="added batch").count() == 1


@pytest.mark.parametrize(
    ("chosen", "redundancy", "why"),
    [
        ({"401": []}, 0, "redundancy: a whole number from 1 to 100 was expected, not 0"),
        ({"401": []}, 101, "redundancy: a whole number from 1 to 100 was expected, not 101"),
        ({}, 1, "No topic is chosen"),
        ({"403": []}, 1, "has no topic 403"),
        ({"401": ["D401-000"]}, 1, "D401-000 is an anchor"),
        ({"401": ["D402-005"]}, 1, "Topic 401: D402-005 is not in its pool"),
    ],
)
def test_what_cannot_be_a_batch(study: Study, chosen: dict, redundancy: int, why: str) -> None:
    units = Unit.objects.count()
    with pytest.raises(CannotRun, match=why):
        size_of(study, chosen, redundancy)
    with pytest.raises(CannotRun, match=why):
        add_batch(study, chosen, redundancy, None)
    assert Unit.objects.count() == units


@pytest.mark.parametrize("documents", [[], ["D401-005"], [f"D401-{n:03}" for n in range(4, 12)]])
@pytest.mark.parametrize("redundancy", [1, 4])
def test_its_size_is_known_before(study: Study, documents: list[str], redundancy: int) -> None:
    size = size_of(study, {"401": documents, "402": []}, redundancy)
    batch = add_batch(study, {"401": documents, "402": []}, redundancy, None)
    by_topic = Counter(batch.units.values_list("study_topic", flat=True))
    assert (size.units, size.workers) == (by_topic.total(), max(by_topic.values()))
    Study.objects.update(max_units_per_worker=1)
    study.refresh_from_db()
    assert size_of(study, {"401": documents, "402": []}, redundancy).workers == size.units


def test_at_which_stage(db: None) -> None:
    study = make_study(opened=False)
    with pytest.raises(CannotRun, match="is draft"):
        add_batch(study, {"401": []}, 1, None)
    open_study(study.slug)
    stages.pause(study, None)
    add_batch(study, {"401": []}, 1, None)
    close_study(study.slug)
    with pytest.raises(CannotRun, match="is closed"):
        add_batch(study, {"401": []}, 1, None)


def test_workers_are_given_its_units(db: None) -> None:
    study = make_study(redundancy=1)
    for name in ("one", "two"):
        complete(study, name)
    assert ada(study).begin() == "final"
    add_batch(study, None, 1, None)
    assert ada(study).complete()
    assert broken() == []
    (row,) = table1(study)
    assert (row["units"], row["completed"]) == (2, 2)
    assert (row["batch_units"], row["batch_completed"]) == (2, 1)


# --- which of its judgments count ---------------------------------------------------------------
def counting(study: Study) -> list[int]:
    """The assignments that count on the first topic."""
    return completed.judgments(study.topics.earliest("pk").pk).assignments.tolist()


@pytest.mark.parametrize("at_once", [True, False])
def test_what_is_paid_for_counts_at_once_or_when_asked(db: None, at_once: bool) -> None:
    study = make_study(redundancy=1)
    plan = [complete(study, name).assignment.pk for name in ("one", "two")]
    add_batch(study, None, 1, None, all_judgments=at_once)
    batch = [complete(study, name).assignment.pk for name in ("three", "four")]
    if at_once:
        assert counting(study) == [*plan, *batch]
        assert {"added batch", "counted all"} <= {*study.trail.values_list("action", flat=True)}
        return
    assert counting(study) == plan
    before = study.topics.get().revision
    stages.count_all_judgments(study, True, None)
    assert counting(study) == [*plan, *batch]
    assert study.topics.get().revision == before + 1
    stages.count_all_judgments(study, False, None)
    assert counting(study) == plan
    assert [*study.trail.order_by("pk").values_list("action", flat=True)][-2:] == [
        *("counted all", "counted redundancy")
    ]


def test_a_batch_counts_while_the_plan_is_not_done(db: None) -> None:
    """Whichever of them come first, in the end the plan's count."""
    study = make_study(redundancy=1)
    plan = [*study.units.values_list("pk", flat=True)]
    batch = add_batch(study, None, 1, None, all_judgments=False)
    for name, these in (
        ("one", {"batch": batch}),
        ("two", {"pk": plan[0]}),
        ("three", {"pk": plan[1]}),
    ):
        study.units.update(free=False)
        study.units.filter(pk=study.units.filter(**these).earliest("pk").pk).update(free=True)
        complete(study, name)
        if name == "one":
            assert len(counting(study)) == 1
    units = study.units.filter(assignments__in=counting(study))
    assert [*units.order_by("pk").values_list("pk", flat=True)] == plan


def naive(documents: list[list[int]], of_batch: list[bool], redundancy: int) -> list[bool]:
    """The same rule, one document after the other."""
    scores: Counter[int] = Counter()
    for row, batch in zip(documents, of_batch, strict=True):
        scores.update([] if batch else row)
    counts = []
    for row, batch in zip(documents, of_batch, strict=True):
        counts.append(not batch or any(scores[document] < redundancy for document in row))
        scores.update(row if batch and counts[-1] else [])
    return counts


@pytest.mark.parametrize("redundancy", [1, 3, 6])
def test_which_units_count(redundancy: int) -> None:
    for seed in range(20):
        rng = np.random.default_rng(seed)
        documents = np.array([rng.choice(12, 4, replace=False) for _ in range(20)])
        of_batch = rng.random(20) < 0.5
        got = counted(documents, of_batch, redundancy).tolist()
        assert got == naive(documents.tolist(), of_batch.tolist(), redundancy)


# --- what is missing ----------------------------------------------------------------------------
def test_what_is_missing_is_made_up_by_a_batch(db: None) -> None:
    study = make_study(redundancy=2)
    people = [complete(study, f"{n}") for n in range(4)]
    assert short_of_judgments(study) == {}
    assert people[0].worker
    exclude(people[0].worker, "pasted", None)
    lost = PooledDocument.objects.filter(pk__in=people[0].unit.order, role="other")
    assert short_of_judgments(study) == {"401": sorted(lost.values_list("doc_id", flat=True))}
    batch = add_batch(study, short_of_judgments(study), 1, User.objects.create_user("rita"))
    assert short_of_judgments(study) == {}, "it is still to be done, and that is enough"
    assert batch.units.count() == 1
    assert len(counting(study)) == 3
    complete(study, "new")
    assert len(counting(study)) == 4
