"""One analysis is at work at a time, on the whole site."""

import pytest
from django.utils import timezone

from evaluation import analyses
from evaluation.analyses.analysis import Analysis
from evaluation.cache import keeping
from evaluation.presentation.parts import Analysed, Tell
from evaluation.study.data import StudyData
from tests.database import Elsewhere
from tests.factory.completed import judged_study
from web.models import Lease


@pytest.mark.django_db(transaction=True)
def test_who_finds_another_at_work_leaves_it_to_them(monkeypatch: pytest.MonkeyPatch) -> None:
    study, _ = judged_study(1, topics=1, units=1)
    during = []

    def ask_elsewhere(data: StudyData, tell: Tell) -> Analysed:
        during.append(Elsewhere(keeping.bring_up_to_date).result())
        return Analysed(["done"])

    made = {"asks": Analysis("asks", "?", ask_elsewhere)}
    for module in (analyses, keeping):
        monkeypatch.setattr(module, "ANALYSES", made)
    keeping.look(study, ["asks"], "reference", timezone.now())
    assert keeping.bring_up_to_date() == 1
    assert during == [0]
    assert not Lease.objects.exists(), "it is given back"
