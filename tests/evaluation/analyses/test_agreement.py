"""What is said of agreement: values on small studies, and no stumbling over strange ones."""

import dataclasses
import re
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy import stats

from evaluation.analyses import ANALYSES
from evaluation.analyses.agreement.by_person import by_person
from evaluation.analyses.agreement.internal import _tested
from evaluation.analyses.agreement.judges import MOST_JUDGES
from evaluation.analyses.question import BadQuestion, Question, question
from evaluation.presentation.parts import Figure, Table, p_value
from evaluation.study.data import StudyData
from judging.models import Study
from magnitudes.agreement.alpha import krippendorff_alpha
from magnitudes.agreement.pairs import pair_agreement
from magnitudes.scaling.aggregation import aggregate
from magnitudes.scaling.normalisation import normalise
from magnitudes.spread.spread import spread
from tests.factory.arrays import (
    NONE,
    analysed,
    make_study,
    make_topic,
    part,
    random_study,
    table,
)
from tests.factory.opinions import imported_study

PLACES = [[0, 1, 2, 3]] * 3


# --- internal ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("p", "low", "agrees"), [(0.001, 0.1, True), (0.001, -0.1, False), (0.3, 0.1, False)]
)
def test_agreement_takes_a_test_and_an_interval_above_0(p: float, low: float, agrees: bool) -> None:
    said = _tested(SimpleNamespace(p=p, low=low), "")
    assert ("Workers agree better than chance" in said) == agrees
    assert ("0 is in the interval of alpha, though p = 0.001" in said) == (low < 0)


def test_alpha_of_all_topics_and_each_with_and_without_anchors() -> None:
    data = random_study(topics=2)
    rows = {tuple(row[:2]): row[2:] for row in part(analysed("internal", data), "alpha").rows}
    other = ~data.documents.is_anchor[data.judgments.items]
    for documents, mask in (("with anchors", other | True), ("without anchors", other)):
        values, items, judges = (
            column[mask]
            for column in (data.judgments.normalised, data.judgments.items, data.judgments.workers)
        )
        expected = krippendorff_alpha(values, items, first=10, judges=judges)
        topics = data.documents.topics[items]
        within = krippendorff_alpha(values, items, first=10, judges=judges, strata=topics)
        assert rows[documents, "within topics"][0] == pytest.approx(within.alpha)
        assert rows[documents, "all topics"][0] == pytest.approx(expected.alpha)
        assert rows[documents, "all topics"][-2:] == (expected.items, expected.values)
        for place, topic in enumerate(data.topics):
            here = topics == place
            alpha = krippendorff_alpha(
                values[here], items[here], first=10, judges=judges[here]
            ).alpha
            assert rows[documents, topic.query_id][0] == pytest.approx(alpha)


def test_below_30_documents_alpha_has_no_interval() -> None:
    few, many = (
        analysed("internal", random_study(topics=1, documents=n, units=40)) for n in (20, 40)
    )
    assert np.isnan([few.numbers["alpha_low"], few.numbers["alpha_high"]]).all()
    assert many.numbers["alpha_low"] < many.numbers["alpha"] < many.numbers["alpha_high"]


def without_agreement(seed: int, apart: float = 1.5) -> StudyData:
    """Topics whose scores lie apart, on which all numbers are drawn alike."""
    rng = np.random.default_rng(seed)
    topics = []
    for place in range(4):
        places = [[0, 1, *rng.choice(np.arange(2, 20), 4, replace=False)] for _ in range(16)]
        scores = rng.lognormal(apart * place, 1, (16, 6))
        scores[:, 1] = scores[:, 0] * 2  # check (c)
        topics.append(make_topic(scores, places, [0, 1] * 10, query_id=f"{401 + place}"))
    return make_study(*topics)


def test_topics_that_lie_apart_are_no_agreement() -> None:
    """Pooled alpha is large, alpha within topics is not, and agreement is seldom claimed."""
    claimed = 0
    for seed in range(20):
        found = analysed("internal", without_agreement(seed))
        assert found.numbers["alpha_without_anchors"] > 0.2
        assert abs(found.numbers["alpha_within_topics_without_anchors"]) < 0.2
        claimed += found.numbers["alpha_without_anchors_p"] < 0.05
    assert claimed <= 4


def test_alpha_of_labels_given_elsewhere_is_of_all_of_them_or_as_many_as_asked() -> None:
    rng = np.random.default_rng(1)
    labels = [(d, judge, int(rng.integers(0, 3))) for d in range(8) for judge in range(14)]
    data = imported_study([labels])
    for asked, first in (("", None), ("3", 3), ("10", 10)):
        result = ANALYSES["internal"].of(data, asked=Question(first=asked))
        wanted = krippendorff_alpha(
            data.judgments.scores,
            data.judgments.items,
            "ordinal",
            first,
            judges=data.judgments.workers,
        )
        assert result["numbers"]["alpha"] == pytest.approx(wanted.alpha)
        assert result["numbers"]["first"] == first
        counted = "all levels" if first is None else f"the first {first} levels"
        assert f"from {counted} of 8 documents" in result["says"][0]
        assert f"From {counted} of a document" in str(result["parts"])


@pytest.mark.parametrize(
    ("imported", "asked", "kept"),
    [
        (False, "10", ""),
        (False, "all", "all"),
        (False, "012", "12"),
        (True, "all", ""),
        (True, "10", "10"),
    ],
)
def test_how_many_scores_count_can_be_asked(imported: bool, asked: str, kept: str) -> None:
    study = Study(crowd="imported" if imported else "people")
    assert question(study, ("first",), {"first": asked}).first == kept
    for bad in ("1", "0", "-3", "2.5", "none", "10000"):
        with pytest.raises(BadQuestion, match="expected a whole number from 2 to 9999, or all"):
            question(study, ("first",), {"first": bad})


def test_perfect_agreement_has_an_alpha_of_1() -> None:
    scores = [[1, 8, 2, 4], [10, 80, 20, 40]]
    data = make_study(*(make_topic(scores, PLACES[:2], [0, 1, 0, 1], query_id=q) for q in "12"))
    rows = part(analysed("internal", data), "alpha").rows
    assert [row[2] for row in rows] == pytest.approx([1.0] * 8)


def test_p_of_agreement_is_that_of_a_randomisation_test_and_never_0() -> None:
    """Not the share of draws of documents with an alpha of 0 or less."""
    agreed = analysed("internal", random_study(units=40))
    columns = table(agreed, "alpha").columns
    assert table(agreed, "alpha").rows[0][columns.index("p")] == 1 / 1000
    assert (p_value(0.0), p_value(0.0004)) == ("p < 0.001", "p < 0.001")
    assert (p_value(0.001), p_value(0.0126)) == ("p = 0.001", "p = 0.013")


def of_topics(data: StudyData) -> Any:
    """Alpha of each topic."""
    judgments, topics = data.judgments, data.documents.topics[data.judgments.items]
    rows = ((judgments.normalised, judgments.items, judgments.workers),) * len(data.topics)
    return np.array(
        [
            krippendorff_alpha(values[of], items[of], first=10, judges=judges[of]).alpha
            for of, (values, items, judges) in zip(
                (topics == place for place in range(len(data.topics))), rows, strict=True
            )
        ]
    )


@pytest.mark.parametrize(("name", "figure"), [("internal", "by-topic"), ("topics", "side-by-side")])
def test_of_many_topics_all_are_drawn(name: str, figure: str) -> None:
    """The ends of the title are among the dots, and each topic is one."""
    data = random_study(topics=45, units=4, documents=8, size=4, runs=0)
    drawn = part(analysed(name, data), figure)
    assert isinstance(drawn, Figure)
    marks = [mark for rows in drawn.data.values() for mark in rows]
    dots = [mark for mark in marks if "name" in mark]
    alphas = [mark["value"] for mark in dots if mark.get("panel", "alpha") == "alpha"]
    assert len(alphas) == np.sum(~np.isnan(of_topics(data)))
    low, high = re.findall(r"-?\d[\d.]*", drawn.title)[:2]
    assert (float(low), float(high)) == pytest.approx((min(alphas), max(alphas)), abs=0.006)
    named = [mark["label"] for mark in marks if "label" in mark]
    assert len(named) >= 2


# --- levels -----------------------------------------------------------------------------------


def with_gains(gains: Any, labels: Any, query_id: str = "401") -> Any:
    """A topic whose documents have the gains given: every unit is one and the same."""
    size = len(gains)
    return make_topic([gains] * 3, [list(range(size))] * 3, labels, query_id=query_id)


def test_medians_and_tests_of_levels() -> None:
    data = random_study(topics=2)
    found = analysed("levels", data)
    gains, labels = data.documents.gains, data.documents.labels
    expected = [np.median(gains[(labels == level) & ~np.isnan(gains)]) for level in range(4)]
    rows = part(found, "by-level").rows
    assert [row[2] for row in rows[:4]] == pytest.approx(expected)
    others = ~np.isnan(gains) & ~data.documents.is_anchor
    for lower, row in enumerate(part(found, "tests").rows):
        two = [np.log(gains[(labels == level) & others]) for level in (lower + 1, lower)]
        again = stats.ttest_ind(*two, equal_var=False)
        assert row[-2:] == pytest.approx((again.statistic, again.pvalue))


def test_medians_out_of_order_are_counted_where_both_levels_are_used() -> None:
    data = make_study(
        with_gains([1, 9, 2, 5, 4], [0, 3, 1, 2, 1]),
        with_gains([1, 9, 4, 3, 2], [0, 3, 2, 1, 2], "402"),  # level 2: 3, as level 1
        with_gains([1, 9, 5, 2, 6], [0, 3, 1, 2, 1], "403"),  # level 2 below level 1
        with_gains([5, 9, 1, 2, 3], [0, 3, 1, 1, 1], "404"),  # level 1 below 0, no level 2
    )
    found = analysed("levels", data)
    rows = {row[0]: row[1:] for row in part(found, "order").rows}
    assert rows["0, 1"] == (True, 4, 1, "404")
    assert rows["1, 2"] == (True, 3, 1, "403")
    assert rows["2, 3"] == (True, 3, 0, "")
    assert rows["0, 3"] == (False, 4, 0, "")


def test_levels_cannot_be_tested_with_one_document() -> None:
    found = analysed("levels", make_study(with_gains([1, 9, 3, 4, 5], [0, 2, 1, 1, 2])))
    (row,) = part(found, "tests").rows  # at level 0 there is an anchor alone
    assert np.isnan(row[5:]).all()


# --- labels -----------------------------------------------------------------------------------


def test_agreement_of_units_is_counted_pair_by_pair() -> None:
    """Of three units over labels 0, 1, 0, 1: all right; half wrong; and both relevant ones low."""
    scores = [[1, 9, 2, 8], [1, 9, 8, 2], [2, 9, 8, 1]]
    found = analysed("labels", make_study(make_topic(scores, PLACES, [0, 1, 0, 1])))
    of_units = {row[0]: row[1:] for row in part(found, "units-table").rows}
    whole, others = of_units["with anchors"], of_units["without anchors"]
    shares = [1, 3 / 4, 2 / 4]  # of 4 pairs: N_k, H_k; N_k, 3rd; 2nd, H_k; 2nd, 3rd
    assert whole == pytest.approx((3, 0, 0, 3, np.mean(shares), 1 / 3, 1 / 3, 2 / 3, 0))
    assert others == pytest.approx((3, 0, 3, 3, 1 / 3, 1 / 3, 1 / 3, 1 / 3, 0))


def test_equal_scores_agree_and_are_counted() -> None:
    scores = [[1, 9, 4, 4], [1, 9, 2, 8]]
    found = analysed("labels", make_study(make_topic(scores, PLACES[:2], [0, 1, 0, 1])))
    assert rows_of(found, "units-table")["with anchors"][4:] == pytest.approx((1, 1, 1, 1, 1 / 8))
    assert rows_of(found, "units-table")["without anchors"][-1] == 1 / 2


def rows_of(found: Any, name: str) -> dict[str, Any]:
    return {row[0]: row[1:] for row in part(found, name).rows}


def test_two_judges_are_no_worse_than_one() -> None:
    """Half of the medians of two levels are halves of levels: the median error rises and falls."""
    rng = np.random.default_rng(5)
    levels = [(d, judge, int(rng.random() < 0.5)) for d in range(60) for judge in range(5)]
    found = analysed("judges", imported_study([levels]))
    means = [row[1] for row in part(found, "errors").rows]
    halves = [row[2] for row in part(found, "errors").rows]
    assert halves[1] > halves[0]
    assert means[1] == pytest.approx(means[0], abs=0.01)  # of two levels the same, but for draws
    assert means[2] < means[0]


def test_agreement_of_gains_by_levels_is_the_mean_over_topics_that_have_them() -> None:
    data = make_study(
        with_gains([1, 9, 2, 5, 4], [0, 3, 1, 2, 1]),
        with_gains([5, 9, 1, 2, 7], [0, 3, 1, 1, 1], "402"),
    )
    found = analysed("labels", data)
    rows = {row[1]: row[2:] for row in part(found, "levels-table").rows}
    assert rows["0, 1"] == pytest.approx(((1 + 1 / 3) / 2, 2, 5, 1 / 3, 1))
    assert rows["1, 2"] == pytest.approx((1, 1, 2, 1, 1))
    assert rows["all"][0] == pytest.approx((1 + 5 / 7) / 2)


def test_label_sets_are_compared_with_each_other() -> None:
    topics = [with_gains([1, 9, 2, 5, 4], [0, 3, 1, 2, NONE])]
    other = {"binary": np.array([0.0, 1, 1, 0, 1])}
    data = make_study(*(dataclasses.replace(topic, other_labels=other) for topic in topics))
    found = analysed("labels", data)
    (row,) = (row for row in part(found, "levels-table").rows if row[0] == "binary")
    # The first document is alone in not being relevant; the other set has no lower level.
    assert row[1:5] == ("all", pytest.approx(1), 1, 3)


def test_label_sets_are_compared_as_binary_ones() -> None:
    """As graded ones, levels 1 and 3 would be a third pair, in the wrong order."""
    topic = with_gains([1, 9, 2], [0, 3, 1])
    data = make_study(dataclasses.replace(topic, other_labels={"graded": np.array([1.0, 0, 2])}))
    (row,) = (r for r in part(analysed("labels", data), "levels-table").rows if r[0] == "graded")
    assert row[1:5] == ("all", pytest.approx(1 / 2), 1, 2)


# --- judges -----------------------------------------------------------------------------------


def test_table_two_is_the_papers_at_99_percent() -> None:
    found = analysed("judges", random_study())
    rows = {row[0]: row[1:] for row in part(found, "grid-99").rows}
    assert rows[0.5] == (27, 107, 239, 425, 664, 956)
    assert rows[2.0] == (2, 7, 15, 27, 42, 60)
    assert part(found, "grid-95").rows[3] == (2.0, 1, 4, 9, 16, 25, 35)


def test_workers_needed_by_the_studys_own_deviations() -> None:
    data = random_study()
    judgments = data.judgments
    scores, items = by_person(judgments.normalised, judgments.items, judgments.workers)
    sd = spread(scores, items, len(data.documents)).sd
    sigmas = np.nanquantile(sd, [0.25, 0.5, 0.75])
    row = part(analysed("judges", data), "needed").rows[1]
    assert row[:4] == (1.0, *(int(np.ceil(1.96**2 * sigma**2)) for sigma in sigmas))
    counted = part(analysed("judges", data), "sd").rows
    assert sum(one[2] for one in counted) == (~np.isnan(sd)).sum()
    assert counted[-1][0] == 6
    assert counted[-1][2] == (sd > 6).sum()


def test_deviations_that_are_large_are_drawn_all_the_same() -> None:
    data = random_study()
    topics = (make_topic(t.scores * 100, t.places, t.labels.tolist(), t.lists) for t in data.topics)
    counted = part(analysed("judges", make_study(*topics)), "sd").rows
    assert counted[-1][0] > 6
    assert sum(one[2] for one in counted[:-1]) > 10 * counted[-1][2]


def test_all_judges_and_all_topics_agree_with_themselves() -> None:
    """Every document but the anchors has one score of each of three units, and so have they."""
    places, size = [[0, 1, 2, 3]] * 3, 4
    topics = []
    for place in range(7):
        rng = np.random.default_rng(place)
        scores = np.sort(rng.lognormal(1, 1, (3, size)), axis=1)[:, [0, 3, 1, 2]]
        lists = [rng.permutation(size) for _ in range(5)]
        topics.append(make_topic(scores, places, [0, 1, 0, 1], lists, query_id=f"{place + 1}"))
    found = analysed("judges", make_study(*topics))
    for name, most in (("by-judges", 3), ("by-topics", 7)):
        rows = [row for row in part(found, name).rows if row[1] == most]
        assert [row[2:] for row in rows] == [(1.0,) * 5] * 2
    assert part(found, "errors").rows[-1][:4] == (3, 1, 1, 1)
    overlaps = [row[1] for row in part(found, "by-topics").rows if row[0].startswith("overlap")]
    assert overlaps == [6, 7]  # fewer topics cannot tell systems apart


def repeated(judges: int, times: int, documents: int = 12) -> StudyData:
    """Labels of people who gave each document so many."""
    rng = np.random.default_rng(3)
    labels = [
        (document, judge, int(rng.integers(0, 3)))
        for document in range(documents)
        for judge in range(judges)
        for _ in range(times)
    ]
    return imported_study([labels] * 7)


def test_judges_are_people_and_not_scores() -> None:
    """Four people with five labels each for a document are four judges, not twenty."""
    found = analysed("judges", repeated(judges=4, times=5))
    rows = part(found, "errors").rows
    assert [row[0] for row in rows] == [1, 2, 3, 4]
    assert rows[-1][1:4] == (0, 0, 0)


def test_more_judges_than_are_drawn_are_named() -> None:
    found = analysed("judges", repeated(judges=30, times=1))
    assert part(found, "errors").rows[-1][0] == MOST_JUDGES
    assert part(found, "errors").rows[-1][1] > 0  # a draw of 25 is not all


def test_redundancy_of_one_has_nothing_to_draw() -> None:
    found = analysed("judges", make_study(*random_study().topics, redundancy=1))
    assert not found.parts


# --- schemes ----------------------------------------------------------------------------------


def test_every_scheme_is_normalised_aggregated_and_compared() -> None:
    data = random_study(topics=2)
    found = {row[:2]: row[2] for row in part(analysed("schemes", data), "means").rows}
    assert len(found) == 12
    for (normalisation, aggregation), mean in found.items():
        shares = []
        for topic in data.topics:
            anchors = [np.argmax(topic.places == one, axis=1) for one in (topic.h_k, topic.n_k)]
            values = normalise(topic.scores, normalisation, *anchors).values.ravel()
            items = topic.places.ravel()
            gains = aggregate(values, items, len(topic.doc_ids), aggregation).values
            shares.append(pair_agreement(gains, topic.labels, data.levels).overall)
        assert mean == pytest.approx(np.mean(shares))
    agreed = part(analysed("labels", data), "levels-table").rows[-1][2]
    assert found["geometric", "median"] == pytest.approx(agreed)


# --- differences ------------------------------------------------------------------------------


def test_documents_among_those_of_another_level_are_listed_strongest_first() -> None:
    data = make_study(
        with_gains([1, 9, 1.2, 10, 8, 7.5], [0, 1, 0, 0, 1, 0]),
        with_gains([1, 9, 2, 1.5, 1, 3, 8], [0, 1, 0, 0, 1, NONE, 1], "402"),
    )
    found = analysed("differences", data)
    table = part(found, "documents")
    assert isinstance(table, Table)
    assert table.page == "difference"
    rows = [dict(zip(table.columns, row, strict=True)) for row in table.rows]
    listed = [(row["query_id"], row["doc_id"], row["label"], row["fits_level"]) for row in rows]
    assert listed == [
        ("401", "D401-003", "0", "1"),
        ("402", "D402-004", "1", "0"),
        ("401", "D401-005", "0", "1"),
    ]
    gamma = data.topics[0].gains[0]  # every score is multiplied by the same
    assert rows[0]["gain"] == pytest.approx(10 * gamma)
    assert rows[0]["median_at_its_level"] == pytest.approx(1.2 * gamma)
    assert rows[0]["median_where_it_fits"] == pytest.approx(np.sqrt(72) * gamma)
    strength = np.log(10 / 1.2) ** 2 - np.log(10 / np.sqrt(72)) ** 2
    assert rows[0]["strength"] == pytest.approx(strength)
