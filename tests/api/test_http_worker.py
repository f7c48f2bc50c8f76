"""The scripted worker and the product understand each other."""

from collections.abc import Sequence

import pytest
from django.utils import timezone

from judging.flow import expire_overdue
from judging.models import Assignment, PlatformAccount, PooledDocument, Study
from tests.factory import OPTIONS, make_study
from tests.http_worker import HttpWorker, Seen, plain

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def study() -> Study:
    return make_study(topics=2, redundancy=1, minimum_seconds=0)


def by_text(study: Study) -> dict[str, str]:
    """The role of every document by what stands on its page."""
    return {
        plain(f"{pooled.document.title} {pooled.document.text}"): pooled.role
        for pooled in PooledDocument.objects.filter(study_topic__study=study).select_related(
            "document"
        )
        if pooled.document
    }


def right(question: str, options: Sequence[str]) -> str:
    assert question == "Which one?"
    assert sorted(options) == sorted(OPTIONS)
    return OPTIONS[0]


def test_units_are_completed_page_by_page(live_server: object, study: Study) -> None:
    roles = by_text(study)
    scores = {"h_k": "1 1/2", "n_k": "0,5", "other": "1"}

    def score(seen: Seen) -> str:
        return scores[roles[seen.text]]

    parameters = {"PROLIFIC_PID": "p1", "STUDY_ID": "s1"}
    with HttpWorker(
        str(live_server), study.slug, score, right, parameters=parameters, back_at=[4]
    ) as worker:
        codes = [worker.complete() for _ in range(2)]
        assert worker.complete() is None
        assert worker.page.step == "done"
        assert codes[-1] in worker.page.codes
    done = Assignment.objects.filter(study=study, state="completed").order_by("id")
    assert [assignment.completion_code for assignment in done] == codes
    assert [assignment.back_steps for assignment in done] == [1, 0]
    for assignment in done:
        for judgment in assignment.judgments.select_related("document"):
            assert judgment.score_text == scores[judgment.document.role]
            assert judgment.justification == worker.reason
    account = PlatformAccount.objects.get()
    assert (account.platform, account.external_id) == ("prolific", "p1")


def test_a_failed_finish_is_revised_from_the_last_page_to_the_first(
    live_server: object, study: Study
) -> None:
    roles = by_text(study)

    def score(seen: Seen) -> str:
        return {"h_k": "9", "n_k": "2"}.get(roles[seen.text], "4") if seen.revising else "5"

    with HttpWorker(str(live_server), study.slug, score, right) as worker:
        assert worker.complete()
    (assignment,) = Assignment.objects.filter(study=study)
    assert (assignment.state, assignment.failed_finishes) == ("completed", 1)
    assert assignment.revise_steps == 8
    assert set(assignment.judgments.values_list("score", flat=True)) == {2, 4, 9}


def test_a_wrong_answer_and_leaving_end_a_unit_and_another_may_follow(
    live_server: object, study: Study
) -> None:
    answers = iter(["a wrong one", OPTIONS[0]])
    with HttpWorker(
        str(live_server), study.slug, lambda seen: "1", lambda *asked: next(answers)
    ) as worker:
        assert worker.complete() is None
        assert worker.page.step == "failed"
        worker.press("again")
        worker.go_on_to("document")
        assert worker.open(7).position == 1  # not further than they have come
        assert worker.press("leave").step == "left"
        assert worker.complete() is None  # both topics are barred
    states = list(
        Assignment.objects.filter(study=study).order_by("id").values_list("state", flat=True)
    )
    assert states == ["failed", "left"]


def test_what_is_typed_wrongly_is_said_on_the_page(live_server: object, study: Study) -> None:
    with HttpWorker(str(live_server), study.slug, lambda seen: "1", right) as worker:
        worker.go_on_to("document")
        page = worker.press("next", score="none at all", justification="It is so.")
        assert (page.status, page.step, page.position) == (200, "document", 1)
        assert page.words("errors")
        assert page.form("next").fields["score"] == "none at all"
        assert page.form("next").fields["justification"] == "It is so."
        assert worker.press("next", score="3").position == 2
        expire_overdue(timezone.now())
        assert worker.come().position == 2
