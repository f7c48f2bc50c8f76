"""What the factory stores at once is what flow leaves of people who go the whole way."""

from typing import Any

import pytest
from django.db.models import Model

from judging.models import Assignment, Judgment, StudyTopic, Unit, Visit, Worker
from tests.cast import Person, right_score
from tests.database import drawn_by
from tests.factory import NOON, SCALES, make_study
from tests.factory.completed import complete
from tests.factory.crowds import crowded_study
from tests.judging.invariants import broken

KEYS = {"id", "study", "study_topic", "unit", "worker", "assignment", "document", "order"}
RANDOM = {"token", "completion_code", "resume_code"}


def rows(model: type[Model], **of: Any) -> list[dict[str, Any]]:
    """What is stored, but for keys and what is random."""
    names = [field.name for field in model._meta.fields if field.name not in KEYS | RANDOM]
    return list(model.objects.filter(**of).order_by("id").values(*names))


def everything(slug: str) -> dict[str, Any]:
    """The rows of a study and the roles of its documents, page by page."""
    of = {"assignment__study__slug": slug}
    pages = Judgment.objects.filter(**of).order_by("id")
    return {
        "workers": rows(Worker, study__slug=slug),
        "assignments": rows(Assignment, study__slug=slug),
        "judgments": rows(Judgment, **of),
        "documents": [*pages.values_list("document__doc_id", flat=True)],
        "visits": rows(Visit, **of),
        "free": [*Unit.objects.filter(study__slug=slug).order_by("id").values_list("free")],
        "revisions": [
            *StudyTopic.objects.filter(study__slug=slug).order_by("id").values_list("revision")
        ],
    }


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("platform", ["", "prolific"])
def test_a_unit_completed_at_once_is_as_flow_leaves_it(
    db: None, scale: dict[str, Any], platform: str
) -> None:
    comes = {"platform": platform, "external_id": "5f1e" if platform else ""}
    of_one_unit = {"documents": 8, "redundancy": 1, **scale}
    by_flow, at_once = make_study(**of_one_unit), make_study(**of_one_unit)
    with drawn_by(3):
        person = Person(by_flow, "ada", **comes)
        person.complete()
    with drawn_by(3):
        complete(at_once, "ada", lambda document: right_score(at_once, document.role), **comes)
    assert everything(at_once.slug) == everything(by_flow.slug)
    assert broken() == []


def test_a_crowd_at_work_breaks_no_rule(db: None) -> None:
    crowded_study(NOON)
    assert broken() == []
