"""What all judgments are looked at for is kept until they change, however long that takes."""

import time
from unittest.mock import patch

from judging.models import Study
from judging.monitoring.kept import once_a_revision


def test_looked_at_anew_when_judgments_change_and_not_before(study: Study) -> None:
    looks: list[int] = []

    def look() -> int:
        looks.append(len(looks))
        return len(looks)

    def ask() -> int:
        return once_a_revision(study, "test", look)

    assert [ask(), ask()] == [1, 1]
    with patch("time.time", return_value=time.time() + 3600):
        assert ask() == 1
    topic = study.topics.all()[0]
    topic.revision += 1
    topic.save()
    assert [ask(), ask()] == [2, 2]
    assert once_a_revision(study, "another", look) == 3
