"""Measures that ask which judged documents stand where, in all places that rankings come from."""

import numpy as np
import pytest

from evaluation import pipeline, results
from evaluation.publishing.judgment_rows import judgments
from magnitudes import evaluation as files
from magnitudes.comparison.drawing import Topic
from magnitudes.comparison.recomputing import recompute
from magnitudes.files.containers.archives import open_members
from magnitudes.files.labels.qrels import read_qrels
from magnitudes.measures.lists import Lists
from magnitudes.measures.names import parse
from tests.acceptance import naive
from tests.factory.completed import judged_study
from tests.factory.runs import naive_lists
from tests.magnitudes.measures.by_pairs.plain_loops import by_buckley_and_voorhees, by_hand

NAMES = [
    *("bpref_de_beer_moens(rel=1.5)", "rpref", "rpref(norm='relative')@3", "rpref(omit_top=1)@5"),
    *("Bpref(rel=1.5)", "Judged@4", "Judged"),
]


def one_by_one(name, listed, labels):
    """A measure of one list of documents, whose gains are known by document."""
    measure, documents = parse(name), list(labels)
    if not listed:
        return 0
    if measure.name == "Judged":
        top = listed[: measure.cutoff]
        return sum(doc in labels for doc in top) / len(top)
    if measure.name == "Bpref":
        return by_buckley_and_voorhees(listed, labels, measure.options["rel"])
    places = [documents.index(doc) if doc in labels else -1 for doc in listed]
    top = max(labels.values()) or 1
    gains = [max(labels[doc], 0) for doc in documents]
    rel = measure.options.get("rel")
    rho = [float(gain >= rel) if rel else gain / top for gain in gains]
    norm, omit_top = (measure.options.get(n, d) for n, d in (("norm", ""), ("omit_top", 0)))
    return by_hand(rho, places[: measure.cutoff], norm, omit_top)


def made_up(seed):
    """Labels of topics with more and fewer judged documents, some 0; lists, some documents new."""
    rng = np.random.default_rng(seed)
    labels, lists = {}, {}
    for topic, judged in {"1": 12, "2": 3, "3": 8}.items():
        labels[topic] = {f"d{d}": int(rng.integers(-1, 4)) for d in range(judged)} | {"top": 3}
        documents = [*labels[topic], *[f"new{d}" for d in range(6)]]
        for run in ("one", "two"):
            lists[run, topic] = rng.permutation(documents)[: rng.integers(1, 12)].tolist()
    lists["two", "3"] = []
    return labels, lists


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("seed", range(3))
def test_from_files(name, seed, tmp_path):
    labels, lists = made_up(seed)
    qrels, runs = tmp_path / "qrels", tmp_path / "runs"
    qrels.write_text("".join(f"{t} 0 {d} {g}\n" for t in labels for d, g in labels[t].items()))
    runs.mkdir()
    for run in ("one", "two"):
        lines = [
            f"{topic} Q0 {doc} {rank} {-rank} {run}\n"
            for topic in labels
            for rank, doc in enumerate(lists[run, topic], 1)
        ]
        (runs / run).write_text("".join(lines))
    known = files.judged(read_qrels(open_members([qrels])))
    for found in files.evaluate(known, open_members([runs]), [parse(name)]):
        expected = [one_by_one(name, lists[found.run, topic], labels[topic]) for topic in labels]
        assert found.values[0].tolist() == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_for_many_choices_of_gains_and_in_the_comparison_of_systems(name):
    rng = np.random.default_rng(1)
    codes = np.argsort(rng.random((5, 20)), axis=1)[:, :9]
    codes[np.arange(9) >= np.array([9, 4, 1, 0, 9])[:, np.newaxis]] = -1
    documents = np.delete(np.repeat(np.arange(20), 3), np.arange(12, 24))  # 4 to 7 are unjudged
    topic = Topic(codes, rng.lognormal(size=len(documents)), documents, 20)
    gains = topic.draw(rng, 4)
    found = recompute(topic, parse(name))(gains)
    for choice, column in enumerate(gains.T):
        labels = {code: gain for code, gain in enumerate(column) if not np.isnan(gain)}
        lists = [[code for code in row if code >= 0] for row in codes.tolist()]
        expected = [one_by_one(name, listed, labels) for listed in lists]
        assert found[:, choice].tolist() == pytest.approx(expected, abs=1e-12)
        known = np.array(list(labels)), np.array(list(labels.values()))
        again = Lists.of_topic(codes, *known).measure(parse(name)).values
        assert again.tolist() == pytest.approx(expected, abs=1e-12)


@pytest.mark.django_db
def test_in_a_study():
    study, runs = judged_study(6, units=9, runs=12)
    pipeline.evaluate(study)
    gains = naive.gains([dict(row) for row in judgments(study)])
    lists = naive_lists(runs)
    assert any(gains.keys() - topics.keys() for topics in lists.values())
    for name in NAMES:
        found = results.table(study, parse(name))
        for run, values in zip(found.runs, found.values.T, strict=True):
            listed = [lists[run].get(query_id, []) for query_id in found.query_ids]
            known = [gains[query_id] for query_id in found.query_ids]
            expected = [one_by_one(name, *of) for of in zip(listed, known, strict=True)]
            assert values.tolist() == pytest.approx(expected, abs=1e-12)
