"""What is said of systems: values on small studies, and no stumbling over strange ones."""

import dataclasses
import math
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from scipy.stats import kendalltau, wilcoxon

from evaluation.analyses.systems import best_units, other_choices, ranked_systems
from evaluation.presentation.frame import ROWS
from evaluation.study import scoring
from evaluation.study.topics import TopicData, centred_without_anchors, rescaled
from judging.models import Study
from tests.acceptance import naive
from tests.factory.arrays import (
    STRANGE,
    analysed,
    figures,
    make_study,
    make_topic,
    random_study,
    table,
)

NDCG = "nDCG(dcg='jk')@10"


# --- in plain Python --------------------------------------------------------------------------


def by_labels(
    topic: TopicData, kind: str = "graded", gain: Callable[[float], float] = lambda level: level
) -> dict[int, float]:
    """The gains of all labelled documents, by code."""
    levels = zip(topic.labelled.codes.tolist(), topic.labelled.levels.tolist(), strict=True)
    return {code: gain(level) if kind == "graded" else float(level > 0) for code, level in levels}


def by_magnitudes(topic: TopicData, gains: Sequence[float] | None = None) -> dict[int, float]:
    given = topic.gains if gains is None else gains
    return {c: g for c, g in zip(topic.codes.tolist(), given, strict=True) if not math.isnan(g)}


def values(measure: str, topics: Sequence[TopicData], known: list[dict[int, float]]) -> np.ndarray:
    """(topics, runs)."""
    return np.array(
        [
            [
                naive.MEASURES[measure](
                    [gains.get(code, 0.0) for code in listed if code >= 0], list(gains.values()), 10
                )
                for listed in topic.lists.tolist()
            ]
            for topic, gains in zip(topics, known, strict=True)
        ]
    )


def tau(one: np.ndarray, other: np.ndarray) -> float:
    return float(kendalltau(one.mean(axis=0).round(12), other.mean(axis=0).round(12)).statistic)


def top(of: np.ndarray) -> set[int]:
    best = int(of.mean(axis=0).round(12).argmax())
    differences = (of[:, [best]] - of).round(12)
    return {
        run
        for run, column in enumerate(differences.T)
        if not column.any() or wilcoxon(column).pvalue >= 0.05
    }


def best_three(topic: TopicData, kind: str, wanted: Sequence[bool] | None = None) -> list[float]:
    """The median of each document's scores from the units that agree best with the labels."""

    def order(unit: int) -> tuple[float, int, int]:
        seen = list(zip(topic.scores[unit], topic.shown_labels[unit], strict=True))
        known = [(s, float(c > 0) if kind == "binary" else c) for s, c in seen if not np.isnan(c)]
        pairs = [(a, b) for a in known for b in known if a[1] < b[1]]
        right = sum(a[0] <= b[0] for a, b in pairs)
        share = round(right / len(pairs), 12) if pairs else -1.0
        return -share, len(seen) - len(known), int(topic.numbers[unit])

    found = []
    for place in range(len(topic.doc_ids)):
        units = [unit for unit, shown in enumerate(topic.places.tolist()) if place in shown]
        of_kind = [unit for unit in units if wanted is None or wanted[unit]] or units
        scores = [
            topic.normalised[unit, topic.places[unit].tolist().index(place)]
            for unit in sorted(of_kind, key=order)[:3]
        ]
        found.append(naive.median(scores) if scores else math.nan)
    return found


# --- rankings and best units ------------------------------------------------------------------


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_rankings_are_those_of_a_plain_loop(seed: int) -> None:
    data = random_study(seed, topics=9, runs=8)
    found = analysed("rankings", data)
    rows = {tuple(row[:3]): row[3:] for row in table(found, "agreement").rows}
    for measure in naive.MEASURES:
        for kind in ("binary", "graded"):
            first = values(measure, data.topics, [by_labels(t, kind) for t in data.topics])
            sources = {
                "all units": [by_magnitudes(t) for t in data.topics],
                "3 best units": [by_magnitudes(t, best_three(t, kind)) for t in data.topics],
            }
            for units, known in sources.items():
                other = values(measure, data.topics, known)
                systems_, topics, found_tau, low, high, *sizes, share = rows[measure, kind, units]
                assert (systems_, topics) == (8, 9)
                assert found_tau == pytest.approx(tau(first, other))
                assert low < found_tau < high
                a, b = top(first), top(other)
                assert sizes == [len(a), len(b), len(a & b)]
                assert share == pytest.approx(len(a & b) / len(a))


def test_all_systems_with_means_ranks_and_coverage() -> None:
    lists = [[0, 1, 4, 9], [4, 5, -1, -1], [2, 3, 1, 0]]
    places = [[0, 1, 2, 3], [3, 2, 1, 0]]
    data = make_study(make_topic([[1, 8, 2, 4], [1, 2, 4, 1]], places, [0, 2, 1, math.nan], lists))
    of = table(analysed("rankings", data), "systems-ndcg")
    first = values(NDCG, data.topics, [by_magnitudes(t) for t in data.topics])[0]
    rows = {row[0]: dict(zip(of.columns, row, strict=True)) for row in of.rows}
    for run, name in enumerate(data.runs):
        assert rows[name]["mean_by_magnitudes"] == pytest.approx(first[run])
    assert [rows[name]["judged"] for name in data.runs] == [0.5, 0.0, 1.0]
    assert [rows[name]["labelled"] for name in data.runs] == [0.5, 0.0, 0.75]
    assert of.rows[-1][0] == "run-01"  # nothing that it found is judged
    assert rows["run-01"]["rank_by_graded_labels"] == 3


def test_labels_of_documents_outside_the_pool_are_in_the_ideal() -> None:
    topic = random_study(topics=1, labelled=1.0).topics[0]
    size = len(topic.doc_ids)
    outside = make_topic(
        topic.scores, topic.places, topic.labels.tolist(), topic.lists, outside=[3, 3, 3]
    )
    assert outside.labelled.codes.max() == size + 2
    found = [
        scoring.measure([t], [scoring.labels(t, scoring.KINDS["graded"])], scoring.first(Study()))
        for t in (topic, outside)
    ]
    plain = values(NDCG, [outside], [by_labels(outside)])
    assert found[1].values == pytest.approx(plain)
    assert (found[1].values < found[0].values)[found[0].values > 0].all()


def test_binary_labels_are_said_once() -> None:
    found = analysed("rankings", random_study(levels=(0, 1), topics=7))
    assert {row[1] for row in table(found, "agreement").rows[:-2]} == {"binary"}
    assert [part.name for part in figures(found)] == ["ndcg-binary", "err-binary"]


def test_every_dot_is_named_by_its_system() -> None:
    data = random_study(topics=7)
    for figure in figures(analysed("rankings", data)):
        dots = figure.data[ROWS]
        assert [dot["name"].split(": ")[0] for dot in dots] == data.runs * 2
        assert [row[1] for row in figure.rows] == data.runs * 2


def test_a_topic_without_labels_is_left_out() -> None:
    data = STRANGE["a topic without labels"]()
    found = analysed("rankings", data)
    assert table(found, "agreement").rows[0][4] == 2


# --- simulated systems ------------------------------------------------------------------------


def test_simulated_systems_take_complete_lists_alone() -> None:
    data = random_study(5, topics=7, runs=12, labelled=0.8)
    kept, made = ranked_systems.draw(data)
    for place, topic in enumerate(kept):
        known = set(topic.labelled.codes.tolist())
        complete = {run for run, codes in enumerate(topic.lists.tolist()) if {*codes} <= known}
        assert made.lists[place] == len(complete) >= 2
        assert set(made.choices[:, place].tolist()) <= complete
    left = {t.query_id for t in data.topics} - {t.query_id for t in kept}
    assert left  # or nothing was tested
    first = values(NDCG, kept, [by_labels(t) for t in kept])
    other = values(NDCG, kept, [by_magnitudes(t) for t in kept])
    chosen = [np.take_along_axis(of, made.choices.T, axis=1) for of in (first, other)]
    rows = {tuple(row[:3]): row for row in table(analysed("subruns", data), "agreement").rows}
    row = rows[NDCG, "graded", "all units"]
    assert row[3:5] == (100, len(kept))
    assert row[5] == pytest.approx(tau(*chosen))


# --- resampling -------------------------------------------------------------------------------


def test_draws_of_single_scores_are_all_alike() -> None:
    data = STRANGE["one score a document"]()
    for row in table(analysed("resampling", data), "quantiles").rows:
        if row[0] == "runs":
            low, *_, high = row[2:7]
            assert high - low < 1.5
    # Anchors have several scores; without them in any list nothing is left to chance.
    free = make_study(
        *(dataclasses.replace(t, lists=np.where(t.lists < 2, -1, t.lists)) for t in data.topics)
    )
    rows = [r for r in table(analysed("resampling", free), "quantiles").rows if "nDCG" in r[1]]
    assert len(rows) >= 2


def test_draws_come_from_the_scores_of_each_document() -> None:
    """Two documents of which one is always above the other, and two systems."""
    places = np.tile([0, 1], (3, 1))
    topics = [
        make_topic([[1, 10], [2, 30], [1, 5]], places, [0, 1], [[1], [0]], query_id=q)
        for q in ("401", "402")
    ]
    rows = table(analysed("resampling", make_study(*topics)), "quantiles").rows
    assert [row[2:] for row in rows] == [(1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0)] * 2


def test_draws_depend_on_the_seed_alone() -> None:
    def rows(seed: int) -> object:
        data = dataclasses.replace(random_study(2, topics=3), seed=seed)
        return [part.rows for part in analysed("resampling", data).parts]

    assert rows(1) == rows(1)
    assert rows(1) != rows(2)


# --- mappings ---------------------------------------------------------------------------------


def test_mappings_against_a_plain_loop() -> None:
    data = random_study(4, topics=8, runs=9)
    formulas: dict[str, Callable[[float], float]] = {
        "C": lambda c: c,
        "100C": lambda c: 100 * c,
        "10+C": lambda c: 10 + c,
        "10^(1+C)": lambda c: 10 ** (1 + c),
        "2^(1+C)": lambda c: 2 ** (1 + c),
    }
    rows = {row[0]: row for row in table(analysed("mappings", data), "runs").rows}
    for place, measure in enumerate(naive.MEASURES):
        found = {
            name: values(measure, data.topics, [by_labels(t, gain=gain) for t in data.topics])
            for name, gain in formulas.items()
            # Plain powers overflow with ERR.
            if measure == NDCG or "^" not in name
        }
        for name, of in found.items():
            assert rows[name][1 + place] == pytest.approx(tau(found["C"], of))
            a, b = top(found["C"]), top(of)
            assert rows[name][3 + place] == pytest.approx(len(a & b) / len(a))


def test_a_gain_that_is_no_number_is_a_dash_with_a_reason() -> None:
    of = table(analysed("mappings", random_study(levels=(0, 1, 1100))), "runs")
    rows = {row[0]: row for row in of.rows}
    assert np.isnan(rows["10^(1+C)"][1:5]).all()
    assert not np.isnan(rows["100+C"][1])
    assert any("10^(1+C) of label 1100.0 is no finite number" in note for note in of.notes)


# --- widths -----------------------------------------------------------------------------------


def test_narrow_and_wide_units_against_a_plain_loop() -> None:
    data = random_study(7, topics=8, units=8, runs=9)
    ratios = {
        t.query_id: [
            float(s[p.tolist().index(t.h_k)] / s[p.tolist().index(t.n_k)])
            for s, p in zip(t.scores, t.places, strict=True)
        ]
        for t in data.topics
    }
    middle = naive.median([ratio for of in ratios.values() for ratio in of])
    found = analysed("widths", data)
    of = table(found, "widths")
    rows = {tuple(row[:3]): row[3:] for row in of.rows}
    first = values(NDCG, data.topics, [by_labels(t, "binary") for t in data.topics])
    fell_back = []
    for place, width in enumerate(("narrow", "wide", "all")):
        wanted = {
            q: None if width == "all" else [(ratio < middle) == (width == "narrow") for ratio in r]
            for q, r in ratios.items()
        }
        other = values(
            NDCG,
            data.topics,
            [by_magnitudes(t, best_three(t, "binary", wanted[t.query_id])) for t in data.topics],
        )
        assert rows["runs", "binary", NDCG][place] == pytest.approx(tau(first, other))
        fell_back.append(
            sum(
                not any(place in shown for shown, ok in zip(t.places, of_kind, strict=True) if ok)
                for t in data.topics
                for of_kind in [wanted[t.query_id] or [True] * len(t.places)]
                for place in np.unique(t.places).tolist()
            )
        )
    assert min(fell_back[:2]) > 0
    assert not fell_back[2]
    pairs = int((data.documents.counts > 0).sum())
    assert of.notes[0].startswith(f"Of {pairs} documents on the topics of runs, {fell_back[0]} (")
    assert f"no narrow unit and {fell_back[1]} (" in of.notes[0]
    (histogram,) = figures(found)
    assert sum(row[2] for row in histogram.rows) == len(data.units)


# --- other choices ----------------------------------------------------------------------------


def test_choices_keep_the_units_that_they_name() -> None:
    data = random_study(3, topics=3, units=20)
    texts = np.array([["3", "7", "1", "2", "9", "10"]] * 20, dtype=object)
    data = make_study(*(dataclasses.replace(t, texts=texts) for t in data.topics))
    rows = {row[0]: row for row in table(analysed("sensitivity", data), "choices").rows}
    assert rows["no failed finish"][1] == sum(int((t.failed == 0).sum()) for t in data.topics) < 60
    first = sum(int((t.earlier == 0).sum()) for t in data.topics)
    assert rows["first unit of a worker"][1] == first < 60
    assert rows["two-figure ratios"][1:4] == (
        0,
        0,
        int((data.documents.counts > 0).sum()),
    )  # 7/3 does not end
    assert np.isnan(rows["two-figure ratios"][4:]).all()
    assert rows["normalised: median"][1] == 60


def test_ten_thousand_times_is_far() -> None:
    scores = [[0.7, 7000.0, 2], [0.7, 6999, 2], [0.3, 3000, 2], [1e-9, 1e12, 2]]
    (topic,) = make_study(make_topic(scores, np.tile([0, 1, 2], (4, 1)), [0, 1, 0])).topics
    data = make_study(topic)
    assert dict(other_choices.choices(data))["max / min below 10,000"](topic).units == 1


def test_a_choice_normalises_what_is_left() -> None:
    (topic,) = random_study(6, topics=1).topics
    keeps = topic.failed == 0
    alone = make_topic(topic.scores[keeps], topic.places[keeps], topic.labels.tolist(), topic.lists)
    found = rescaled(topic, keeps)
    np.testing.assert_allclose(found.gains, alone.gains, rtol=1e-12)
    assert found.units == int(keeps.sum()) < len(topic.scores)


@pytest.mark.parametrize("scheme", ["median", "midrange", "anchors", "none"])
def test_other_normalisations(scheme: str) -> None:
    (topic,) = random_study(6, topics=1).topics
    other = make_topic(
        topic.scores, topic.places, topic.labels.tolist(), topic.lists, normalisation=scheme
    )
    np.testing.assert_array_equal(rescaled(topic, normalisation=scheme).gains, other.gains)


def test_centres_without_anchors_bring_the_other_documents_together() -> None:
    (topic,) = random_study(8, topics=1).topics
    found = centred_without_anchors(topic).gains
    moved: dict[int, list[float]] = {}
    others = [
        [(p, s) for p, s in zip(ps, ss, strict=True) if p > 1]
        for ps, ss in zip(topic.places.tolist(), topic.scores.tolist(), strict=True)
    ]
    whole = naive.mean([math.log(s) for unit in others for _, s in unit])
    for unit, ps, ss in zip(others, topic.places.tolist(), topic.scores.tolist(), strict=True):
        centre = naive.mean([math.log(s) for _, s in unit])
        for place, score in zip(ps, ss, strict=True):
            moved.setdefault(place, []).append(score * math.exp(whole - centre))
    for place, scores in moved.items():
        assert found[place] == pytest.approx(naive.median(scores))


def test_the_choice_that_changes_nothing_agrees_wholly() -> None:
    data = random_study(9, topics=7)
    steady = make_study(
        *(dataclasses.replace(t, failed=np.zeros_like(t.failed)) for t in data.topics)
    )
    rows = {row[0]: row for row in table(analysed("sensitivity", steady), "choices").rows}
    taus = [rows["no failed finish"][4], rows["no failed finish"][7]]
    assert taus == [1.0, 1.0]
    assert rows["no failed finish"][3] == 0
    assert any(row[4] < 1 for row in rows.values())
    assert [name for name, _ in other_choices.choices(data)] == [*rows]


def test_best_units_know_no_other_labels() -> None:
    """Binary labels: a unit that confuses levels 1 and 3 is as good as any."""
    places = np.tile([0, 1, 2, 3], (4, 1))
    scores = [[1, 2, 9, 3], [1, 9, 3, 2], [1, 8, 2, 9], [5, 1, 1, 1]]
    (topic,) = make_study(make_topic(scores, places, [0, 3, 1, 2])).topics
    binary = best_units.gains(topic, scoring.KINDS["binary"])
    graded = best_units.gains(topic, scoring.KINDS["graded"])
    assert binary.tolist() == pytest.approx(best_three(topic, "binary"))
    assert graded.tolist() == pytest.approx(best_three(topic, "graded"))
