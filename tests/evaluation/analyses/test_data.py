"""What analyses are computed from, as the database gives it."""

import numpy as np
import pytest

from evaluation.study.data import load
from judging.models import Assignment, Judgment
from tests.factory import make_study
from tests.factory.completed import complete

pytestmark = pytest.mark.django_db


def test_judgments_keep_their_words_and_are_asked_for_them_when_needed() -> None:
    study = make_study(topics=2)
    for name in ("ada", "ben", "ada"):
        complete(study, name)
    pages = Judgment.objects.filter(assignment__study=study)
    pages.update(justification="the same")
    ben = Assignment.objects.get(worker__pseudonym="ben")
    pages.filter(assignment=ben, position=3).update(justification="THE SAME")
    pages.filter(assignment=ben, position=4).update(justification="other")
    data = load(study)
    words = np.concatenate([topic.words.ravel() for topic in data.topics])
    bens = data.judgments.workers == data.workers.index("ben")
    assert len(np.unique(words)) == 2
    assert len(np.unique(words[bens & (data.judgments.positions != 4)])) == 1
    third, fourth = (
        int(np.flatnonzero(bens & (data.judgments.positions == page))[0]) for page in (3, 4)
    )
    assert data.justifications(np.array([fourth, 0, third])) == ["other", "the same", "THE SAME"]
    assert data.justifications(np.array([], dtype=np.int64)) == []
    unit = int(data.judgments.units[fourth])
    assert data.unit_name(unit) == f"{ben.study_topic.topic.query_id}-{ben.unit.number}"
    assert data.judgments.scores[third] == pages.get(assignment=ben, position=3).score
    pages.filter(assignment=ben, position=3).delete()
    assert data.justifications(np.array([third])) == [""]
