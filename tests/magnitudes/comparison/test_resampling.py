import dataclasses
import math

import numpy as np
import pytest
from scipy import stats

from magnitudes.comparison import ComparisonError
from magnitudes.comparison.drawing import Topic
from magnitudes.comparison.resampling import all_judges, by_judges, quantiles, resample
from magnitudes.comparison.top_set import overlap, top_set
from magnitudes.measures.names import parse
from tests.magnitudes.comparison.test_recomputing import made_up

NDCG = parse("nDCG@10")


def study(topics=5, **options):
    return [made_up(seed, **options) for seed in range(topics)]


def single(topic):
    """The same topic with one score for each document."""
    judged = np.flatnonzero(topic.counts)
    return Topic(topic.codes, topic.aggregated[judged], judged, topic.size, topic.h_k, topic.n_k)


@pytest.mark.parametrize("name", ["nDCG@10", "ERR@10", "RBP@10"])
def test_with_one_score_a_document_nothing_can_change(name):
    topics = [single(topic) for topic in study()]
    measure = parse(name)
    found = resample(topics, measure, all_judges(topics, measure), 20, with_overlaps=True)
    assert found.taus.tolist() == [1] * 20
    assert found.overlaps.tolist() == [1] * 20
    assert found.reason == ""


@pytest.mark.parametrize("judges", [1, 3])
def test_it_is_the_plain_loop_with_the_same_draws(judges):
    topics, seed = study(), 4
    usual = all_judges(topics, NDCG)
    found = resample(topics, NDCG, usual, 30, seed, judges, with_overlaps=True)
    streams = np.random.default_rng([seed, judges]).spawn(len(topics))
    gains = [topic.draw(rng, 30, judges) for topic, rng in zip(topics, streams, strict=True)]
    for draw in range(30):
        values = np.array(
            [
                NDCG.evaluate(np.nan_to_num(np.append(g[:, draw], 0)[topic.codes]), clean(g, draw))
                for topic, g in zip(topics, gains, strict=True)
            ]
        )
        tau = stats.kendalltau(usual.mean(axis=0), values.mean(axis=0)).statistic
        assert found.taus[draw] == pytest.approx(tau, abs=1e-12)
        share = overlap(top_set(usual).members, top_set(values).members)
        assert found.overlaps[draw] == share


def clean(gains, draw):
    return gains[~np.isnan(gains[:, draw]), draw]


def test_the_seed_settles_the_draws():
    topics = study()
    usual = all_judges(topics, NDCG)
    one, same, other = (resample(topics, NDCG, usual, 50, seed) for seed in (1, 1, 2))
    assert one.seed == 1
    assert (one.taus == same.taus).all()
    assert (one.taus != other.taus).any()
    assert np.isnan(one.overlaps).all()


def test_parts_keep_within_their_size(monkeypatch):
    """A part of one draw: still every draw is made."""
    topics = study()
    monkeypatch.setattr("magnitudes.scaling.groups.CHUNK_SIZE", 1)
    found = resample(topics, NDCG, all_judges(topics, NDCG), 7, with_overlaps=True)
    assert not np.isnan([found.taus, found.overlaps]).any()


@pytest.mark.parametrize("judges", [1, 2])
def test_draws_do_not_depend_on_how_many_are_made_at_a_time(monkeypatch, judges):
    topics = study()
    usual = all_judges(topics, NDCG)
    whole = resample(topics, NDCG, usual, 40, 3, judges, with_overlaps=True)
    for cells in (1, 2000):
        monkeypatch.setattr("magnitudes.scaling.groups.CHUNK_SIZE", cells)
        found = resample(topics, NDCG, usual, 40, 3, judges, with_overlaps=True)
        assert found.taus.tolist() == whole.taus.tolist()
        assert found.overlaps.tolist() == whole.overlaps.tolist()


def test_another_system_or_topic_leaves_the_draws_of_others_as_they_are(monkeypatch):
    """What every topic's lists are measured by, whoever else is measured."""
    drawn = []
    draw = Topic.draw

    def noted(topic, *given):
        drawn.append(draw(topic, *given))
        return drawn[-1]

    monkeypatch.setattr(Topic, "draw", noted)

    def gains_of(topics):
        drawn.clear()
        resample(topics, NDCG, all_judges(topics, NDCG), 12, 3)
        at_once = len(topics)
        return [np.concatenate(drawn[place::at_once], axis=1).tolist() for place in range(at_once)]

    topics = study(systems=40)
    fewer = [dataclasses.replace(topic, codes=topic.codes[:20]) for topic in topics]
    monkeypatch.setattr("magnitudes.scaling.groups.CHUNK_SIZE", 600)
    whole = gains_of(topics)
    np.testing.assert_array_equal(gains_of(fewer), whole)
    np.testing.assert_array_equal(gains_of(topics[:-1]), whole[:-1])


def test_more_judges_agree_better_with_all():
    topics = study(8, systems=20)
    found = by_judges(topics, NDCG, most=5, draws=200, seed=3)
    assert found.taus.shape == found.overlaps.shape == (5, 200)
    means = found.taus.mean(axis=1)
    assert (np.diff(means) > 0).all()
    # No document has more than five scores: these are all judges.
    assert found.taus[-1].tolist() == [1] * 200
    assert found.overlaps[-1].tolist() == [1] * 200


def test_one_run_only():
    topics = study(3, systems=1)
    found = resample(topics, NDCG, all_judges(topics, NDCG), 4, seed=9)
    assert np.isnan(found.taus).all()
    assert found.reason == "an order needs at least 2 systems, not 1"
    assert found.seed == 9


def test_all_systems_equal():
    found = resample(study(3), NDCG, np.full((3, 6), 0.4), 4)
    assert np.isnan(found.taus).all()
    assert found.reason == "all values of the reference list are equal"


def test_a_draw_that_makes_all_systems_equal_has_no_tau():
    """Each system has one of two documents; half the draws give both the same gain."""
    topic = Topic(np.array([[0], [1]]), np.array([1.0, 2, 2]), np.array([0, 0, 1]), 2)
    found = resample([topic], parse("nDCG@1"), [[0.1, 0.9]], 100)
    assert set(found.taus[~np.isnan(found.taus)]) == {1}
    assert 30 < np.isnan(found.taus).sum() < 70


def test_one_topic_has_taus_and_no_overlaps():
    topics = study(1)
    found = resample(topics, NDCG, all_judges(topics, NDCG), 5, with_overlaps=True)
    assert not np.isnan(found.taus).any()
    assert np.isnan(found.overlaps).all()


def test_no_topic():
    found = resample([], NDCG, np.empty((0, 3)), 5)
    assert found.reason == "there is no topic"
    assert found.taus.shape == (5,)
    assert by_judges([], NDCG, 2, 5).reason == "there is no topic"
    assert by_judges(study(), NDCG, 0, 5).taus.shape == (0, 5)


def test_other_systems():
    with pytest.raises(ComparisonError, match="with 6 systems"):
        resample(study(2), NDCG, np.zeros((2, 5)), 5)


def test_quantiles_leave_out_nan():
    found = quantiles([[math.nan, 1, 2, 3], [math.nan] * 4], at=(0, 0.5, 1))
    np.testing.assert_array_equal(found, [[1, 2, 3], [math.nan] * 3])
    assert quantiles(np.arange(101)).tolist() == [2.5, 25, 50, 75, 97.5]
