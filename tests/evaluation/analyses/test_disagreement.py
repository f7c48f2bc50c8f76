"""What is learnt from it that judges differ: values on small studies, none of them a stumble."""

from collections.abc import Callable
from itertools import combinations, permutations

import numpy as np
import pytest

from evaluation.analyses import in_levels, of_section
from evaluation.analyses.data import StudyData
from evaluation.comparison.judge_robustness import judge_robustness
from evaluation.gains.disagreement import disagreement
from tests.acceptance import naive
from tests.evaluation.analyses.making import STRANGE, analysed, random_study, table
from tests.evaluation.analyses.opinions_made import (
    LEVELS,
    STRANGE_OPINIONS,
    graded_study,
    imported_study,
    random_opinions,
)

NAMES = ["weights", "prediction", "consistency", "robustness", "users", "aspects"]
EVERY: dict[str, Callable[[], StudyData]] = STRANGE | STRANGE_OPINIONS


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("make", EVERY.values(), ids=EVERY)
def test_strange_studies(name: str, make: Callable[[], StudyData]) -> None:
    kept = analysed(name, make()).kept()
    assert kept["says"]
    assert "not defined" not in " ".join(kept["says"])
    assert "nan" not in " ".join(kept["says"]).split()
    assert len({part["name"] for part in kept["parts"]}) == len(kept["parts"])
    for part in kept["parts"]:
        assert "not defined" not in part["says"]
        assert part["rows"], part["name"]
        assert all(len(row) == len(part["columns"]) for row in part["rows"])
        if any(cell is None for row in part["rows"] for cell in row) and part["kind"] == "table":
            assert "dash" in " ".join(part["notes"]), part["name"]


@pytest.mark.parametrize("name", NAMES)
def test_the_same_seed_says_the_same(name: str) -> None:
    assert analysed(name, random_opinions()).kept() == analysed(name, random_opinions()).kept()


def two_levels() -> StudyData:
    """A study in which all judges agree."""
    rng = np.random.default_rng(12)
    best = rng.integers(0, 2, (6, 12)).tolist()
    rows = [[(d, j, best[t][d]) for d in range(12) for j in range(3)] for t in range(6)]
    lists = [rng.permutation(12)[:10].tolist() for run in range(5)]
    return imported_study(rows, levels=["no", "yes"], lists=lists)


# --- in plain Python --------------------------------------------------------------------------
def chances(data: StudyData, least: int = 2) -> dict[int, float]:
    """p(T|i), every label for itself: the mean over documents, weighed by shares of labels."""
    top = len(data.study.levels) - 1
    over: dict[int, float] = {}
    under: dict[int, float] = {}
    labels: dict[tuple[str, int], list[int]] = {}
    for topic in data.topics:
        assert topic.said
        for place, level in zip(topic.said.places, topic.said.levels, strict=True):
            if level >= 0:
                labels.setdefault((topic.query_id, int(place)), []).append(int(level))
    for given in labels.values():
        if len(given) < max(least, 2):
            continue
        for one, other in permutations(given, 2):
            weight = 1 / len(given) / (len(given) - 1)
            over[one] = over.get(one, 0) + weight * (other == top)
            under[one] = under.get(one, 0) + weight
    return {level: over[level] / under[level] for level in under}


def test_the_papers_reading_counts_every_label_for_itself() -> None:
    data = random_opinions(3, times=2)
    rows = table(analysed("weights", data), "levels").rows
    for counted, least in ((in_levels.MANY, 6), (in_levels.ALL, 2)):
        found = {row[1]: row[3] for row in rows if row[0] == counted}
        for level, p in chances(data, least).items():
            assert found[data.study.levels[level]] == pytest.approx(p)
    assert {row[0] for row in rows} == {in_levels.MANY, in_levels.ALL, in_levels.APART}
    apart = [row[3] for row in rows if row[0] == in_levels.APART]
    assert apart != [row[3] for row in rows if row[0] == in_levels.MANY]


def test_what_to_be_careful_with_goes_by_the_names_of_levels() -> None:
    data = imported_study([[(0, 0, 0), (0, 1, 2), (1, 0, 1)]])
    said = (
        "To be careful with: level Rel: no document with two judges has it; level HRel: below p of "
        "level Non."
    )
    assert said in analysed("weights", data).says


def test_weights_are_those_of_the_papers_equation() -> None:
    data = random_opinions(4)
    [row] = [
        row
        for row in table(analysed("weights", data), "levels").rows
        if row[:2] == (in_levels.ALL, "Rel")
    ]
    p = row[3]
    assert row[6:9] == pytest.approx([1 - (1 - p) ** (n - 1) for n in (2, 3, 4)])
    assert row[9] == pytest.approx(p**2)
    assert row[10] == pytest.approx(3 * p**2 * (1 - p) + p**3)
    assert row[4] < p < row[5]


def test_levels_of_a_study_judged_here_with_and_without_anchors() -> None:
    for data in (graded_study(), random_study(topics=6)):
        rows = table(analysed("weights", data), "levels").rows
        seen = {
            name: sum(row[2] for row in rows if row[0] == name) for name in (row[0] for row in rows)
        }
        anchors = 2 * data.units
        assert seen[in_levels.ALL] - seen[in_levels.OTHERS] == anchors


def test_scores_are_cut_at_thresholds_that_are_shown() -> None:
    data = random_study(topics=2)
    found = table(analysed("weights", data), "thresholds")
    for topic, row in zip(data.topics, found.rows, strict=True):
        low, high = topic.gains[topic.n_k], topic.gains[topic.h_k]
        assert row[0] == topic.query_id
        assert (row[1], row[-1]) == (low, high)
        assert row[2:5] == pytest.approx([low * (high / low) ** (at / 6) for at in (1, 3, 5)])
    assert not [
        part for part in analysed("weights", graded_study()).parts if part.name == "thresholds"
    ]


def test_topics_that_cannot_be_cut_are_counted() -> None:
    for name in NAMES[:-1]:
        says = analysed(name, STRANGE["all scores equal"]()).says
        assert says == [
            "There is no opinion in levels yet that could be disagreed with.",
            "Left out: 3 topics whose H_k has no more gain than its N_k.",
        ]


def test_one_aspect_is_taken_and_said() -> None:
    data = random_opinions(aspects=("snippet", "page"))
    assert in_levels.aspects(data) == ["page", "snippet"]
    assert len(in_levels.opinions(data).items) == len(data.opinions.items) / 2
    assert "on page, snippet; those on page are taken" in analysed("weights", data).says[-1]


def test_who_shares_most_documents() -> None:
    rows = [(0, 5, 1), (0, 6, 2), (1, 6, 0), (1, 7, 1), (2, 6, 1), (2, 7, 2), (2, 7, 0)]
    found = in_levels.best_two(imported_study([rows]).opinions)
    assert found.judges == [(0, 6, 7, 2)]
    assert found.opinions.items.tolist() == [0, 1, 1, 2, 2, 2]
    assert found.opinions.judges.tolist() == [0, 0, 1, 0, 1, 1]
    assert in_levels.best_two(imported_study([rows]).opinions, 2).judges == []


def test_the_first_two_labels_of_a_document_are_of_two_people() -> None:
    rows = [(0, 5, 1), (0, 5, 2), (0, 6, 0), (0, 7, 2), (1, 6, 1), (1, 6, 0)]
    found = in_levels.first_two(imported_study([rows]).opinions)
    assert sorted(zip(found.items, found.judges, found.levels, strict=True)) == [
        (0, 0, 1),
        (0, 1, 0),
        (1, 0, 1),
    ]


def test_nobody_to_disagree_with() -> None:
    for make, said in (
        ("imported, one judge", "No document has the opinions of two judges"),
        ("imported, one judge's repeats", "No document has the opinions of two judges"),
        ("imported, no level at all", "There is no opinion in levels yet"),
        ("no completed unit", "There is no opinion in levels yet"),
    ):
        for name in NAMES[:-1]:  # aspects have reasons of their own
            assert np.any([said in text for text in analysed(name, EVERY[make]()).says]), name


# --- prediction -------------------------------------------------------------------------------
def test_what_is_seen_by_all_draws_of_labels() -> None:
    data = random_opinions(5, topics=8, documents=20, judges=5)
    found = analysed("prediction", data)
    rows = {row[:2]: row for row in table(found, "predicted").rows}
    least = _least(data)
    assert f"with {least} labels or more" in found.says[0]
    assert rows[("1/3", "Rel")][5] == pytest.approx(_seen(data, 3, least, 1))
    assert rows[("2/3", "Rel")][5] == pytest.approx(_seen(data, 3, least, 2))
    p = chances(data, least)[1]
    assert rows[("1/3", "Rel")][2] == pytest.approx(1 - (1 - p) ** 2)
    assert rows[("1/3", "Rel")][8:] == (0.49, 0.51)
    assert rows[("1/3", "Non")][8:] == (None, None)


def _least(data: StudyData) -> int:
    """The most labels, up to six, that a hundred documents have."""
    labels = data.opinions.counts.sum(axis=1)
    return max(n for n in (3, 4, 5, 6) if (labels >= n).sum() >= 100)


def _seen(data: StudyData, n: int, least: int, of: int) -> float:
    """Share of all ordered draws of n labels that begin with Rel in which `of` are HRel."""
    counted = drawn = 0.0
    for topic in data.topics:
        assert topic.said
        for place in range(len(topic.doc_ids)):
            levels = topic.said.levels[topic.said.places == place]
            given = levels[levels >= 0].tolist()
            if len(given) < least:
                continue
            every = list(permutations(given, n))
            begin = [draw for draw in every if draw[0] == 1]
            drawn += len(begin) / len(every)
            counted += sum(draw.count(2) >= of for draw in begin) / len(every)
    return counted / drawn


def test_best_documents_that_are_expected_and_found() -> None:
    data = random_opinions(6, topics=8, documents=20, judges=5)
    figure = next(part for part in analysed("prediction", data).parts if part.name == "tops")
    for topic, row in zip(data.topics, figure.rows, strict=True):
        assert topic.said
        one = found = 0.0
        for place in range(len(topic.doc_ids)):
            levels = topic.said.levels[topic.said.places == place]
            given = levels[levels >= 0].tolist()
            if len(given) >= _least(data):
                every = list(permutations(given, 3))
                one += given.count(2) / len(given)
                found += sum(2 in draw for draw in every) / len(every)
        assert row[2:4] == pytest.approx((one, found))


def test_too_few_labels_to_see_anything() -> None:
    found = analysed("prediction", random_opinions(topics=2, judges=2))
    assert "20 documents must have 3 labels or more; 0 have" in found.says[0]
    assert not found.parts


# --- consistency ------------------------------------------------------------------------------
def _pairs(data: StudyData) -> dict[tuple[int, int], dict[int, list[int]]]:
    """The levels of each topic and document, by judge."""
    found: dict[tuple[int, int], dict[int, list[int]]] = {}
    for number, topic in enumerate(data.topics):
        assert topic.said
        said = topic.said.places, topic.said.judges, topic.said.levels
        for place, judge, level in zip(*(of.tolist() for of in said), strict=True):
            if level >= 0:
                found.setdefault((number, place), {}).setdefault(judge, []).append(level)
    return found


def test_overlap_of_any_two_judges() -> None:
    data = random_opinions(7)
    found = analysed("consistency", data)
    for level in (1, 2):
        both = either = 0.0
        for labels in _pairs(data).values():
            first = [given[0] for given in labels.values()]
            pairs = list(combinations(first, 2))
            for pair in pairs:
                both += (min(pair) >= level) / len(pairs)
                either += (max(pair) >= level) / len(pairs)
        assert found.numbers[f"overlap_{level}"] == pytest.approx(both / either)


def test_inconsistent_judges_do_not_disagree() -> None:
    """All labels are drawn alike: the same judge is as far from themself as from others."""
    found = analysed("consistency", random_opinions(2, topics=10, documents=40, judges=4, times=3))
    says = " ".join(found.says)
    assert "what looks like disagreement may be inconsistency" in says
    assert found.numbers["own"] > found.numbers["cross"] + 0.1  # labels held against themselves
    rows = {row[:3]: row[3] for row in table(found, "repeats").rows}
    once = rows[("the same judge", "two different ones", "HRel")]
    assert once == pytest.approx(rows[("another judge", "one of each", "HRel")], abs=0.05)


def test_consistent_judges_who_disagree() -> None:
    rng = np.random.default_rng(8)
    taste = rng.integers(0, 3, (2, 30)).tolist()
    rows = [
        [(document, judge, taste[judge][document]) for document in range(30) for judge in (0, 1)]
        * 2
        for _ in range(6)
    ]
    found = analysed("consistency", imported_study(rows))
    assert found.numbers["own"] == 1
    assert "judges disagree by more than they are inconsistent" in " ".join(found.says)


def test_nobody_repeats_without_being_asked() -> None:
    found = analysed("consistency", random_opinions())
    assert "No two judges labelled the same document twice each" in " ".join(found.says)
    assert not [part for part in found.parts if part.name == "repeats"]


# --- robustness -------------------------------------------------------------------------------
def test_measures_are_those_of_one_judge_by_the_other() -> None:
    data = random_opinions(9, judges=2)
    rows = {row[:2]: row for row in table(analysed("robustness", data), "robustness").rows}
    ours = judge_robustness(data.opinions, 0, 1)
    for name, mean, sd in zip(ours.names, ours.mean, ours.sd, strict=True):
        assert rows[(name, "two judges")][4:6] == pytest.approx((mean, sd))
        # With two judges only, the first two labels of a document are theirs.
        assert rows[(name, "two labels")][4:6] == pytest.approx((mean, sd))


def test_lists_are_good_by_first_labels_and_documents_count_as_often_as_listed() -> None:
    data = random_opinions(10, topics=3, documents=30, judges=7, runs=6)
    rows = {(row[0], row[3]): row for row in table(analysed("robustness", data), "dependence").rows}
    pairs = _pairs(data)
    for depth in (5, 10):
        over, under = {True: 0.0, False: 0.0}, {True: 0.0, False: 0.0}
        seen = {True: 0, False: 0}
        for number, topic in enumerate(data.topics):
            for listed in topic.lists.tolist():
                given = [pairs.get((number, place), {}) for place in listed]
                first = [next(iter(judges.values()))[0] for judges in given if judges]
                good = 2 in first
                seen[good] += 1
                for judges in given[:depth]:
                    labels = [level for said in judges.values() for level in said]
                    if len(labels) < 6:
                        continue
                    for one, other in permutations(labels, 2):
                        weight = (one == 1) / len(labels) / (len(labels) - 1)
                        over[good] += weight * (other == 2)
                        under[good] += weight
        for good, name in ((True, "good"), (False, "other")):
            if seen[good] and under[good]:
                row = rows[(f"{name} lists, top {depth}", "Rel")]
                assert row[2] == seen[good]
                assert row[5] == pytest.approx(over[good] / under[good])


def test_halves_of_topics_have_all_documents_between_them() -> None:
    rows = table(analysed("robustness", graded_study(topics=7)), "dependence").rows
    seen = {
        name: sum(row[4] for row in rows if row[0] == name) for name in {row[0] for row in rows}
    }
    less, more = (seen[f"topics, {how} agreement"] for how in ("less", "more"))
    assert less + more == seen["all documents"]


def test_one_topic_has_no_others_to_learn_from() -> None:
    found = analysed("robustness", random_opinions(topics=1))
    assert "there is but one" in " ".join(found.says)
    assert [part.name for part in found.parts] == ["groups", "dependence"]


# --- rankings ---------------------------------------------------------------------------------
def test_systems_by_the_mean_weight_of_labels() -> None:
    data = random_opinions(11, topics=7, documents=30, runs=6)
    p = disagreement(data.opinions).p
    weight = [0.0, 1 - (1 - p[1]) ** 2, 1.0]
    pairs = _pairs(data)
    means = []
    for run in range(len(data.runs)):
        values = []
        for number, topic in enumerate(data.topics):
            gains = [
                naive.mean([weight[level] for said in judges.values() for level in said])
                for place in range(len(topic.doc_ids))
                for judges in [pairs.get((number, place), {})]
            ]
            ranked = [gains[place] for place in topic.lists[run].tolist()]
            best = sorted(gains, reverse=True)[:10]
            values.append(_dcg(ranked) / _dcg(best))
        means.append(naive.mean(values))
    rows = {row[0]: row for row in table(analysed("users", data), "all-systems").rows}
    assert [rows[name][3] for name in data.runs] == pytest.approx(means)


def _dcg(gains: list[float]) -> float:
    return sum(gain / np.log2(rank + 1) for rank, gain in enumerate(gains, 1))


def test_of_two_levels_the_chance_after_the_lower_one_is_drawn() -> None:
    found = analysed("robustness", two_levels())
    figure = next(part for part in found.parts if part.name == "groups")
    assert {row[1] for row in figure.rows} == {"no"}


def test_gains_that_say_the_same_give_the_same_order() -> None:
    """Where judges agree on two levels, the chances are the levels."""
    found = analysed("users", two_levels())
    taus = [row[4] for row in table(found, "orders").rows]
    assert taus == pytest.approx([1.0] * 12)
    figure = next(part for part in found.parts if part.name == "tau")
    assert figure.says == "Chances as gains leave the order of systems as it is"


def test_own_gains_stand_beside_the_chances() -> None:
    data = random_study(topics=7)
    rows = table(analysed("users", data), "orders").rows
    own = [row for row in rows if row[1] == "the study's own gains"]
    assert [row[2] for row in own] == ["reference labels"] * 4
    assert len(rows) == 4 + 3 * 4 * 2


# --- aspects ----------------------------------------------------------------------------------
def test_combined_levels_of_the_same_judge_and_document() -> None:
    """Rows of other judges, documents, or aspects in between do not matter."""
    rows: list[list[tuple[int, int, int]]] = []
    aspects: list[list[str]] = []
    rng = np.random.default_rng(13)
    pairs: list[list[tuple[int, int]]] = []
    for _ in range(4):
        said = []
        for document in range(20):
            pairs.append([])
            for judge in range(3):
                snippet, page = rng.integers(0, 3, 2).tolist()
                said += [((document, judge, snippet), "snippet"), ((document, judge, page), "page")]
                pairs[-1].append((snippet, page))
        order = rng.permutation(len(said)).tolist()
        rows.append([said[at][0] for at in order])
        aspects.append([said[at][1] for at in order])
    found = table(analysed("aspects", imported_study(rows, aspects=aspects)), "combined")
    assert found.columns[:2] == ("snippet", "page")
    for snippet, page, labels, few, p, weight, _ in found.rows:
        at = LEVELS.index(snippet), LEVELS.index(page)
        beside = [
            other == (2, 2) for of in pairs for one, other in permutations(of, 2) if one == at
        ]
        assert labels == len(beside) / 2
        assert few == ("yes" if labels < 50 else "")
        assert p == pytest.approx(naive.mean([float(best) for best in beside]))
        expected = 1 if at == (2, 2) else 0 if page == "Non" else 1 - (1 - p) ** 2
        assert weight == pytest.approx(expected)
    weights = [row[5] for row in found.rows]
    assert weights == sorted(weights, reverse=True)


def test_levels_that_were_given_for_one_aspect_alone_hold_up_no_other() -> None:
    """More rows on one aspect than on the other, and some judges twice."""
    rng = np.random.default_rng(14)
    rows: list[list[tuple[int, int, int]]] = [[], [], []]
    aspects: list[list[str]] = [[], [], []]
    said: dict[tuple[int, int], dict[tuple[int, str], list[int]]] = {}
    for _ in range(500):
        topic, document, judge, level = (int(rng.integers(0, n)) for n in (3, 10, 5, 3))
        aspect = "snippet" if rng.random() < 0.3 else "page"
        rows[topic].append((document, judge, level))
        aspects[topic].append(aspect)
        said.setdefault((topic, document), {}).setdefault((judge, aspect), []).append(level)
    pairs = {
        document: [
            (judge, both)
            for judge in range(5)
            for both in zip(*(of.get((judge, on), []) for on in ("snippet", "page")), strict=False)
        ]
        for document, of in said.items()
    }
    found = analysed("aspects", imported_study(rows, aspects=aspects))
    assert f"for page {sum(map(len, pairs.values()))} times" in found.says[0]
    for snippet, page, labels, _, p, *_ in table(found, "combined").rows:
        at = LEVELS.index(snippet), LEVELS.index(page)
        over = under = seen = 0.0
        for of in pairs.values():
            for judge, both in of:
                others = [other == (2, 2) for who, other in of if who != judge]
                if both == at and others:
                    seen += 1
                    over += naive.mean([float(best) for best in others]) / len(of)
                    under += 1 / len(of)
        assert labels == seen
        assert p == pytest.approx(over / under)


def test_one_aspect_has_nothing_to_combine() -> None:
    found = analysed("aspects", random_opinions())
    assert "Combined levels need two" in found.says[0]
    assert not found.parts


def test_aspects_are_asked_for_where_opinions_were_given_elsewhere() -> None:
    here, elsewhere = (
        [one.name for one in of_section("disagreement", data.study)]
        for data in (random_study(), random_opinions())
    )
    assert "aspects" not in here
    assert "aspects" in elsewhere


def test_nobody_says_less_than_the_best() -> None:
    best = imported_study([[(d, j, 2) for d in range(20) for j in range(6)]] * 2)
    found = analysed("prediction", best)
    assert "users" not in {part.name for part in found.parts}
    assert {row[5] for row in table(found, "predicted").rows if row[1] == "HRel"} == {1}


def test_a_level_that_one_judge_alone_gave_is_left_out() -> None:
    rows = [(d, j, 2 * ((d + j) % 2)) for d in range(9) for j in range(4)]
    data = imported_study([[*rows, (9, 0, 1)]] * 2, lists=[[0, 1, 2], [9, 2, 1]])
    says = " ".join(analysed("users", data).says)
    assert "2 documents with a level that nobody gave beside another judge count as" in says


def test_documents_are_those_with_two_judges() -> None:
    data = graded_study(4, topics=1, units=8, documents=40)
    two, labels = in_levels.two_judges(data.opinions).sum(), data.opinions.counts.sum(axis=1)
    assert 0 < two < (labels > 1).sum()
    assert f"This is from {two} documents (all documents)." in analysed("weights", data).says[0]
