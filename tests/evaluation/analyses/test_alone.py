"""One analysis is at work at a time, on the whole site."""

import pytest
from django.utils import timezone

from evaluation import analyses
from evaluation.analyses.analysis import Analysis, OnProgress
from evaluation.cache import stored
from evaluation.presentation.parts import Result
from evaluation.study.data import StudyData
from tests.database import Elsewhere
from tests.factory.completed import judged_study
from web.models import Lease


@pytest.mark.django_db(transaction=True)
def test_who_finds_another_at_work_leaves_it_to_them(monkeypatch: pytest.MonkeyPatch) -> None:
    study, _ = judged_study(1, topics=1, units=1)
    during = []

    def ask_elsewhere(data: StudyData, tell: OnProgress) -> Result:
        during.append(Elsewhere(stored.bring_up_to_date).result())
        return Result(["done"])

    made = {"asks": Analysis("asks", "?", ask_elsewhere)}
    for module in (analyses, stored):
        monkeypatch.setattr(module, "ANALYSES", made)
    stored.get_or_request(study, ["asks"], "reference", timezone.now())
    assert stored.bring_up_to_date() == 1
    assert during == [0]
    assert not Lease.objects.exists(), "it is given back"
