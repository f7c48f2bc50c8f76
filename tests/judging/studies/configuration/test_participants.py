"""A study's list of participants: put on it, taken off it, and how many of them have come."""

import pytest

from judging import flow
from judging.flow.admission import Arrival
from judging.models import Study, TrailEntry
from judging.studies.configuration.participants import (
    add_participants,
    clear_participants,
    counts,
    read_ids,
    remove_participants,
)
from judging.studies.faults import BadStudy
from tests.factory import NOON, make_study

pytestmark = pytest.mark.django_db


def test_a_list_grows_and_shrinks_and_its_trail_names_nobody():
    study = make_study()
    assert add_participants(study, ["5f1e", "77aa", "5f1e", ""], None) == 2
    assert add_participants(study, ["77aa", "99bb"], None) == 1
    assert remove_participants(study, ["5f1e", "nobody"], None) == 1
    assert counts(study) == (2, 0)
    assert clear_participants(study, None) == 2
    assert clear_participants(study, None) == 0
    details = [
        entry.details for entry in TrailEntry.objects.filter(study=study, details__number__gt=0)
    ]
    assert [each["number"] for each in details] == [2, 1, 1, 2]
    assert "77aa" not in str(details)


def test_who_has_come_is_counted():
    study = make_study()
    add_participants(study, ["5f1e", "77aa"], None)
    for where, external_id in ((study, "5f1e"), (study, "unlisted"), (make_study(), "77aa")):
        flow.admit(where, Arrival(external_id, "prolific", external_id), NOON)
    assert counts(study) == (2, 1)


def test_ids_are_read_as_platforms_links_are():
    assert read_ids([" 5f1e\r", "", "77aa\0", "Ünïcode"]) == ["5f1e", "77aa", "Ünïcode"]


@pytest.mark.parametrize(
    ("lines", "problem"),
    [
        (["5f1e", "a b"], "ids: line 2: a b; expected a single id"),
        (["5f1e,77aa"], "ids: line 1: 5f1e,77aa; expected a single id"),
        (["x" * 256], "ids: line 1: 256 characters; expected an id of at most 255"),
        (["", " "], "ids: 0 ids; expected 1 to 100,000, one a line"),
    ],
)
def test_what_is_no_list_is_refused_and_nothing_is_done(lines, problem):
    study = make_study()
    with pytest.raises(BadStudy) as refusal:
        add_participants(study, lines, None)
    assert str(refusal.value) == problem
    assert not study.participants.exists()


def test_a_study_that_was_judged_elsewhere_has_no_list():
    study = make_study()
    Study.objects.filter(pk=study.pk).update(crowd="imported")
    study.refresh_from_db()
    with pytest.raises(BadStudy, match="takes no people"):
        add_participants(study, ["5f1e"], None)
