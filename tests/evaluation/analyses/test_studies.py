"""Studies of one collection beside each other."""

from contextlib import suppress
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from django.utils import timezone

from accounts.models import User
from evaluation.cache import part_files, stored
from evaluation.models import CachedAnalysis
from evaluation.pipeline import evaluate
from evaluation.presentation.parts import Figure
from evaluation.study.data import StudyData, load
from evaluation.study.other_studies import OtherStudy
from judging.models import Role, Study
from judging.studies import team
from magnitudes.comparison.correlation import tau_b
from tests.factory.arrays import analysed, random_study, table
from tests.factory.completed import complete, judged_study


def other(data: StudyData, factor: float = 1.0, only: int = 100) -> OtherStudy:
    """A study in which the same documents have gains that are a power of these."""
    return OtherStudy(
        1,
        "graded-one",
        "Graded",
        "graded",
        "simulated",
        {
            topic.query_id: (topic.codes[known], topic.gains[known] ** factor)
            for topic in data.topics[:only]
            for known in [np.flatnonzero(~np.isnan(topic.gains))]
        },
    )


def beside(data: StudyData, *others: OtherStudy) -> StudyData:
    return replace(data, others=others)


def test_a_study_agrees_with_itself() -> None:
    data = random_study(topics=7)
    found = analysed("studies", beside(data, other(data)))
    numbers = found.numbers["graded-one"]
    assert numbers["topics"] == 7
    assert numbers["tau_nDCG"] == numbers["tau_ERR"] == numbers["tau_of_documents"] == 1
    assert all(row[-1] == 1 for row in table(found, "order").rows)
    (drawn,) = [part for part in found.parts if isinstance(part, Figure)]
    svg = drawn.to_json()["svg"]
    assert "nDCG-JK@10" in svg
    assert "dcg=" not in svg  # a name for files


def test_a_reversed_one_disagrees_on_every_document() -> None:
    data = random_study(topics=7)
    found = analysed("studies", beside(data, other(data, -1)))
    assert found.numbers["graded-one"]["tau_of_documents"] == -1
    for _, _, documents, tau in table(found, "documents").rows:
        assert documents > 2
        assert tau == -1


def test_only_what_both_have_is_compared() -> None:
    data = random_study(topics=3)
    first = data.topics[0]
    known = np.flatnonzero(~np.isnan(first.gains))[1:6]
    gains = np.arange(5.0)
    reversed_gains = {first.query_id: (first.codes[known][::-1], gains[::-1])}
    few = OtherStudy(2, "few", "Few", "magnitude", "", reversed_gains)
    found = analysed("studies", beside(data, few, other(data)))
    assert found.numbers["few"]["documents"] == 5
    assert found.numbers["few"]["tau_of_documents"] == pytest.approx(
        tau_b(first.gains[known], gains)
    )
    systems = [row[:4] for row in table(found, "order").rows]
    assert [row[3] for row in systems] == [1, 1, 3, 3]


@pytest.mark.parametrize("runs", [0, 1, 6])
def test_nothing_in_common_is_nothing_to_show(runs: int) -> None:
    data = random_study(topics=1, runs=runs)
    gains = {"999": (np.array([1]), np.array([2.0]))}
    apart = OtherStudy(3, "apart", "Apart", "magnitude", "", gains)
    found = analysed("studies", beside(data, apart))
    assert not found.parts
    analysed("studies", beside(data, other(data)))  # with few runs, nothing fails


def two_studies() -> tuple[Study, Study]:
    """Two of one collection, of which the first is evaluated."""
    study, _ = judged_study(1, topics=2, units=3)
    evaluate(study)
    second, _ = judged_study(2, topics=2, units=2)
    Study.objects.filter(pk=second.pk).update(collection=study.collection_id)
    second.refresh_from_db()
    return study, second


@pytest.mark.django_db
def test_it_is_old_when_the_other_study_moves() -> None:
    study, second = two_studies()
    found = [stored.versions(study)]
    evaluate(second)
    found.append(stored.versions(study))
    (one,) = load(study).others
    assert one.slug == second.slug
    assert set(one.gains) == {topic.query_id for topic in load(second).topics}
    complete(second, "zoe")
    evaluate(second)
    found.append(stored.versions(study))
    assert all(now["studies"] != then["studies"] for then, now in pairwise(found))
    assert len({of["spread"] for of in found}) == 1


@pytest.mark.django_db
def test_who_joins_is_shown_nothing_of_studies_that_they_do_not_see() -> None:
    study, second = two_studies()
    evaluate(second)
    rosa, otto = User.objects.create_user("rosa"), User.objects.create_user("otto")
    team.add(study, rosa, Role.OWNER, by=None)
    team.add(second, rosa, Role.OWNER, by=None)

    def look() -> stored.CachedResult:
        (looked,) = stored.get_or_request(study, ["studies"], "reference", timezone.now())
        return looked

    def names_second() -> bool:
        with suppress(stored.NotThere):
            part_files.part_of(study, "studies", "reference", "order", {})
            return second.slug in str(stored.all_rows(look().row))
        return False

    look()
    stored.bring_up_to_date()
    assert names_second()
    team.add(study, otto, Role.VIEWER, by=rosa)
    assert not names_second(), "at once"
    assert (look().row.result, look().current, look().waits) == (None, False, True)
    stored.bring_up_to_date()
    assert look().current
    assert not names_second()
    team.add(second, otto, Role.VIEWER, by=rosa)
    assert not look().current
    CachedAnalysis.objects.update(wanted_at=timezone.now())
    stored.bring_up_to_date()
    assert names_second()
    team.change(second, otto, None, rosa)
    assert not names_second(), "who has left the other study sees no more of it"
