"""What is said of the order of documents, of workers and of topics, against plain computations."""

import dataclasses
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import stats

from evaluation.analyses.agreement.topic_correlations import (
    NOT_OF_SCORES,
    correlations,
    strongest,
)
from evaluation.analyses.agreement.topics import PROPERTIES
from evaluation.analyses.scores import order
from evaluation.analyses.scores.order_effects import BEFORE
from evaluation.presentation.frame import Column, Frame
from evaluation.presentation.parts import Figure
from evaluation.study.data import StudyData
from evaluation.study.topics import TopicData
from tests.factory.arrays import (
    analysed,
    figures,
    make_study,
    make_topic,
    part,
    random_study,
    random_topic,
    table,
)
from web.drawing.charts import Plot


def others_of(topic: TopicData, row: int, page: int) -> list[tuple[int, int]]:
    """Where others judged the document of this page."""
    places = np.argwhere(topic.places == topic.places[row, page])
    return [(r, p) for r, p in places.tolist() if topic.workers[r] != topic.workers[row]]


def against(topic: TopicData, values: np.ndarray, row: int, page: int) -> float:
    """A logarithm less the mean of the others', the plain way."""
    others = [np.log(values[place]) for place in others_of(topic, row, page)]
    return float(np.log(values[row, page]) - np.mean(others)) if others else np.nan


def plain(data: StudyData, values: str) -> list[np.ndarray]:
    return [
        np.array(
            [
                [against(topic, getattr(topic, values), row, page) for page in range(size)]
                for row in range(units)
            ]
        )
        for topic in data.topics
        for units, size in [topic.scores.shape]
    ]


def intervals(data: StudyData, of: str, by: str) -> dict[str, Any]:
    rows = table(analysed("order", data), "intervals").rows
    return {row[2]: row[3:] for row in rows if row[:2] == (of, by)}


# --- order ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("of", "values"), [("score", "normalised"), ("seconds", "seconds")])
def test_by_position(of: str, values: str) -> None:
    data = random_study(3)
    found = intervals(data, of, "position in the unit")
    off = np.concatenate(plain(data, values))
    for page in range(6):
        known = off[:, page][~np.isnan(off[:, page])]
        assert found[str(page + 1)][0] == len(known)
        assert found[str(page + 1)][2] == pytest.approx(np.exp(known.mean()))


def test_by_the_score_before() -> None:
    data = random_study(4)
    expected: dict[int, list[float]] = {}
    for topic, off in zip(data.topics, plain(data, "normalised"), strict=True):
        above = topic.scores / np.exp(np.log(topic.scores).mean(axis=1, keepdims=True))
        for row in range(len(off)):
            for page in range(1, 6):
                rest = [off[row, p] for p in range(6) if p not in (page, page - 1)]
                rest = [value for value in rest if not np.isnan(value)]
                if rest and not np.isnan(off[row, page]):
                    bin_of = sum(above[row, page - 1] >= border for border in BEFORE)
                    expected.setdefault(bin_of, []).append(off[row, page] - np.mean(rest))
    found = list(intervals(data, "score", "score before").values())
    assert [row[0] for row in found] == [len(expected[b]) for b in sorted(expected)]
    assert [row[2] for row in found] == pytest.approx(
        [np.exp(np.mean(expected[b])) for b in sorted(expected)]
    )


def many_units(change: Callable[[np.ndarray, np.ndarray], np.ndarray], seed: int) -> StudyData:
    """Scores by 300 workers, changed in a way that depends on what came before."""
    topic = random_topic(seed, 300, 30, 8, (0, 1, 2), 0, 10, 1.0, "401", sure=0.4)
    scores = change(topic.scores.copy(), topic.places)
    return make_study(make_topic(scores, topic.places, topic.labels.tolist()))


def test_a_first_page_that_is_scored_higher_is_found() -> None:
    def change(scores: np.ndarray, places: np.ndarray) -> np.ndarray:
        scores[:, 0] *= 2
        return scores

    found = intervals(many_units(change, 1), "score", "position in the unit")
    # Twice as much as the others, of whom an eighth had it first too, less the unit's own eighth.
    assert found["1"][2] == pytest.approx(2 ** (7 / 8), rel=0.15)
    assert found["1"][-1]
    assert found["1"][3] > 1


@pytest.mark.parametrize("power", [0.4, -0.4])
def test_a_score_that_depends_on_the_one_before_is_found(power: float) -> None:
    def change(scores: np.ndarray, places: np.ndarray) -> np.ndarray:
        levels = np.log(scores) - np.log(scores).mean(axis=1, keepdims=True)
        scores[:, 1:] *= np.exp(power * levels[:, :-1])
        return scores

    rows = intervals(many_units(change, 2), "score", "score before")
    low, high = rows["¼ to ½"], rows["2 to 4"]
    assert (low[-1], high[-1]) == (True, True)
    assert (low[2] < 1 < high[2]) if power > 0 else (high[2] < 1 < low[2])


def test_where_nothing_matters_no_figure_claims_an_effect_but_in_a_twentieth_of_studies() -> None:
    """Though in most studies some interval of some effect excludes 1."""
    claimed: Counter[str] = Counter()
    some = 0
    for seed in range(40):
        found = analysed("order", many_units(lambda s, p: s, 100 + seed))
        claimed.update(figure.name for figure in figures(found))
        some += any(row[-1] for row in table(found, "intervals").rows)
    assert some > 20
    assert max(claimed.values(), default=0) <= 5


def test_where_nothing_matters_about_a_twentieth_of_intervals_exclude_1() -> None:
    rows = [
        row
        for seed in range(30)
        for row in table(
            analysed("order", many_units(lambda s, p: s, 100 + seed)), "intervals"
        ).rows
        if not np.isnan(row[6])
    ]
    assert len(rows) > 700
    assert 0.025 < np.mean([row[-1] for row in rows]) < 0.075


def test_effects_without_a_finding_are_one_line_and_no_picture() -> None:
    same = make_topic([[1, 8, 2, 4]] * 8, [[0, 1, 2, 3]] * 8, [0, 1, 0, 1])
    found = analysed("order", make_study(same))
    assert [part.name for part in found.parts] == ["intervals"]


def test_intervals_that_chance_makes_are_no_finding_and_no_picture() -> None:
    """Of 40 intervals many may exclude a factor of 1 alone, and none for so many."""
    row = ("position", "score", "position", "1", 9, 9, 1.1, 1.01, 1.2, 0.3, True)
    for shown, out in ((0, 4), (1, 4), (0, 0)):
        rows = [row] * out + [(*row[:7], 0.9, 1.2, 1.0, False)] * (40 - out)
        rows[:shown] = [(*row[:9], 0.01, True)] * shown
        found = Frame.of_rows(order.COLUMNS, rows)
        assert len(order.shown(found)) == shown


def test_a_factor_is_drawn_on_an_axis_of_ratios_without_intervals_of_few_workers() -> None:
    """Twice as much on the first page; two of the workers alone have done more than one unit."""
    topic = random_topic(1, 302, 30, 8, (0, 1, 2), 0, 10, 1.0, "401", sure=0.4)
    scores = topic.scores.copy()
    scores[:, 0] *= 2
    workers = [*range(300), 0, 1]
    data = make_study(make_topic(scores, topic.places, topic.labels.tolist(), workers=workers))
    experienced = intervals(data, "seconds", "units completed before")["1"]
    assert experienced[1] == 2
    assert np.isnan(experienced[3:5]).all()
    assert not experienced[-1]
    first = part(analysed("order", data), "position")
    assert isinstance(first, Figure)
    assert isinstance(first.chart, Plot)
    assert {mark.y.kind for mark in first.chart.marks if mark.y} == {"log"}


def test_experience_is_that_of_the_whole_study() -> None:
    data = random_study(5)
    found = intervals(data, "seconds", "units completed before")
    before = np.concatenate([np.repeat(topic.earlier, 6) for topic in data.topics])
    known = ~np.isnan(np.concatenate([off.ravel() for off in plain(data, "seconds")]))
    assert found["0"][0] == (known & (before == 0)).sum()
    assert found["2–3"][0] == (known & (before >= 2) & (before < 4)).sum()


# --- workers ----------------------------------------------------------------------------------


def test_every_worker_in_the_table_the_plain_way() -> None:
    data = random_study(6)
    found = table(analysed("workers", data), "workers")
    columns = {name: place for place, name in enumerate(found.columns)}
    rows = {row[0]: row for row in found.rows}
    agreement = [row[columns["agreement"]] for row in found.rows]
    assert agreement == sorted(agreement, key=lambda a: (np.isnan(a), a))
    for code, worker in enumerate(data.workers):
        row = {name: rows[worker][place] for name, place in columns.items()}
        own, others, raw, seconds, failed = [], [], [], [], 0
        for topic, off in zip(data.topics, plain(data, "normalised"), strict=True):
            mine = topic.workers == code
            known = mine[:, None] & ~np.isnan(off)
            own += (np.log(topic.normalised[known]) - np.log(topic.gamma)).tolist()
            others += (np.log(topic.normalised[known]) - np.log(topic.gamma) - off[known]).tolist()
            raw += topic.scores[mine].ravel().tolist()
            seconds += topic.seconds[mine].ravel().tolist()
            failed += int(topic.failed[mine].sum())
        assert row["judgments"] == len(raw)
        assert row["units"] == len(raw) / 6
        if raw:
            assert row["median_seconds"] == np.median(seconds)
            assert row["agreement"] == pytest.approx(
                stats.spearmanr(own, np.round(others, 9)).statistic
            )
            assert row["distance"] == pytest.approx(
                np.exp(np.mean(np.abs(np.subtract(own, others))))
            )
        assert row["distinct_scores"] == len(set(raw))
        assert row["failed_finishes"] == failed


def test_ratios_and_repeated_words_of_a_worker() -> None:
    topic = make_topic(
        [[1, 2, 4], [10, 15, 30], [1, 2, 3]], [[0, 1, 2]] * 3, [0, 1, 0], workers=[0, 0, 1]
    )
    topic = dataclasses.replace(topic, words=np.array([[5, 5, 5], [5, 6, 7], [5, 8, 9]]))
    found = table(analysed("workers", make_study(topic)), "workers")
    rows = {row[0]: dict(zip(found.columns, row, strict=True)) for row in found.rows}
    first, second = rows["worker-0"], rows["worker-1"]
    assert (first["one_figure"], first["two_figures"], first["repeated_words"]) == (0.5, 1, 0.5)
    assert (second["one_figure"], second["repeated_words"]) == (1, 0)


# --- topics -----------------------------------------------------------------------------------


def test_topics_side_by_side_the_plain_way() -> None:
    data = random_study(7, topics=6)
    found = analysed("topics", data)
    topics = table(found, "topics")
    columns = {name: place for place, name in enumerate(topics.columns)}
    for topic, row in zip(data.topics, topics.rows, strict=True):
        assert row[columns["failed"]] == np.mean(topic.failed > 0)
        assert row[columns["median_seconds"]] == np.median(topic.seconds)
        scores = [topic.normalised[topic.places == place] for place in range(16)]
        ratios = [given.max() / given.min() for given in scores if len(given) > 1]
        assert row[columns["median_ratio"]] == pytest.approx(np.median(ratios))
        for name, kept in (("", [0, 1]), ("_no_anchors", [])):
            agreed = []
            for shown, given in zip(topic.places, topic.scores, strict=True):
                pages = [p for p in range(6) if shown[p] > 1 or shown[p] in kept]
                pairs = [
                    given[a] <= given[b]
                    for a in pages
                    for b in pages
                    if topic.labels[shown[a]] < topic.labels[shown[b]]
                ]
                agreed += [np.mean(pairs)] if pairs else []
            assert row[columns[f"unit_agreement{name}"]] == pytest.approx(np.mean(agreed))
    together = {row[:2]: row[3] for row in table(found, "together").rows}
    one, other = ([row[columns[name]] for row in topics.rows] for name in ("alpha", "mean_ndcg"))
    assert together["alpha", "mean nDCG"] == pytest.approx(stats.spearmanr(one, other).statistic)


def test_how_topics_go_together_is_said_from_five_on() -> None:
    assert [part.name for part in analysed("topics", random_study(topics=4)).parts] == [
        "side-by-side",
        "topics",
    ]
    names = [part.name for part in analysed("topics", random_study(topics=5)).parts]
    assert names == ["side-by-side", "topics", "together"]


def topics_of(rng: np.random.Generator, topics: int, **given: np.ndarray) -> Frame:
    """Topics whose properties are random, unless they are given."""
    names = "alpha", "median_ratio", "unit_agreement", "failed", "median_seconds", "mean_ndcg"
    values = {name: given.get(name, rng.random(topics)) for name in names}
    return Frame.of(
        **{name: Column(of, PROPERTIES[name].head, panel=name) for name, of in values.items()}
    )


def claim_of(topics: Frame) -> str:
    return strongest(topics, correlations(topics, 1))


@pytest.mark.parametrize("topics", [5, 12])
def test_properties_without_any_correlation_are_claimed_to_have_one_in_a_twentieth(
    topics: int,
) -> None:
    rng = np.random.default_rng(topics)
    claims = [claim_of(topics_of(rng, topics)) for _ in range(60)]
    assert sum("most strongly" in claim for claim in claims) <= 6


def test_a_correlation_of_different_data_is_claimed_and_of_the_same_scores_never() -> None:
    rng, rising = np.random.default_rng(3), np.arange(20.0)
    of_scores = [name for name in PROPERTIES if name not in NOT_OF_SCORES]
    same = topics_of(rng, 20, **dict.fromkeys(of_scores, rising))
    assert correlations(same, 1)["spearman"][0] == 1
    assert correlations(same, 1)["same_scores"][0] == "yes"
    assert claim_of(same).startswith("No two of these")
    slow = topics_of(rng, 20, failed=rising, median_seconds=rising)
    claim = claim_of(slow)
    assert "units with a failed Finish and median seconds are most strongly" in claim
