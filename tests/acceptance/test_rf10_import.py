"""The labels of the TREC 2010 Relevance Feedback track, imported whole, as a study of their own.

Buckley, Lease and Smucker, Overview of the TREC 2010 Relevance Feedback Track. DATA names the
folder that holds `rf10/`.
"""

import gzip
import os
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.core.management import call_command
from django.db import connection

from evaluation.analyses import ANALYSES, of_study
from evaluation.pipeline import bring_up_to_date
from evaluation.publishing.exports import lines
from evaluation.study.data import load
from judging.models import Study
from magnitudes.agreement.opinions import Opinions
from magnitudes.gains.disagreement import disagreement
from tests.database import there_for_all

pytestmark = [
    pytest.mark.acceptance,
    pytest.mark.skipif("DATA" not in os.environ, reason="DATA names no folder"),
    pytest.mark.django_db,
    pytest.mark.nightly,
]
FILE = Path(os.environ.get("DATA", "")).resolve() / "rf10" / "trec-rf10-data.txt.gz"
SAID = (
    "98,453 rows and 3,277 gold labels, 767 workers, 100 topics, 20,232 pairs of topic and "
    "document, 19,122 of them with labels by two workers or more"
)


def bring(*more: str) -> str:
    out = StringIO()
    levels = ("--levels", "Non", "Rel", "HRel", "--gold", "gold")
    call_command(
        "import_opinions", "rf10", str(FILE), "--collection", "rf10", *levels, *more, stdout=out
    )
    return out.getvalue()


@pytest.fixture(scope="module")
def imported(django_db_setup: None, django_db_blocker: Any) -> Iterator[Study]:
    with there_for_all(django_db_blocker):
        study = _imported()
        connection.check_constraints()  # once, and not after each test
        yield study


@pytest.fixture
def study(imported: Study, db: None) -> Study:
    return imported


def _imported() -> Study:
    said = bring()
    assert said.splitlines() == [
        SAID,
        "6,670 labels are missing, being no level: 6,670 × '-2'",
        "columns: worker is workerid, query_id is topicid, doc_id is docid, label is label",
    ]
    assert bring().startswith(f"{SAID}; all of it was there already")
    assert bring_up_to_date() == 1
    return Study.objects.get(slug="rf10")


@pytest.fixture
def rows() -> list[list[str]]:
    with gzip.open(FILE, "rt", encoding="ascii") as file:
        return [line.split() for line in file][1:]


def test_every_label_comes_out_as_it_went_in(study: Study, rows: list[list[str]]) -> None:
    gold = dict.fromkeys((topic, doc, gold) for topic, _, doc, gold, _ in rows if int(gold) >= 0)
    given = [
        f"{worker},{topic},{doc},{'' if int(level) < 0 else level}"
        for topic, worker, doc, _, level in rows
    ] + [f"gold,{topic},{doc},{level}" for topic, doc, level in gold]
    head, *exported = "".join(lines(study, "judgments", "csv")).splitlines()
    assert head == "worker,query_id,doc_id,score,score_text,aspect,occasion"
    names = {"": "", "0": "Non", "1": "Rel", "2": "HRel"}
    assert exported == [f"{row},{names[row.rpartition(',')[2]]},," for row in given]


def test_gains_are_medians(study: Study, rows: list[list[str]]) -> None:
    labels: dict[tuple[str, str], list[int]] = {}
    golds = {}
    for topic, _, doc, gold, level in rows:
        labels.setdefault((topic, doc), []).append(int(level))
        golds[topic, doc] = int(gold)
    for pair, gold in golds.items():
        labels[pair].append(gold)
    expected = {
        pair: float(np.median(known))
        for pair, given in labels.items()
        if (known := [level for level in given if level >= 0])
    }
    found = {}
    for line in lines(study, "qrels", "trec"):
        topic, iteration, doc, gain = line.split()
        assert iteration == "imported"
        found[topic, doc] = float(gain)
    assert found == expected


def test_disagreement_is_as_it_is_published(study: Study) -> None:
    """A label by a judge of its own, as the paper has it: 2,598 documents, p(HRel|Rel) = .302."""
    data = load(study)
    assert (len(data.topics), len(data.judgments), len(data.documents)) == (100, 95060, 20232)
    said = data.opinions
    assert len(said.items) == 98453 + 3277
    enough = said.counts.sum(axis=1) >= 6
    assert enough.sum() == 2598
    many = said.where(enough[said.items])
    alone = Opinions(
        many.items, many.levels, np.arange(len(many.items)), many.n_levels, many.topic_of_item
    )
    assert disagreement(alone).p.round(3).tolist() == [0.233, 0.302, 0.343]


def test_pages_say_what_is_published(study: Study) -> None:
    data = load(study)
    weights = ANALYSES["weights"].of(data)
    chances = " ".join((*weights["says"], *(part["says"] for part in weights["parts"])))
    assert "Rel 30.2% (28.4% to 32.0%)" in chances
    assert "2,598 documents" in chances
    assert "the chance after Rel is .305 rather than .302" in " ".join(weights["says"])
    seen = ANALYSES["prediction"].of(data)["numbers"]
    found = [round(seen[f"seen_{users}"], 3) for users in ("1/3", "2/3", "2/4", "2/5")]
    assert found == [0.499, 0.105, 0.232, 0.353]


@pytest.mark.whole
def test_every_analysis_that_is_for_it_is_computed(study: Study) -> None:
    data = load(study)
    for analysis in of_study(study).values():
        assert analysis.of(data)["says"]
