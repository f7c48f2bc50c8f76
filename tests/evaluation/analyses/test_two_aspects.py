"""Levels of two aspects together, against plain Python."""

from itertools import permutations

import numpy as np
import pytest

from evaluation.analyses import of_section
from tests.acceptance import naive
from tests.factory.arrays import analysed, random_study, table
from tests.factory.opinions import (
    LEVELS,
    imported_study,
    random_opinions,
)


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
    assert f"for page {sum(map(len, pairs.values()))} times" in found.sentences[0]
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


def test_aspects_are_asked_for_where_opinions_were_given_elsewhere() -> None:
    here, elsewhere = (
        [one.name for one in of_section("disagreement", data.study)]
        for data in (random_study(), random_opinions())
    )
    assert "aspects" not in here
    assert "aspects" in elsewhere
