"""A run that is dropped on a study has the values and the rank that it would have as one of it."""

import io
import random
from collections.abc import Iterator
from typing import Any

import pytest

from evaluation import results
from evaluation.pipeline import evaluate
from evaluation.publishing.dropped_run import rank_with
from judging.models import Document, Run, Study
from magnitudes.files.containers.archives import Member
from magnitudes.files.runs import Run as ReadRun
from magnitudes.files.runs import read_run
from magnitudes.measures.names import parse
from tests.database import there_for_all
from tests.factory import make_document, make_study
from tests.factory.completed import complete
from tests.factory.runs import add_runs, random_runs

pytestmark = pytest.mark.django_db
MEASURES = ("nDCG(dcg='jk')@10", "ERR@10", "AP", "R@100", "TBG@10", "Judged@3")


def written(tag: str, topics: dict[str, Any]) -> ReadRun:
    """A run as it is read from a file whose ranks go against its scores."""
    lines = [
        f"{query_id} Q0 {doc_id} {len(ranked) - place} {score!r} {tag}\n"
        for query_id, ranked in topics.items()
        for place, (doc_id, score) in enumerate(ranked)
    ]
    stream = io.BufferedReader(io.BytesIO("".join(lines).encode()))
    return read_run(Member(f"{tag}.run", stream))


@pytest.fixture(scope="module")
def study(django_db_setup: None, django_db_blocker: Any) -> Iterator[Study]:
    with there_for_all(django_db_blocker):
        study = make_study()
        for number in range(8):
            make_document(study.collection, f"elsewhere-{number}", "Some words.").save()
        for document in Document.objects.filter(collection=study.collection):
            document.words = 100 + 37 * int(document.doc_id[-1:])
            document.save()
        add_runs(study, {"old": {"401": [("D401-003", 2.0), ("D401-004", 1.0)]}})
        for worker in ("one", "two"):
            complete(study, worker)
        evaluate(study)
        yield study


@pytest.mark.parametrize("seed", range(3))
def test_it_has_the_values_of_a_run_that_is_imported(study: Study, seed: int) -> None:
    topics = random_runs(study, random.Random(seed), count=1).popitem()[1]
    run = written("new", dict(topics))
    before = {measure: rank_with(study, run, measure) for measure in MEASURES}
    assert Run.objects.filter(collection=study.collection).count() == 1
    add_runs(study, {"new": topics})
    evaluate(study)
    for measure, dropped in before.items():
        kept = results.ranking(study, parse(measure))
        assert dropped.ranking["results"] == kept["results"]
        assert dropped.system in kept["results"]


def test_ranks_are_those_of_the_file(study: Study) -> None:
    first, second = "D401-003", "D401-008"
    run = written("r", {"401": [(first, 9.0), (second, 1.0)]})  # whose rank is 1
    swapped = written("r", {"401": [(second, 9.0), (first, 1.0)]})
    by_rank = rank_with(study, run, "nDCG(order='rank')@1").system["mean"]
    by_score = rank_with(study, run, "nDCG@1").system["mean"]
    assert by_rank == rank_with(study, swapped, "nDCG@1").system["mean"] != by_score


def test_a_name_that_is_taken_is_told_apart(study: Study) -> None:
    dropped = rank_with(study, written("old", {"401": [("D401-004", 2.0)]}), "nDCG@10")
    assert dropped.name == "old (new)"
    assert {row["run"] for row in dropped.ranking["results"]} == {"old", "old (new)"}


def test_what_cannot_be_ranked_says_why(study: Study) -> None:
    run = written("r", {"999": [("D401-004", 2.0)]})
    with pytest.raises(results.CannotRank, match="Its topics, 999 first") as none:
        rank_with(study, run, "nDCG@10")
    assert none.value.option == "run"
    fitting = written("r", {"401": [("D401-004", 2.0)], "999": [("x", 1.0)]})
    assert rank_with(study, fitting, "nDCG@10").other_topics == ["999"]
    for option, measure, gains in (("measure", "nGDC@1", None), ("gains", "nDCG@1", "udm:9")):
        with pytest.raises(results.CannotRank) as refused:
            rank_with(study, fitting, measure, gains)
        assert refused.value.option == option
    with pytest.raises(results.CannotRank, match="No unit is completed yet"):
        rank_with(make_study(), fitting, "nDCG@10")
    unknown = written("r", {"401": [("nowhere", 2.0), ("D401-003", 1.0), ("D401-008", 0.5)]})
    with pytest.raises(results.CannotRank, match="length"):
        rank_with(study, unknown, "TBG@10")
