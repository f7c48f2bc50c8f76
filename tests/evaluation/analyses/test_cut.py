"""Ends of intervals are cut at what is possible where they are read, and marked; files have all."""

import dataclasses

import numpy as np
import pytest

from evaluation.analyses.systems import against_labels, label_figures, widths
from evaluation.analyses.systems.ranked_systems import RUNS
from evaluation.cache import part_files
from evaluation.presentation import cells, two_orders
from evaluation.presentation.frame import ROWS
from evaluation.presentation.parts import CUT
from evaluation.study import scoring
from evaluation.study.data import StudyData
from judging.models import Study
from magnitudes.comparison.compared import FEW_TOPICS, Compared
from magnitudes.comparison.correlation import Tau
from tests.factory.arrays import analysed, figures, random_study, table

WITH_TAU = "rankings", "sensitivity", "preferences", "subruns"


def near_one(seed: int = 1) -> StudyData:
    """Few systems that labels and magnitudes order nearly alike: their intervals go beyond 1."""
    data = random_study(seed, topics=8, runs=6, labelled=1.0)
    topics = []
    for topic in data.topics:
        best = np.argsort(-np.nan_to_num(topic.gains), kind="stable")
        lists = [np.roll(best, run)[:10] for run in range(6)]
        topics.append(dataclasses.replace(topic, lists=np.array(lists, dtype=np.int32)))
    return dataclasses.replace(data, topics=topics)


def test_a_table_marks_what_it_cuts_and_its_file_does_not_cut() -> None:
    marked = 0
    for name in WITH_TAU:
        for part in analysed(name, near_one()).parts:
            kept = part.to_json()
            if "high" not in "".join(kept.get("limits", {})):
                continue
            ends = [kept["columns"].index(column) for column in kept["limits"]]
            beyond = [row[end] for row in kept["rows"] for end in ends if abs(row[end] or 0) > 1]
            decimals = cells.decimals(kept)
            shown = [text for row in kept["rows"] for text in cells.texts(row, kept, decimals)]
            assert sum(text.startswith("†") for text in shown) == len(beyond)
            assert (CUT in kept["caption"]) == bool(beyond)
            written = part_files.written(kept, "csv", "people").decode()
            assert all(str(end) in written for end in beyond)
            assert part_files.written(kept, "tex", "people").decode().count(r"\dag{}") == len(
                beyond
            )
            marked += len(beyond)
    assert marked > 5


def test_no_picture_of_tau_goes_beyond_what_it_can_be() -> None:
    (figure,) = figures(analysed("sensitivity", near_one()))
    ends = [mark[end] for mark in figure.data[ROWS] for end in ("low", "high")]
    assert np.nanmax(ends) <= 1
    assert any(abs(row[figure.columns.index("high")]) > 1 for row in figure.rows)


def test_below_six_topics_there_is_no_interval_and_no_top_set() -> None:
    data = random_study(3, topics=5, runs=6, labelled=1.0)
    for name, part in (("rankings", "agreement"), ("preferences", "agreement")):
        found = analysed(name, data)
        of = table(found, part)
        columns = [of.columns.index(column) for column in ("low", "high", "in_both", "overlap")]
        rows = [row for row in of.rows if "paper" not in str(row)]
        for row in rows:
            assert all(row[at] is None or np.isnan(row[at]) for at in columns)


def test_tau_in_a_sentence_is_cut_and_says_where() -> None:
    said = two_orders.with_interval
    assert said(Tau(0.857, 0.593, 1.12, "")) == (
        "tau is 0.857 (95% interval 0.59 to 1.00, cut at 1)"
    )
    assert said(Tau(-0.9, -1.2, -0.6, "")).endswith("(95% interval -1.00 to -0.60, cut at -1)")
    assert said(Tau(1.0, 1.0, 1.0, "")) == "tau is 1"
    assert said(Tau(0.4, np.nan, np.nan, "")) == "tau is 0.400"


def compared(first: int, second: int, both: int, systems: int = 20) -> Compared:
    """Two orders whose top sets have so many systems."""
    places = np.arange(systems)
    members = places < first, (places >= first - both) & (places < first - both + second)
    return Compared(Tau(0.683, 0.5, 0.9, ""), *members, both / first, "")


def test_a_title_says_no_overlap_where_a_top_set_has_more_than_half() -> None:
    title = "Magnitudes and binary labels order systems alike only in part (nDCG-JK@10: tau 0.68)"
    assert finding(compared(8, 11, 8)) == finding(compared(11, 4, 4)) == title
    assert finding(compared(4, 8, 3)) == f"{title}; 75% of the labels' top set is in both"
    assert two_orders.top_sets(compared(8, 11, 8), "labels", "magnitudes") == (
        "; top sets (of 20 systems): 8 by labels, 11 by magnitudes, 8 in both, "
        "too many to be informative"
    )


def finding(of: Compared) -> str:
    values = scoring.Values(np.empty((0, 0)), np.empty((0, 0)))
    ranked = against_labels.Ranked(
        scoring.first(Study()), "binary", "all units", values, values, of
    )
    return label_figures.finding(ranked, "magnitudes", RUNS)


@pytest.mark.parametrize(
    ("tau", "low", "why", "said"),
    [
        (0.95, 0.8, "", "Gains and labels order systems nearly alike (tau 0.95)"),
        (0.5, 0.2, "", "Gains and labels order systems alike only in part (tau 0.50)"),
        (0.3, 0.1, "", "Gains and labels order systems hardly alike (tau 0.30)"),
        (0.3, -0.1, "", "It cannot be said that gains and labels order systems alike (tau 0.30)"),
        (
            -0.001,
            np.nan,
            "",
            "It cannot be said that gains and labels order systems alike (tau 0.00)",
        ),
        (1.0, np.nan, "", "Gains and labels order systems the same way (tau 1)"),
        (1.0, np.nan, FEW_TOPICS, "So far gains and labels order systems the same way (tau 1)"),
        (0.2, np.nan, FEW_TOPICS, "So far gains and labels order systems hardly alike (tau 0.20)"),
    ],
)
def test_two_orders_are_alike_only_where_the_interval_says_so(
    tau: float, low: float, why: str, said: str
) -> None:
    nobody = np.zeros(9, dtype=bool)
    orders = Compared(Tau(tau, low, 1.0, ""), nobody, nobody, np.nan, why)
    assert two_orders.how_alike("Gains and labels", orders) == said


def test_few_ratios_far_above_all_others_do_not_stretch_the_axis() -> None:
    ratios = np.array([2.0] * 300 + [5.0] * 400 + [10.0] * 260 + [1e5] * 40)
    bins, beyond = widths.bins_of(ratios)
    assert bins["to"][-1] == 10.5
    assert beyond["units"].tolist() == [40]


def test_each_whole_ratio_has_a_bar() -> None:
    ratios = np.array([0.25] * 20 + [1.5] * 100 + [2.0] * 300 + [5.0] * 400 + [1e6] * 3)
    bins, beyond = widths.bins_of(ratios)
    counts = dict(zip(bins["to"].tolist(), bins["units"].tolist(), strict=True))
    assert counts == {0.5: 20, 1.5: 0, 2.5: 400, 3.5: 0, 4.5: 0, 5.5: 400}
    assert beyond.rows == [(5.5, 1e6, 3)]


@pytest.mark.parametrize("most", [0.01, 1.0, 59.0, 61.0, 1e5, 1e299])
def test_bars_are_few_wherever_ratios_lie(most: float) -> None:
    bins, _ = widths.bins_of(np.geomspace(0.001, most, 99))
    assert 1 <= len(bins) <= widths.MAX_BARS + 2
    assert bins["units"].sum() >= 89


def test_a_picture_shows_no_top_sets_of_too_few_topics() -> None:
    for topics, there in ((5, False), (8, True)):
        found = figures(analysed("rankings", random_study(3, topics=topics, labelled=1.0)))
        sets = {row[4] for figure in found for row in figure.rows}
        assert (sets == {label_figures.NO_SETS}) is not there
