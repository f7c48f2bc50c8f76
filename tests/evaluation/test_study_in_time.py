"""Time-biased gain in a study: the lengths are those of its collection."""

import math
from collections.abc import Iterator
from typing import Any

import pytest

from evaluation import results
from evaluation.pipeline import evaluate
from judging.models import Document, Study
from magnitudes.measures.in_time.time_biased import tbg
from magnitudes.measures.names import MeasureNameError, parse
from tests.database import there_for_all
from tests.evaluation.test_study_measures import anchors, gains, values
from tests.factory import make_study
from tests.factory.completed import complete
from tests.factory.runs import add_runs

pytestmark = pytest.mark.django_db
LIST = [(f"D401-{n:03}", 20.0 - n) for n in range(13, -1, -1)]
Words = dict[str, int]


@pytest.fixture(scope="module")
def given(django_db_setup: None, django_db_blocker: Any) -> Iterator[tuple[Study, Words]]:
    with there_for_all(django_db_blocker):
        study = make_study()
        for document in Document.objects.filter(collection=study.collection):
            document.words = 100 + 37 * int(document.doc_id[-3:])
            document.save()
        add_runs(study, {"run": {"401": LIST}})
        for name in ("one", "two"):
            complete(study, name)
        evaluate(study)
        found = Document.objects.filter(collection=study.collection)
        yield study, dict(found.values_list("doc_id", "words"))


@pytest.mark.parametrize("k", [1, 5, None])
def test_values_are_those_of_the_collection_s_lengths(
    given: tuple[Study, Words], k: int | None
) -> None:
    study, words = given
    known = gains(study)["401"]
    h_k, n_k = (known[doc_id] for doc_id in anchors(study)["401"])
    listed = [doc_id for doc_id, _ in sorted(LIST, key=lambda row: -row[1])]
    expected = tbg(
        [known.get(doc_id, 0.0) for doc_id in listed],
        [*known.values()],
        k=k,
        rel=math.sqrt(h_k * n_k),
        words=[words[doc_id] for doc_id in listed],
    )
    found = values(study, f"TBG@{k}" if k else "TBG")
    assert found["run"]["401"] == pytest.approx(float(expected), rel=1e-12)
    assert k == 1 or found["run"]["401"] > 0
    assert 0 <= values(study, "TBG(norm='ideal')")["run"]["401"] <= 1


def test_a_run_without_lengths_is_refused_by_name(given: tuple[Study, Words]) -> None:
    study, _ = given
    add_runs(study, {"elsewhere": {"401": [("unknown", 99.0), *LIST]}})
    evaluate(study)
    assert values(study, "TBG@1")["elsewhere"]["401"] == 0
    with pytest.raises(MeasureNameError, match="text is not there: run elsewhere, topic 401"):
        results.ranking(study, parse("TBG"))
    with pytest.raises(MeasureNameError, match="needs which documents are near duplicates"):
        results.ranking(study, parse("TBG(duplicates='nothing')@1"))
