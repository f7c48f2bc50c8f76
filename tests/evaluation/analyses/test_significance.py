"""What is said of systems that differ: pairs, bars and places, against plain computations."""

import dataclasses
from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from evaluation.analyses.systems import tested_measures
from evaluation.presentation.parts import Figure
from evaluation.study import scoring
from evaluation.study.data import StudyData
from judging.models import Study
from magnitudes.comparison.tukey import tukey_hsd
from magnitudes.measures.names import parse
from tests.factory.arrays import analysed, random_study, table


def apart(seed: int = 1) -> StudyData:
    """Systems of which each is worse than the one before."""
    data = random_study(seed, topics=12, runs=8, labelled=1.0)
    topics = []
    for topic in data.topics:
        best = np.argsort(-np.nan_to_num(topic.gains), kind="stable")
        lists = [np.roll(best, run)[:10] for run in range(8)]
        topics.append(dataclasses.replace(topic, lists=np.array(lists, dtype=np.int32)))
    return dataclasses.replace(data, topics=topics)


def plain(data: StudyData, place: int) -> tuple[np.ndarray, np.ndarray]:
    """Means of systems and p of their pairs, by run."""
    by = scoring.measures(Study())[place]
    values = scoring.by_own_gains(data.topics, by)
    return values.mean(axis=0), tukey_hsd(values, seed=data.seed).p


def figures(data: StudyData) -> list[Figure]:
    return [part for part in analysed("significance", data).parts if isinstance(part, Figure)]


def test_bars_overlap_where_systems_do_not_differ() -> None:
    data = apart()
    for place, figure in enumerate(figures(data)):
        _, p = plain(data, place)
        for one, other in combinations(figure.rows, 2):
            runs = data.runs.index(one[1]), data.runs.index(other[1])
            assert (one[3] > other[4]) == (p[runs] < 0.05)
    assert (p < 0.05).any()


def test_pairs_that_differ_are_listed_best_first() -> None:
    data = apart(2)
    rows = table(analysed("significance", data), "pairs").rows
    for place, by in enumerate(scoring.measures(Study())):
        means, p = plain(data, place)
        found = [row for row in rows if row[0] == str(by)]
        assert len(found) == np.count_nonzero(np.triu(p < 0.05, 1)) > 0
        assert [row[3] for row in found] == sorted((row[3] for row in found), reverse=True)
        for _, better, worse, difference, chance, _ in found:
            one, other = data.runs.index(better), data.runs.index(worse)
            assert difference == pytest.approx(means[one] - means[other])
            assert chance == pytest.approx(p[one, other], abs=0.01)


def test_places_say_who_differs_from_whom() -> None:
    data = apart(3)
    found = analysed("significance", data)
    pairs = [
        row[1:3] for row in table(found, "pairs").rows if row[0] == str(scoring.first(Study()))
    ]
    of = table(found, "all-ndcg").rows
    names = [row[1] for row in of]
    for _, name, _, better, worse, worse_from, *_ in of:
        below = [pair[1] for pair in pairs if pair[0] == name]
        assert worse == len(below)
        assert better == sum(pair[1] == name for pair in pairs)
        if below:
            assert worse_from == 1 + min(names.index(other) for other in below)
            assert {*below} == {*names[worse_from - 1 :]}


def test_how_many_pairs_remain_without_the_run_in_most_of_them() -> None:
    data = apart(6)
    by = scoring.first(Study())
    values = scoring.by_own_gains(data.topics, by)
    values = values[:, np.argsort(-values.mean(axis=0), kind="stable")]
    p = tukey_hsd(values, seed=data.seed).p
    busiest = int((p < 0.05).sum(axis=0).argmax())
    rest = tukey_hsd(np.delete(values, busiest, axis=1), seed=data.seed).p
    remain = np.count_nonzero(np.triu(rest < 0.05, 1))
    told = analysed("significance", data).numbers["told_apart"]
    assert (told["busiest"], told["others"]["differ"]) == (f"run-{busiest:02}", remain)


def test_names_stand_where_there_is_room() -> None:
    few, many = (
        figures(random_study(topics=3, runs=runs))[0].to_json()["svg"] for runs in (50, 51)
    )
    assert few.count(">run-07<") == 1
    assert ">run-07<" not in many
    assert "run-07: " in many


def test_draws_depend_on_the_seed_alone() -> None:
    def numbers(seed: int) -> object:
        return analysed("significance", dataclasses.replace(random_study(2), seed=seed)).numbers

    assert numbers(1) == numbers(1)
    assert numbers(1) != numbers(2)


# --- power --------------------------------------------------------------------------------------


def test_shares_of_pairs_against_scipy() -> None:
    data = apart(4)
    rows = {row[0]: row for row in table(analysed("power", data), "shares").rows}
    for name in ("nDCG(dcg='jk')@10", "ERR@10", "nERR@10", "P(rel='anchors')@10"):
        sources = map(scoring.magnitudes, data.topics)
        values = scoring.measure(data.topics, sources, parse(name)).values.round(12)
        columns = [one for one in combinations(values.T, 2) if np.ptp(one[0] - one[1]) > 0]
        found = [stats.ttest_rel(*pair).pvalue < 0.05 for pair in columns]
        assert rows[name][1] == pytest.approx(np.mean(found))
        assert all(abs(share - rows[name][1]) < 0.2 for share in rows[name][2:4])


def test_relevant_is_what_lies_above_the_middle_of_the_anchors() -> None:
    data = random_study(6, topics=2)
    by = parse("P@10").in_study()
    found = scoring.by_own_gains(data.topics, by)
    for topic, row in zip(data.topics, found, strict=True):
        middle = np.sqrt(topic.gains[topic.h_k] * topic.gains[topic.n_k])
        relevant = set(np.flatnonzero(topic.gains >= middle).tolist())
        plain = [len(relevant & set(codes)) / 10 for codes in topic.lists.tolist()]
        assert row.tolist() == pytest.approx(plain)


def test_a_curve_crosses_at_the_share_of_pairs() -> None:
    found = analysed("power", apart(5))
    figure = next(part for part in found.parts if part.name == "curves")
    shares = {row[0]: row[3] for row in table(found, "shares").rows}
    for name in {row[0] for row in figure.rows}:
        curve = [row for row in figure.rows if row[0] == name]
        assert [row[2] for row in curve] == sorted(row[2] for row in curve)
        below = sum(row[2] < 0.05 for row in curve) / len(curve)
        assert below == pytest.approx(shares[name], abs=0.04)
        assert all(row[3] <= row[2] <= row[4] for row in curve)


def test_measures_stand_by_power_and_each_is_named() -> None:
    found = analysed("power", apart(6))
    means = [value for name, value in found.numbers.items() if not name.endswith(", paired t")]
    assert means == sorted(means, reverse=True)
    assert len(means) == len(tested_measures.measures(apart(6))) == 8


def test_where_no_measure_tells_two_systems_apart_none_tells_most() -> None:
    found = analysed("power", random_study(2, topics=5, runs=3))
    assert set(found.numbers.values()) == {0.0}


def test_levels_need_no_threshold() -> None:
    data = random_study(topics=1)
    graded = dataclasses.replace(data, study=Study(scale=Study.Scale.GRADED))
    assert "P@10" in {str(by) for by in tested_measures.measures(graded)}
    assert "P(rel='anchors')@10" in {str(by) for by in tested_measures.measures(data)}
