"""What is said of more topics and more judges: only what the intervals decide."""

import dataclasses
import tracemalloc

import numpy as np
import pytest

from evaluation.study.data import StudyData
from tests.factory.arrays import analysed, make_study, make_topic, random_study, table


@pytest.fixture(scope="module")
def data() -> StudyData:
    return random_study(4, topics=9, runs=5, labelled=1.0)


def test_below_eight_topics_nothing_is_said() -> None:
    found = analysed("enough", random_study(1, topics=7, runs=5))
    assert found.numbers == {"add": "cannot say"}
    assert not found.parts


def test_what_to_add_follows_from_the_interval_alone(data: StudyData) -> None:
    found = analysed("enough", data)
    numbers = found.numbers
    low, high = numbers["share_of_topics_low"], numbers["share_of_topics_high"]
    decided = "topics" if low > 0.5 else "judges" if high < 0.5 else "cannot say"
    assert numbers["add"] == decided
    row = next(row for row in table(found, "sizes").rows if row[:2][0] == 18)
    widths = tuple(numbers[f"half_width_twice_topics{end}"] for end in ("", "_low", "_high"))
    assert row[2:5] == widths
    assert widths[1] <= widths[0] <= widths[2]


def test_every_share_of_pairs_has_its_interval(data: StudyData) -> None:
    found = analysed("enough", data)
    sizes = {row[:2]: row[5:8] for row in table(found, "sizes").rows}
    rows = table(found, "told-apart").rows
    assert len(rows) == 27
    for topics, judges, _, share, low, high in rows:
        assert low <= high
        assert share in sizes[topics, judges]


@pytest.mark.parametrize(("in_collection", "in_study"), [(12, 12), (12, 9), (100, 12)])
def test_whether_there_are_more_topics_is_asked_of_the_collection(
    data: StudyData, in_collection: int, in_study: int
) -> None:
    sized = dataclasses.replace(data, topics_there=in_collection, topics_of_study=in_study)
    found = analysed("enough", sized)
    assert found.numbers["no_more_topics"] is (in_collection == in_study)


def topics_alike(seed: int, single: int, judges: int) -> StudyData:
    """20 topics that are copies of each other: all that differs is who judged 26 documents.

    single: documents with one score, of which there are 6 in a unit; others have `judges`.
    """
    rng = np.random.default_rng(seed)
    truth = np.random.default_rng(5).normal(0.8, 0.7, 26)
    truth[:2] = 0, 1.6
    errors = np.random.default_rng(6).normal(0, np.linspace(0.3, 0.9, 12)[:, None], (12, 26))
    lists = np.argsort(-(truth + errors), axis=1)[:, :10]
    topics = []
    for number in range(20):
        often, seldom = np.split(2 + rng.permutation(24), [24 - single])
        others = np.concatenate([rng.permutation(often) for _ in range(judges)] + [seldom])
        places = np.array([rng.permutation([0, 1, *unit]) for unit in others.reshape(-1, 6)])
        scores = np.exp(truth[places] + rng.normal(0, 0.6, places.shape))
        topics.append(
            make_topic(scores, places, [0.0, 3, *[1] * 24], lists, query_id=f"{401 + number}")
        )
    return make_study(*topics)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_where_topics_are_alike_and_many_documents_have_one_score_judges_matter(seed: int) -> None:
    data = topics_alike(seed, single=12, judges=6)
    assert (data.documents.counts == 1).mean() > 0.41
    found = analysed("enough", data)
    assert found.numbers["share_of_topics"] < 0.3


def test_few_documents_with_two_scores_tell_nothing_of_judges() -> None:
    """29 degrees of freedom are too few for the variance of a score, 30 are enough."""
    lists = np.argsort(np.random.default_rng(1).random((5, 16)), axis=1)[:, :10]

    def study(more: int) -> StudyData:
        topics = []
        for number in range(10):
            extra = [[0, 1, 2, 3]] if number < more else []
            places = [[0, 1, 2, 3], [0, 1, 4, 5], [6, 7, 8, 9], *extra]
            scores = np.random.default_rng(number).lognormal(1, 1, (len(places), 4))
            labels = [0.0, 3, *[1] * 14]
            topics.append(make_topic(scores, places, labels, lists, query_id=f"{401 + number}"))
        return make_study(*topics)

    few = analysed("enough", study(2))
    assert few.numbers == {"add": "cannot say"}
    assert "half_width" in analysed("enough", study(3)).numbers


def test_memory_does_not_grow_with_draws() -> None:
    """As many systems as in TREC-8, on 50 topics: less than 200 MB beside the data."""
    data = random_study(2, topics=50, runs=129, units=20, documents=40)
    tracemalloc.start()
    analysed("enough", data)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 200e6
