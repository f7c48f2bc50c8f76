"""User disagreement on the judgments of the TREC 2010 Relevance Feedback track.

Demeester and others (WSDM 2014), sections 3.2 and 4.5, Table 1. They have 2,738 documents with at
least six labels, by a filter that they do not give; here a document's gold label is one more label,
and labels outside the scale are missing. DATA names the folder that holds `rf10/`.
"""

import gzip
import os
from pathlib import Path

import numpy as np
import pytest

from magnitudes.agreement.opinions import Opinions
from magnitudes.gains.disagreement import disagreement, pooled, sums
from magnitudes.gains.disagreement_bootstrap import bootstrap_disagreement
from magnitudes.gains.level_weights import level_weights
from magnitudes.gains.prediction import observed_weights, p_by_labels, sampled_weights
from magnitudes.gains.topic_interval import by_topic, disagreement_over_topics

pytestmark = [
    pytest.mark.acceptance,
    pytest.mark.skipif("DATA" not in os.environ, reason="DATA names no folder"),
]
FILE = Path(os.environ.get("DATA", "")).resolve() / "rf10" / "trec-rf10-data.txt.gz"
USERS = [1, 2, 2, 2], [3, 3, 4, 5]
PUBLISHED = [0.49, 0.10, 0.23, 0.35]  # Table 1, "experimental"


@pytest.fixture(scope="module")
def said() -> Opinions:
    """All labels, each by a judge of its own, as the paper makes no distinction between them."""
    with gzip.open(FILE, "rt", encoding="ascii") as file:
        rows = [line.split() for line in file][1:]
    gold = {(topic, document): level for topic, _, document, level, _ in rows}
    pairs = [(topic, document) for topic, _, document, _, _ in rows] + list(gold)
    levels = [int(row[4]) for row in rows] + [int(level) for level in gold.values()]
    items = {pair: item for item, pair in enumerate(gold)}
    topics = {topic: number for number, topic in enumerate(sorted({topic for topic, _ in gold}))}
    return Opinions(
        [items[pair] for pair in pairs],
        np.maximum(levels, -1),
        np.arange(len(levels)),
        3,
        [topics[topic] for topic, _ in items],
    )


@pytest.fixture(scope="module")
def many(said: Opinions) -> Opinions:
    return said.where((said.counts.sum(axis=1) >= 6)[said.items])


def test_p_of_the_top_level(said: Opinions, many: Opinions) -> None:
    enough = said.counts.sum(axis=1) >= 6
    assert said.n_items == 20232
    assert enough.sum() == 2598
    assert disagreement(many).p.round(3).tolist() == [0.233, 0.302, 0.343]
    assert pooled(sums(said), enough).p.tolist() == disagreement(many).p.tolist()


def test_p_is_known_to_a_hundredth_or_two(many: Opinions) -> None:
    p = disagreement(many).p
    of_documents = bootstrap_disagreement(many, seed=1)[1:3]
    for low, high in (of_documents, disagreement_over_topics(by_topic(sums(many), many))):
        assert (low < p).all()
        assert (high > p).all()
        assert (high - low < 0.1).all()


def test_two_labels_of_a_document_tell_p_as_six_do(many: Opinions) -> None:
    found = p_by_labels(many, seed=1)
    np.testing.assert_allclose(found.mean, np.tile(disagreement(many).p, (5, 1)), atol=0.01)
    assert (np.diff(found.sd[:, 1]) < 0).all()


def test_at_least_m_of_n_users(many: Opinions) -> None:
    expected = observed_weights(many, *USERS)[:, 1]
    assert expected.round(3).tolist() == [0.499, 0.105, 0.232, 0.353]
    np.testing.assert_allclose(expected, PUBLISHED, atol=0.01)
    found = sampled_weights(many, *USERS, seed=1)
    np.testing.assert_allclose(found.mean[:, 1], expected, atol=0.01)
    predicted = level_weights(disagreement(many).p, *USERS)[:, 1]
    np.testing.assert_allclose(predicted, expected, atol=0.03)
