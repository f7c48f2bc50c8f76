"""The client's frames hold what the site's own functions say."""

import io
from collections.abc import Iterator
from typing import Any

import httpx
import pandas as pd
import pytest

from accounts.models import Token, User
from accounts.tokens import make_token
from evaluation import results
from evaluation.pipeline import evaluate
from evaluation.publishing import exports
from judging.models import CheckFailure, Study
from magnitudes.client import Refused, Site, connection
from magnitudes.measures.names import parse
from tests.database import there_for_all
from tests.factory.completed import judged_study
from tests.magnitudes.client.inside import answered

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def study(django_db_setup: None, django_db_blocker: Any) -> Iterator[Study]:
    with there_for_all(django_db_blocker):
        study, _ = judged_study(3, topics=2, units=4, runs=3)
        evaluate(study)
        yield study


def at(token: str) -> Site:
    """The site, without a network between."""
    return Site("http://localhost/", token, transport=httpx.MockTransport(answered))


@pytest.fixture
def as_rosa(study: Study) -> Iterator[Site]:
    rosa = User.objects.create_user("rosa", is_superuser=True)
    with at(make_token(rosa, "notebook", Token.Scope.READ, days=1)) as rosas:
        yield rosas


def test_studies_and_collections_are_rows(as_rosa: Site, study: Study) -> None:
    assert list(as_rosa.studies().index) == [study.slug]
    assert list(as_rosa.collections().index) == [study.collection.slug]
    assert as_rosa.study(study.slug).settings()["redundancy"] == study.redundancy
    assert as_rosa.study(study.slug).progress()["completed"] == 4


def test_people_of_a_study(as_rosa: Site, study: Study) -> None:
    its = as_rosa.study(study.slug)
    assert its.entry_link().endswith(f"/study/{study.slug}/")
    assert set(its.signals().index) == set(study.workers.values_list("pseudonym", flat=True))
    assert its.random_givers()["random.share"].is_monotonic_decreasing
    assert its.submissions().empty
    with pytest.raises(Refused, match="not connected with Prolific"):
        its.on_prolific()


def test_gains_are_those_of_the_export(as_rosa: Site, study: Study) -> None:
    qrels = as_rosa.study(study.slug).qrels(gains="raw")
    exported = "".join(exports.lines(study, "qrels", "csv", gains="raw"))
    expected = pd.read_csv(io.StringIO(exported), dtype={"query_id": str, "iteration": str})
    pd.testing.assert_frame_equal(qrels, expected)
    assert qrels["query_id"].map(type).eq(str).all()


def test_lists_are_whole_however_many_pages(
    as_rosa: Site, study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "PAGE_SIZE", 5)
    judgments = as_rosa.study(study.slug).judgments()
    assert len(judgments) == 4 * study.unit_size
    assert judgments.groupby("unit").size().eq(study.unit_size).all()
    topic = judgments["query_id"].iloc[0]
    of_topic = as_rosa.study(study.slug).judgments(query_id=topic)
    assert len(of_topic) == judgments["query_id"].eq(topic).sum() < len(judgments)
    assert len(as_rosa.study(study.slug).units()) == study.assignments.count()
    failures = CheckFailure.objects.filter(assignment__study=study)
    assert len(as_rosa.study(study.slug).failures()) == failures.count()


@pytest.mark.parametrize("gains", [None, "raw"])
def test_rankings_and_values(as_rosa: Site, study: Study, gains: str | None) -> None:
    frames = as_rosa.study(study.slug)
    table = results.table(study, parse("nDCG@5"), gains)
    ranking, values = frames.rankings("nDCG@5", gains), frames.values("nDCG@5", gains)
    assert list(values.index) == table.query_ids
    assert (values[table.runs].to_numpy() == table.values).all()
    assert table.ranked is not None
    assert ranking["mean"][table.runs].tolist() == table.ranked.means.tolist()
    assert list(ranking.index) == list(values.columns)
    assert ranking["mean"].is_monotonic_decreasing
    assert ranking.attrs["measure"] == "nDCG@5"
    assert ranking.attrs["source"]["units"] == 4


def test_what_is_refused_says_why(as_rosa: Site, study: Study) -> None:
    with pytest.raises(Refused, match="there is no nGDC") as refused:
        as_rosa.study(study.slug).rankings("nGDC@5")
    assert (refused.value.status, list(refused.value.errors)) == (400, ["measure"])
    with pytest.raises(Refused, match="404 Not found"):
        as_rosa.study("nowhere")
    with at("no-token") as strange, pytest.raises(Refused, match="401"):
        strange.studies()
