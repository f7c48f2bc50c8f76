"""What is said of the order of judged documents: values of a plain loop, and strange studies."""

import numpy as np
import pytest

from evaluation.analyses.systems import preferences
from evaluation.presentation.frame import Frame
from magnitudes.comparison.compared import compare
from magnitudes.comparison.correlation import Tau
from magnitudes.measures.names import parse
from tests.factory.arrays import (
    analysed,
    make_study,
    make_topic,
    random_study,
    table,
)


def rpref(topic, listed, relative=False):
    """Equation (1), document by document."""
    top = np.nanmax(topic.gains)
    worth = {c: g / top for c, g in zip(topic.codes, topic.gains, strict=True) if not np.isnan(g)}
    rank = {code: place for place, code in enumerate(c for c in listed if c in worth)}
    n = sum(1 - rho for rho in worth.values())
    score = 0.0
    for k, rho in worth.items():
        above = [worth[c] for c, place in rank.items() if place < rank.get(k, len(listed))]
        by = len(above) if relative else n
        score += rho - (sum(rho - other for other in above if other < rho) / by if by else 0)
    return score / sum(worth.values())


def test_values_are_those_of_a_plain_loop():
    data = random_study(5, topics=7, runs=6, units=5, documents=24)
    rows = {row[0]: row for row in table(analysed("preferences", data), "systems").rows}
    columns = table(analysed("preferences", data), "systems").columns
    for run, system in enumerate(data.runs):
        for name, relative in (("rpref", False), ("relative", True)):
            each = [rpref(t, t.lists[run].tolist(), relative) for t in data.topics]
            assert rows[system][columns.index(name)] == pytest.approx(np.mean(each))
        judged = [(~np.isnan(t.gains))[t.lists[run]].mean() for t in data.topics]
        assert rows[system][columns.index("judged")] == pytest.approx(np.mean(judged))
    order = [
        row[columns.index("rpref")] for row in table(analysed("preferences", data), "systems").rows
    ]
    assert order == sorted(order, reverse=True)


def test_partitions_come_to_rpref_and_end_there():
    found = analysed("preferences", random_study(5, topics=7, runs=9))
    rows = table(found, "by-partitions").rows
    assert rows[0][0] == 2
    assert rows[-1][2] < rows[0][2] / 5
    assert rows[-1][3] > 0.9


def test_levels_are_whole_with_as_many_partitions():
    """With as many steps as levels nothing is lost where the largest level is the highest."""
    topic = make_topic(
        [[0, 3, 1, 2]] * 2,
        [[0, 1, 2, 3]] * 2,
        [0, 3, 1, 2],
        [[2, 3, 1, 0], [0, 1, 2, 3]],
        normalisation="none",
    )
    data = make_study(topic, scale="graded", levels=["a", "b", "c", "d"])
    rows = {row[0]: row for row in table(analysed("preferences", data), "by-partitions").rows}
    assert rows[4][2] == pytest.approx(0)
    assert rows[2][2] > 0


def test_the_title_has_tau_with_the_usual_order_and_with_the_share_judged():
    """Systems whose lists are judged the less the higher they stand by rpref."""
    values = np.random.default_rng(1).random((7, 9))
    unlike = compare(values, values)._replace(tau=Tau(-0.1, -0.5, 0.3, ""))
    fewest = Frame.of(rpref=values.mean(axis=0), judged=-values.mean(axis=0))
    assert preferences.title(parse("nDCG@10"), fewest, unlike) == (
        "Tau of systems by rpref is -0.10 with nDCG@10, and -1 with the share of their documents "
        "that is judged"
    )
