"""What all judgments are looked at for is kept until they change, however long that takes."""

import time
from unittest.mock import patch

from judging.models import Study
from judging.monitoring.cache import cached_per_revision


def test_computed_again_when_judgments_change_and_not_before(study: Study) -> None:
    calls: list[int] = []

    def compute() -> int:
        calls.append(len(calls))
        return len(calls)

    def cached() -> int:
        return cached_per_revision(study, "test", compute)

    assert [cached(), cached()] == [1, 1]
    with patch("time.time", return_value=time.time() + 3600):
        assert cached() == 1
    topic = study.topics.all()[0]
    topic.revision += 1
    topic.save()
    assert [cached(), cached()] == [2, 2]
    assert cached_per_revision(study, "another", compute) == 3
