"""A language model beside the people of the TREC 2010 Relevance Feedback track.

Their labels are given again as numbers (tests/acceptance/replayed.py); the double of a language
model reads the texts. DATA names the folder that holds `rf10/`.
"""

import os
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crowd.language_model import acts
from crowd.language_model.acts import make_run
from crowd.language_model.work import judge_running
from crowd.models import ModelRun
from evaluation.analyses import ANALYSES
from evaluation.pipeline import evaluate
from evaluation.publishing.exports import qrels
from evaluation.study.data import load
from judging.models import Study
from tests.acceptance.replayed import SYSTEMS, make_people, replay
from tests.doubles.language_model import KEY, language_model

pytestmark = [
    pytest.mark.acceptance,
    pytest.mark.skipif("DATA" not in os.environ, reason="DATA names no folder"),
    pytest.mark.nightly,
]
FILE = Path(os.environ.get("DATA", "")).resolve() / "rf10" / "trec-rf10-data.txt.gz"
TOPICS, FOR_PEOPLE = 40, 15


@pytest.fixture
def run(transactional_db: None, settings: Any) -> Iterator[ModelRun]:
    with language_model() as double:
        settings.MODEL_ENDPOINTS = {"double": double.address}
        people = make_people(FILE, TOPICS, FOR_PEOPLE)
        replay(people, FILE, TOPICS)
        money = {"price_in": Decimal(1), "price_out": Decimal(1), "max_cost": Decimal(50)}
        pace = {"requests_per_minute": 6000, "parallel": 3}
        known = {"endpoint": "double", "model": "bm25", "key": KEY, "seed": 7, "all_topics": True}
        yield make_run(people, None, **known, **money, **pace)


def test_a_model_beside_people_who_disagree(run: ModelRun) -> None:
    people = run.study.about
    assert people
    evaluate(people)
    before = list(qrels(people).rows)
    acts.start(run.study, None, may_send=True)
    while run.state != ModelRun.State.DONE:
        judge_running()
        run.refresh_from_db()
    study = Study.objects.get(pk=run.study.pk)
    for each in (people, study):
        evaluate(each)
    assert list(qrels(people).rows) == before
    assert {row["iteration"] for row in qrels(study).rows} == {"model"}
    data = load(study)
    agreement, differences, worth = (
        ANALYSES[name].of(data) for name in ("model_agreement", "model_differences", "model_worth")
    )
    # What they read was made of the means of labels; the labels themselves hardly agree.
    assert "agree with those of people better than chance" in agreement["says"][0]
    assert f"{FOR_PEOPLE} topics" in " ".join(agreement["says"])
    where = next(part for part in differences["parts"] if part["name"] == "where")
    assert sum(row[0].startswith("topic ") for row in where["rows"]) == FOR_PEOPLE
    for part in worth["parts"][:2]:
        rows = [dict(zip(part["columns"], row, strict=True)) for row in part["rows"]]
        widths = [
            (powered["high"] - powered["low"], alone["high"] - alone["low"])
            for alone, powered in zip(rows[::2], rows[1::2], strict=True)
            if powered["low"] is not None
        ]
        assert len(widths) >= SYSTEMS - 2  # two may differ on fewer than ten topics
        assert np.median([powered / alone for powered, alone in widths]) < 1.1
