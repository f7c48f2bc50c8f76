"""Signals of careless or machine work: reasons like others', tries, the list and the evidence."""

import re
import time
from collections import Counter
from unittest.mock import patch

import numpy as np
import pytest
from django.db import connection
from hypothesis import given, settings
from hypothesis import strategies as st

from judging.models import Assignment, Judgment, Study, Visit
from judging.monitoring.cache import cached_per_revision
from judging.monitoring.signals.agreement import Verdict
from judging.monitoring.signals.alike_reasons import MIN_JACCARD, MIN_WORDS, alike_reasons
from judging.monitoring.signals.by_worker import signals
from judging.monitoring.signals.workers_page import place_of
from judging.monitoring.watch import Watch
from judging.states import State
from judging.studies.conduct.stages import increment_revisions
from tests.factory import NOON
from tests.factory.crowds import crowded_study

NOBODY = np.array([], dtype=np.int64)
WORDS = st.lists(st.sampled_from("abcdefg"), max_size=9)
ROW = st.tuples(st.integers(1, 4), st.integers(1, 2), WORDS)


@settings(max_examples=25)
@given(st.lists(ROW, min_size=1, max_size=12, unique_by=lambda row: row[:2]))
def test_alike_reasons_against_a_plain_loop(rows):
    workers, documents, words = zip(*rows, strict=True)
    texts = [", ".join(row).upper() for row in words]
    found = alike_reasons(np.array(workers), np.array(documents), texts)
    expected, like = {}, {}
    for worker, document, own in rows:
        givers = {
            who
            for who, where, other in rows
            if who != worker
            and len(set(other)) >= MIN_WORDS
            and (
                other == own
                or (
                    where == document
                    and len({*own} & {*other}) >= MIN_JACCARD * len({*own, *other})
                )
            )
        }
        if len(set(own)) >= MIN_WORDS:
            x, n = expected.get(worker, (0, 0))
            expected[worker] = x + bool(givers), n + 1
            like.setdefault(worker, Counter()).update(givers)
    for worker, counts in like.items():
        assert dict(found.most_similar(worker, len(rows))) == counts
    assert found.counts() == expected


def test_a_reason_is_like_another_s_with_a_word_changed():
    reason = "It names the ship, the year and where it sank."
    texts = [reason, reason.replace("ship", "boat").upper(), "Not on the topic", "Not on the topic"]
    same = alike_reasons(np.array([1, 2, 3, 4]), np.array([7, 7, 7, 7]), texts)
    assert same.counts() == {1: (1, 1), 2: (1, 1)}
    assert same.most_similar(2) == [(1, 1)]
    other_document = alike_reasons(np.array([1, 2]), np.array([7, 8]), texts[:2])
    assert other_document.counts() == {1: (0, 1), 2: (0, 1)}
    assert alike_reasons(NOBODY, NOBODY, []).counts() == {}


CAREFUL = """
    UPDATE judging_judgment j
    SET score = CASE d.role WHEN 'h_k' THEN 9 WHEN 'n_k' THEN 0.5 ELSE 1 + d.id % 7 END
                * exp((hashint8(j.id) % 1000) / 10000.0),
        justification = concat_ws(' says ', 'Reason', j.id, j.id + 1, j.id + 2, 'and more')
    FROM judging_pooleddocument d WHERE d.id = j.document_id
"""


@pytest.fixture
def crowd(db) -> Study:
    """Workers who agree on the documents, each in words of their own."""
    study = crowded_study(NOON, topics=8, documents=14, live=2, crowd=44)
    with connection.cursor() as cursor:
        cursor.execute(CAREFUL)
    return study


def busiest(study: Study, number: int) -> list[int]:
    done = Assignment.objects.filter(study=study, state=State.COMPLETED)
    counted = Counter(done.order_by("pk").values_list("worker", flat=True))
    return [key for key, _ in counted.most_common(number)]


def test_each_signal_is_for_the_one_it_should_tell(crowd, desk):
    assert {own.stands_out for own in signals(crowd).workers.values()} == {frozenset()}
    contrary, copying, copied, trying = busiest(crowd, 4)
    judged = Judgment.objects.filter(assignment__study=crowd, assignment__state=State.COMPLETED)
    for row in judged.filter(assignment__worker=contrary, document__role="other"):
        judged.filter(pk=row.pk).update(score=1 / row.score)
    for own, other in zip(
        judged.filter(assignment__worker=copying).order_by("pk"),
        judged.filter(assignment__worker=copied).order_by("pk"),
        strict=False,
    ):
        judged.filter(pk=own.pk).update(justification=other.justification.upper() + "!")
    Assignment.objects.filter(worker=trying, state=State.COMPLETED).update(failed_finishes=6)
    increment_revisions(crowd.topics.all())
    everybody = Watch(crowd, NOON).signals
    marked = {key: set(own.stands_out) for key, own in everybody.workers.items() if own.stands_out}
    assert marked[copying] == marked[copied] == {"reasons"}
    assert (marked[trying], marked[contrary]) == ({"tries"}, {"numbers"})
    agreement = everybody.workers[contrary].agreement
    assert agreement.verdict == Verdict.NO_MORE
    assert marked.keys() == {contrary, copying, copied, trying}
    known = len(busiest(crowd, 44))  # which units are done, and so whose, goes by their keys
    lowest = f"the lowest of {known} workers"
    assert known > 40
    assert place_of(everybody.workers[contrary], everybody) == lowest
    text = desk.page(f"/studies/{crowd.slug}/monitor/workers/{crowd.workers.get(pk=contrary)}/")
    assert lowest in text
    assert f"n = {agreement.units} units" in text
    assert "Nothing in this work" not in text
    name = crowd.workers.get(pk=copying).pseudonym
    text = desk.page(f"/studies/{crowd.slug}/monitor/workers/{name}/")
    assert "Signals, compared with those of all workers" in text
    assert (
        f'Reasons are most often like those of <a href="/studies/{crowd.slug}/monitor/workers/'
        in text
    )
    listed = desk.page(f"/studies/{crowd.slug}/monitor/workers/")
    assert f"4 of {len(everybody.workers)} workers have a marked signal</h1>" in listed
    assert "it is more than random numbers would give" in listed  # and not in each row
    assert f", {Verdict.MORE}" not in listed
    assert re.search(r"<code>(\w+)</code>", listed)[1] == crowd.workers.get(pk=contrary).pseudonym
    rows = desk.page(f"/studies/{crowd.slug}/monitor/workers/?only=reasons&by=reasons")
    assert set(re.findall(r"<code>(\w+)</code>", rows)) == {
        crowd.workers.get(pk=key).pseudonym for key in (copying, copied)
    }


def test_pasting_is_shown_where_it_is_recorded(crowd, desk):
    address = f"/studies/{crowd.slug}/monitor/workers/"
    assert "pasted" not in desk.page(address)
    assert "Dictation" not in desk.page(address)
    Study.objects.filter(pk=crowd.pk).update(record_pasting=True)
    key = busiest(crowd, 1)[0]
    Visit.objects.filter(assignment__worker=key).update(pasted_characters=120)
    increment_revisions(crowd.topics.all())
    everybody = signals(Study.objects.get(pk=crowd.pk))
    assert everybody.workers[key].browser == (120, None)
    assert everybody.spread["pasted"] == (120, 120, 120)
    text = desk.page(f"{address}?by=pasted")
    assert "Dictation and assistive tools look the same" in text
    assert text.index(crowd.workers.get(pk=key).pseudonym) < text.index("–</td>")


def test_nobody_and_nonsense(db, desk, study):
    assert signals(study).workers == {}
    text = desk.page(f"/studies/{study.slug}/monitor/workers/?by=nonsense&only=x")
    assert "No worker has completed a unit</h1>" in text
    assert "None." in text


# --- kept until judgments change ------------------------------------------------------------------
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
