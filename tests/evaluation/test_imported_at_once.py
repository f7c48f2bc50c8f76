"""Opinions that are imported while their study is evaluated: what is published is of one import."""

from pathlib import Path

import pytest
from django.db import transaction

from evaluation.pipeline import bring_up_to_date, evaluate
from evaluation.publishing import pair_gains
from judging.collections.opinions import import_opinions
from judging.models import Study
from magnitudes.files.containers.archives import open_members
from magnitudes.files.labels.opinions import Opinions, read_opinions
from magnitudes.files.labels.scales import Scale
from tests.database import at_once

pytestmark = pytest.mark.django_db(transaction=True)
LEVELS = ["no", "maybe", "yes"]
IMPORTS = 6


@pytest.fixture
def read(tmp_path: Path) -> list[Opinions]:
    """Two files on other documents, whose gains are 1 in the one and 2 in the other."""
    found = []
    for level in (1, 2):
        file = tmp_path / f"{level}.csv"
        rows = [f"ann,40{n % 3},D{level}-{n:03},{level}\n" for n in range(60 * level)]
        file.write_text("worker,query_id,doc_id,label\n" + "".join(rows))
        found.append(read_opinions(open_members([file]), Scale(LEVELS)))
    return found


def bring(read: Opinions) -> Study:
    import_opinions("elsewhere", "web", read, LEVELS, replace=True)
    return Study.objects.get(slug="elsewhere")


def test_what_is_published_is_of_one_import(read):
    study = bring(read[0])

    def import_both() -> None:
        for number in range(IMPORTS):
            bring(read[(number + 1) % 2])

    def look() -> list[set[float]]:
        seen = []
        for _ in range(4 * IMPORTS):
            evaluate(study)
            seen.append({gain.gain for gain in pair_gains.gains(study)})
        return seen

    _, seen = at_once(import_both, look)
    assert all(len(gains) <= 1 for gains in seen)
    bring_up_to_date()
    last = 1 + IMPORTS % 2
    assert {gain.gain for gain in pair_gains.gains(study)} == {float(last)}
    assert len(pair_gains.gains(study)) == 60 * last
    assert bring_up_to_date() == 0


def test_an_import_holds_up_no_evaluation_of_other_studies(read):
    study = bring(read[0])
    with transaction.atomic():
        Study.objects.select_for_update().get(pk=study.pk)  # as an import does
        assert at_once(lambda: evaluate(study), bring_up_to_date) == [None, 0]
    assert bring_up_to_date() == 1
