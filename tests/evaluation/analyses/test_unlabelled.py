"""Judged documents without a label: the group U in pictures, and where they count as 0."""

from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from evaluation.analyses import ANALYSES, of_study
from evaluation.presentation.frame import ROWS
from evaluation.presentation.parts import Figure, Result, Table, plain, plain_row
from evaluation.study.data import StudyData
from magnitudes.comparison.correlation import tau_b
from magnitudes.gains import named
from tests.factory.arrays import (
    H_K,
    N_K,
    analysed,
    make_study,
    make_topic,
    part,
    positive_only,
    random_study,
    table,
)
from tests.factory.opinions import graded

U = "U (unlabelled)"
OF_TIME = {"reading", "reader"}  # which need texts
TAKE_ZEROS = {  # and label_sets, where there are two
    *("labels", "schemes", "topics"),
    *("rankings", "subruns", "resampling", "mappings", "widths", "users"),
}


def on(levels: tuple[int, ...] = (1,)) -> StudyData:
    return positive_only(levels, unlabelled_as_zero=True)


def zeros(data: StudyData) -> int:
    """How many judged documents have no label and are no anchors."""
    return sum(
        int(count > 0 and np.isnan(label) and place not in (H_K, N_K))
        for topic in data.topics
        for place, (count, label) in enumerate(zip(topic.counts, topic.labels, strict=True))
    )


def plainly(answer: Result) -> dict[str, Any]:
    """All of an answer but its pictures."""
    return {
        "says": answer.sentences,
        "numbers": plain_row(answer.numbers),
        "parts": {
            part.name: (part.title, part.columns, [[*map(plain, row)] for row in part.rows])
            for part in answer.parts
        },
        "beside": [beside(part) for part in answer.parts],
    }


def beside(part: Figure | Table) -> str:
    return part.caption_and_reading[1] if isinstance(part, Figure) else " ".join(part.notes)


# --- the switch -----------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("name", "levels"),
    [
        *((name, (1, 2)) for name in of_study(random_study().study) if name not in OF_TIME),
        *((name, (1,)) for name in sorted(TAKE_ZEROS)),
    ],
)
def test_it_bears_on_pairs_taus_and_gains_of_labels_and_is_named_there(
    name: str, levels: tuple[int, ...]
) -> None:
    """Each analysis with the switch off and on: nothing else changes, and what does names it."""
    answers = [ANALYSES[name].answer(data) for data in (positive_only(levels), on(levels))]
    off, counted = map(plainly, answers)
    said = f"{zeros(on(levels))} unlabelled documents (U) count as 0"
    assert said not in str(off)
    if name not in TAKE_ZEROS:
        assert counted == off
        return
    assert answers[1].parts
    assert said in " ".join(counted["says"])
    assert counted["numbers"]["unlabelled_as_zero"] == zeros(on(levels))
    assert all(said in text for text in counted["beside"])


@pytest.mark.parametrize("name", sorted(TAKE_ZEROS))
def test_where_all_documents_have_labels_it_changes_nothing(name: str) -> None:
    data = random_study(labelled=1.0)
    counted = make_study(*data.topics, unlabelled_as_zero=True)
    assert plainly(ANALYSES[name].answer(counted)) == plainly(ANALYSES[name].answer(data))


# --- pairs of documents ---------------------------------------------------------------------------
def in_order(values: Any, labels: Any) -> tuple[int, int]:
    """Of one list of documents: pairs of different labels, and how many are not in wrong order."""
    known = [one for one in zip(values, labels, strict=True) if not np.isnan(sum(one))]
    ordered = (sorted(both, key=lambda one: one[1]) for both in combinations(known, 2))
    pairs = [(low, high) for low, high in ordered if low[1] != high[1]]
    return len(pairs), sum(low[0] <= high[0] * (1 + 1e-12) for low, high in pairs)


def as_zero(topic: Any) -> list[float]:
    """The labels of a pool, 0 where there is none, and none of anchors."""
    labels = [0.0 if np.isnan(level) else level for level in topic.labels]
    return [np.nan if place in (H_K, N_K) else level for place, level in enumerate(labels)]


@pytest.mark.parametrize("levels", [(1,), (1, 2)])
def test_pairs_are_those_of_a_plain_count(levels: tuple[int, ...]) -> None:
    data, found = on(levels), analysed("labels", on(levels))
    of_gains = [in_order(topic.gains, as_zero(topic)) for topic in data.topics]
    shares = [right / n for n, right in of_gains]
    assert found.numbers["pairs_in_order"] == pytest.approx(np.mean(shares))
    assert (found.numbers["pairs"], found.numbers["pairs_of"]) == (
        sum(n for n, _ in of_gains),
        "others",
    )
    of_units = [
        in_order(scores, [as_zero(topic)[place] for place in places])
        for topic in data.topics
        for scores, places in zip(topic.scores, topic.places, strict=True)
    ]
    (row,) = [row for row in table(found, "units-table").rows if row[0] != "the paper"]
    assert row[0] == "without anchors"
    known = [right / n for n, right in of_units if n]
    assert row[4:7] == pytest.approx((len(known), np.mean(known), np.mean(np.equal(known, 1))))
    geometric = table(analysed("schemes", data), "topics")
    assert [row[1] for row in geometric.rows] == pytest.approx(shares)
    by_topic = table(analysed("topics", data), "topics")
    columns = by_topic.columns
    with_anchors, without = (
        [row[columns.index(name)] for row in by_topic.rows]
        for name in ("unit_agreement", "unit_agreement_no_anchors")
    )
    assert with_anchors == pytest.approx(without)


def test_each_label_set_has_its_own_unlabelled_documents() -> None:
    data = on((1, 2))
    topics = [
        replace(t, other_labels={"other": np.where(t.labels == 2, 1.0, np.nan)})
        for t in data.topics
    ]
    both = make_study(*topics, pooled_to=6, unlabelled_as_zero=True)
    alone = make_study(
        *(
            make_topic(
                t.scores,
                t.places,
                t.other_labels["other"].tolist(),
                t.lists,
                query_id=t.query_id,
                workers=t.workers,
            )
            for t in topics
        ),
        unlabelled_as_zero=True,
    )
    found = ANALYSES["label_sets"].answer(both)
    rows = {row[0]: row for row in table(found, "sets").rows}
    for name, one in (("reference", both), ("other", alone)):
        (units,) = table(analysed("labels", one), "units-table").rows[:1]
        assert rows[name][3:] == pytest.approx((units[4], *units[6:9]))
        assert f"{zeros(one)} by “{name}”" in " ".join(found.sentences)
    levels = {(row[0], row[1]) for row in part(found, "levels").rows}
    assert {("reference", U), ("other", U)} <= levels


# --- orders of systems, and gains of labels -------------------------------------------------------
def dcg(gains: list[float]) -> float:
    return sum(gain / max(1, np.log2(rank)) for rank, gain in enumerate(gains, 1))


def mean_ndcg(data: StudyData, level_gain: Any, unlabelled: float) -> np.ndarray:
    """Of each run over topics; documents outside the pool have the label of `outside` or none."""
    means = []
    for topic in data.topics:
        known = dict(
            zip(topic.labelled.codes.tolist(), topic.labelled.levels.tolist(), strict=True)
        )
        worth = {code: level_gain(level) for code, level in known.items()}
        for place, level in enumerate(topic.labels):
            if np.isnan(level) and topic.counts[place] and place not in (H_K, N_K):
                worth[place] = unlabelled
        ideal = dcg(sorted(worth.values(), reverse=True)[:6])
        means.append(
            [dcg([worth.get(c, 0.0) for c in ranks.tolist()[:6]]) / ideal for ranks in topic.lists]
        )
    return np.mean(means, axis=0)


def test_gains_of_labels_give_the_unlabelled_that_of_level_0() -> None:
    """By 1+C an unlabelled document is worth 1, one that nobody judged nothing."""
    data, off = on((1, 2)), positive_only((1, 2))
    usual = mean_ndcg(data, float, 0.0)
    for some, unlabelled in ((off, 0.0), (data, 1.0)):
        rows = {row[0]: row for row in table(analysed("mappings", some), "runs").rows}
        values = mean_ndcg(some, lambda level: 1 + level, unlabelled)
        assert rows["1+C"][1] == pytest.approx(tau_b(usual, values))
    assert named.parse("1+C").gains([0.0]).tolist() == [1.0]


def test_orders_of_systems_open_with_it() -> None:
    """Whole lists count as labelled, and best units are those of pairs with the unlabelled."""
    off, found = (analysed("rankings", data) for data in (positive_only(), on()))
    all_units = "tau_nDCG_binary"
    assert found.numbers[all_units] == pytest.approx(off.numbers[all_units])  # 0 as it was
    labelled = [
        [row[table(some, "systems-ndcg").columns.index("labelled")] for row in rows]
        for some in (off, found)
        for rows in [table(some, "systems-ndcg").rows]
    ]
    assert np.mean(labelled[1]) > np.mean(labelled[0])
    assert not analysed("subruns", positive_only()).parts
    lists = table(analysed("subruns", on()), "lists").rows
    for topic, row in zip(on().topics, lists, strict=True):
        judged = np.flatnonzero((topic.counts > 0) | ~np.isnan(topic.labels)).tolist()
        whole = [{*ranks.tolist()} <= {*judged} - {N_K} for ranks in topic.lists]
        assert row[:2] == (topic.query_id, sum(whole)), "an N_k without a label is no 0"


# --- pictures by level ----------------------------------------------------------------------------
@pytest.mark.parametrize("switch", [False, True])
def test_they_are_a_group_of_their_own_in_every_picture_by_level(switch: bool) -> None:
    data = positive_only((1, 2), unlabelled_as_zero=switch)
    judged = [(t.counts > 0) & np.isnan(t.labels) for t in data.topics]
    levels = analysed("levels", data)
    by_level = {row[0]: row for row in table(levels, "by-level").rows}
    assert [*by_level] == ["1", "2", U]
    of_u = np.concatenate([t.gains[mask] for t, mask in zip(data.topics, judged, strict=True)])
    assert by_level[U][1:3] == pytest.approx((len(of_u), np.median(of_u)))
    for name in ("all-topics", "by-topic"):
        drawn = part(levels, name)
        assert isinstance(drawn, Figure)
        assert any(U in str(row) for row in drawn.rows)
        assert "U" in str(drawn.data[ROWS])
        assert "U: unlabelled" in drawn.reading
    profiles = analysed("profiles", data)
    multiples = np.concatenate(
        [
            (t.scores / t.scores[np.arange(len(t.scores)), (t.places == N_K).argmax(1)][:, None])[
                np.isnan(t.labels)[t.places]
            ]
            for t in data.topics
        ]
    )
    row = next(row for row in part(profiles, "profiles").rows if row[0] == U)
    assert (row[1], row[4]) == pytest.approx((len(multiples), np.median(multiples)))
    pairs = [row[1] for row in part(analysed("labels", data), "levels").rows]
    assert pairs == (["U, 1", "U, 2", "1, 2", "all"] if switch else ["all"])


def test_beside_labels_of_0_they_stay_apart() -> None:
    """A pair of U and 0 has equal labels; pairs of either with 1 are counted each by itself."""
    data = random_study(levels=(0, 1), labelled=0.6, units=30)
    found = analysed("labels", make_study(*data.topics, unlabelled_as_zero=True))
    rows = {row[1]: row for row in table(found, "levels-table").rows}
    assert [*rows] == ["U, 1", "0, 1", "all"]
    of_u, of_0, every = (rows[name][4] for name in rows)
    assert of_u + of_0 == every
    assert of_u == sum(
        int((np.isnan(t.labels) & (t.counts > 0))[2:].sum() * (t.labels[2:] == 1).sum())
        if (t.counts[2:][t.labels[2:] == 1] > 0).all()
        else pytest.fail("a labelled document was not judged")
        for t in data.topics
    )


def test_levels_given_to_them_have_a_row() -> None:
    found = analysed("levels_given", graded(positive_only((1, 2))))
    assert [row[0] for row in table(found, "by-label").rows] == ["1", "2", U]
