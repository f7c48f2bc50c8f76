"""Systems by other definitions of gain: against plain loops, and on strange studies."""

import math
from collections.abc import Callable

import numpy as np
import pytest
from scipy.stats import kendalltau

from evaluation.analyses.gain import definitions, other_definitions
from evaluation.presentation.parts import Figure, number
from evaluation.study import levels, scoring
from evaluation.study.data import StudyData
from judging.models import Study
from magnitudes.gains.disagreement import disagreement
from magnitudes.gains.level_weights import gains_of, level_weights
from tests.acceptance import naive
from tests.factory.arrays import (
    analysed,
    make_study,
    make_topic,
    random_study,
    table,
)
from tests.factory.opinions import (
    graded_study,
    random_opinions,
)

OF_LEVELS = ["exponential", "udm:1/3", "raw", "weighted", "unanimity:0.2"]


def naive_taus(data: StudyData, gains: Callable[[list[float]], float], usual: str) -> list[float]:
    """Tau by each measure of gains made from the list of a document's levels, one by one."""
    said = data.opinions.given
    levels: dict[int, list[float]] = {}
    for item, level in zip(said.items.tolist(), said.levels.tolist(), strict=True):
        levels.setdefault(item, []).append(level)
    found = []
    for by in scoring.measures(Study()):
        means = []
        for of in (naive.median, gains):
            values = []
            for topic, start in zip(data.topics, data.offsets, strict=False):
                known = {
                    int(code): of(levels[int(start) + place])
                    for place, code in enumerate(topic.codes)
                    if int(start) + place in levels
                }
                values.append(
                    [
                        naive.MEASURES[str(by)](
                            [known.get(code, 0.0) for code in codes if code >= 0],
                            list(known.values()),
                            10,
                        )
                        for codes in topic.lists.tolist()
                    ]
                )
            means.append(np.mean(values, axis=0).round(12))
        found.append(float(kendalltau(*means).statistic))
    return found


@pytest.mark.parametrize("make", [graded_study, random_opinions])
def test_against_plain_loops(make: Callable[..., StudyData]) -> None:
    data = make(3, topics=5, runs=7)
    d_max = len(data.study.levels) - 1
    labels = np.bincount(data.opinions.given.items)
    often = np.bincount(labels[labels > 0])
    usual = max(number for number in range(len(often)) if often[number] == often.max())
    n = usual if data.study.is_imported else data.study.redundancy

    def raw(levels: list[float]) -> float:
        return sum(levels[:n]) * n / len(levels[:n])

    def unanimity(levels: list[float]) -> float:
        spread = max(levels[:n]) - min(levels[:n])
        return raw(levels) + 0.2 * n * (d_max - spread) if raw(levels) else 0.0

    definitions: dict[str, Callable[[list[float]], float]] = {
        "exponential": lambda levels: 2 ** naive.median(levels) - 1,
        "raw": raw,
        "weighted": lambda ls: (1 - (max(ls[:n]) - min(ls[:n])) / d_max) * raw(ls),
        "unanimity:0.2": unanimity,
    }
    found = analysed("definitions", data)
    rows = {row[0]: row for row in table(found, "definitions").rows}
    assert list(rows) == OF_LEVELS
    for name, of in definitions.items():
        expected = naive_taus(data, of, "linear")
        assert [rows[name][4], rows[name][9]] == pytest.approx(expected)
        assert found.numbers[f"tau_nDCG_{name}"] == rows[name][4]


def test_of_magnitudes_all_definitions_are_other_ones() -> None:
    data = random_study(2, topics=7, runs=8, units=20)
    found = analysed("definitions", data)
    rows = table(found, "definitions").rows
    assert [row[0] for row in rows] == ["linear", *OF_LEVELS]
    judged = int((data.documents.counts > 0).sum())
    assert all(row[1:3] == (7, judged) for row in rows)
    (figure,) = (part for part in found.parts if isinstance(part, Figure))
    assert len(figure.data["rows"]) == 2 * len(rows)


def test_a_definition_that_nothing_is_known_of_is_said() -> None:
    """One judge of each document: nobody can tell how likely another is to agree."""
    found = analysed("definitions", random_opinions(judges=1))
    assert "udm:1/3" not in [row[0] for row in table(found, "definitions").rows]


def test_topics_without_a_scale_are_left_out() -> None:
    """H_k has the gain of N_k on one of two topics, so that nothing lies between them."""
    places = [[0, 1, 2, 3]] * 2
    lists = [[2, 3, 0], [3, 1, 0], [0, 1, 2]]
    flat = make_topic([[2, 2, 1, 4]] * 2, places, [math.nan] * 4, lists, query_id="402")
    steep = make_topic([[1, 9, 3, 5], [1, 5, 2, 4]], places, [math.nan] * 4, lists)
    found = analysed("definitions", make_study(steep, flat))
    assert {row[1] for row in table(found, "definitions").rows} == {1}


def test_gains_are_of_the_main_aspect() -> None:
    """What judges said of snippets is no opinion on pages."""
    data = random_opinions(5, aspects=("page", "snippet"))
    of_pages = levels.opinions(data)
    assert len(of_pages.items) < len(data.opinions.items)
    weights = level_weights(disagreement(of_pages).p, 1, 3)
    assert not np.allclose(weights, level_weights(disagreement(data.opinions).p, 1, 3), atol=0.002)
    said = ", ".join(number(weight) for weight in weights.tolist())
    found = table(analysed("definitions", data), "definitions")
    assert f"lowest first, are {said}." in " ".join(found.notes)
    udm = next(row for row in found.rows if row[0] == "udm:1/3")
    assert udm[3] == pytest.approx((gains_of(of_pages, weights) == 0).mean())


@pytest.mark.parametrize(("on_top", "says_nothing"), [(1, False), (4, False), (5, True), (8, True)])
def test_an_overlap_is_told_where_top_sets_hold_half_of_the_systems_at_most(
    on_top: int, says_nothing: bool
) -> None:
    data = random_study(2, topics=7, runs=8, units=20)
    each, orders, _ = other_definitions.compute(data, lambda share: None)
    of_first = orders.where(orders["gain"] == each["gain"][0])
    few = np.ones(len(of_first))
    orders = of_first.with_columns(overlap=0.75 * few, top_set=(on_top * few).astype(int))
    title, *sentences = definitions.sentences(data, each.first(1), orders)
    said = " ".join(sentences)
    assert ("their overlap is not informative" in said) == says_nothing
    assert ("75% stay in it" in said) != says_nothing
    assert title.startswith("The order of systems changes most with")
    assert not any(word in title for word in ("overlap", "top set", "%"))
