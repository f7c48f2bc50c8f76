"""The page of a collection: what is in it, fifty rows a page."""

from django.test import Client

from tests.factory import make_study
from tests.factory.runs import add_runs


def test_runs_come_fifty_a_page_sorted_over_all(db: None, at_desk: Client) -> None:
    study = make_study(topics=1)
    query_id = study.topics.get().topic.query_id
    names = [document.doc_id for document in study.topics.get().documents.all()]
    runs = {f"run-{n:02}": {query_id: [(name, 1.0) for name in names[: 1 + n]]} for n in range(60)}
    add_runs(study, runs)
    address = f"/collections/{study.collection.slug}/"
    first, second = (
        at_desk.get(address, {"runs-sort": "-run", "runs-page": page}).content.decode()
        for page in (1, 2)
    )
    assert "60 runs" in first
    assert "1 to 50 of 60" in first
    assert first.index("run-59") < first.index("run-10")
    assert "run-09" not in first
    assert second.index("run-09") < second.index("run-00")
