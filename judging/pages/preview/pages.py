from collections.abc import Iterator
from dataclasses import dataclass

from judging.flow.offer import NoWork
from judging.models import Study
from judging.states import State

LINES = 3  # of the practice
Stage = Study.Stage
UNDER_WAY, ENDED, OTHERWISE = "On the way", "When the unit is done", "When it ends in another way"
NOTHING = "When there is nothing to do"


@dataclass(frozen=True)
class PreviewPage:
    """name: in its address; step: of `judging.pages.current_page`, or resume or me.

    state: of the attempt, None: none is begun; number: of the practice line or document; codes: how
    many units are completed; refused: what was sent has to be corrected; wrong_answers: to the
    question on the topic; barred: it was answered; revising: a Finish has failed; confirms: it asks
    for a confirmation.
    """

    name: str
    title: str
    step: str
    state: State | None = None
    no_work: NoWork | None = None
    stage: Study.Stage = Stage.OPEN
    number: int = 0
    codes: int = 0
    refused: bool = False
    barred: bool = False
    wrong_answers: int = 0
    revising: bool = False
    has_account: bool = False
    confirms: bool = False


def groups_of(study: Study) -> dict[str, list[PreviewPage]]:
    return {
        UNDER_WAY: [*_before_the_documents(study), *_documents(study)],
        ENDED: _done(study),
        OTHERWISE: list(_ended(study)),
        NOTHING: list(_nothing_to_do(study)),
        "On another device, or after losing its cookies": [
            PreviewPage("unknown", "A browser that is not recognised", "unknown"),
            PreviewPage("resume", "Asking for the resume code", "resume"),
            PreviewPage(
                "known-id", "Begun with the same platform’s id", "resume", has_account=True
            ),
        ],
    }


def pages_of(study: Study) -> list[PreviewPage]:
    return [page for pages in groups_of(study).values() for page in pages]


def _before_the_documents(study: Study) -> Iterator[PreviewPage]:
    practice = State.PRACTICE
    yield PreviewPage("welcome", "Welcome", "welcome")
    if study.has_consent_box:
        title = "Welcome: the box is not ticked"
        yield PreviewPage("not-agreed", title, "welcome", refused=True)
    yield PreviewPage("practice", "Practice: the text", "practice", practice)
    for line in range(1, LINES + 1):
        yield PreviewPage(
            f"line-{line}", f"Practice: line {line}", "practice", practice, number=line
        )
    title = "Practice: a number that is refused"
    yield PreviewPage("line-refused", title, "practice", practice, number=LINES, refused=True)
    yield PreviewPage("instructions", "Instructions", "instructions", State.INSTRUCTIONS)
    yield PreviewPage("topic", "The topic and its question", "topic", State.TOPIC)
    yield PreviewPage(
        "no-answer", "The topic: an answer is missing", "topic", State.TOPIC, refused=True
    )
    if study.tries_at_question > 1:
        title = "The topic: after a wrong answer"
        yield PreviewPage("asked-again", title, "topic", State.TOPIC, wrong_answers=1)


def _documents(study: Study) -> Iterator[PreviewPage]:
    judging, revising, last = State.JUDGING, State.REVISING, study.unit_size
    for number in range(1, last + 1):
        yield PreviewPage(
            f"document-{number}", f"Document {number}", "document", judging, number=number
        )
    if study.check_before_finish:
        title = "The answers, before Finish"
        yield PreviewPage("check", title, "check", judging, number=last + 1)
    title = "A document without a reason"
    yield PreviewPage("no-reason", title, "document", judging, number=last, refused=True)
    title = "After a Finish that failed"
    yield PreviewPage("revise", title, "revise", revising, number=last + 1, revising=True)
    title = "A document that is revised"
    yield PreviewPage("revised", title, "document", revising, number=last, revising=True)


def _done(study: Study) -> list[PreviewPage]:
    done, final = State.COMPLETED, NoWork.FINAL
    first = PreviewPage("done", "Done, and more to do", "done", done, codes=1)
    if study.max_units == 1:
        first = PreviewPage("done", "Done", "done", done, final, codes=1)
    return [
        first,
        PreviewPage("all-done", "Done, nothing left", "done", done, final, codes=3),
        PreviewPage("withdrawn", "Withdrawn later", "done", State.WITHDRAWN, final, codes=1),
        PreviewPage("me", "The worker’s own page", "me", done, final, codes=2),
        PreviewPage("withdrawing", "Withdrawing a unit", "me", done, final, codes=1, confirms=True),
    ]


def _ended(study: Study) -> Iterator[PreviewPage]:
    failed = State.FAILED
    yield PreviewPage("lines-failed", "Lines in the wrong order", "failed", failed)
    yield PreviewPage("question-failed", "A wrong answer", "failed", failed, barred=True)
    if study.max_failed_finishes:
        codes = int(study.pays_after_limit)
        yield PreviewPage(
            "exhausted", "Finished too often", "failed", State.EXHAUSTED, codes=codes, barred=True
        )
    if study.attempts or study.platform:
        no_way_on = NoWork.ATTEMPTS if study.attempts else NoWork.FINAL
        yield PreviewPage("no-way-on", "Failed too often", "failed", failed, no_way_on)
    yield PreviewPage("expired", "Expired", "failed", State.EXPIRED)
    yield PreviewPage("released", "Given to somebody else", "failed", State.RELEASED)
    yield PreviewPage(
        "returned", "Returned on the platform", "failed", State.RETURNED, NoWork.RETURNED
    )
    yield PreviewPage("left", "Left", "left", State.LEFT)
    yield PreviewPage("not-taking-part", "Did not agree", "left")


def _nothing_to_do(study: Study) -> Iterator[PreviewPage]:
    yield PreviewPage("no-work", "All units are taken", "no-work", no_work=NoWork.LATER)
    if study.newcomers_an_hour or study.newcomers_a_day:
        yield PreviewPage("quota", "Enough new people for now", "no-work", no_work=NoWork.QUOTA)
    yield PreviewPage("nothing-left", "Nothing left", "no-work", no_work=NoWork.FINAL, codes=3)
    paused, draft, closed = Stage.PAUSED, Stage.DRAFT, Stage.CLOSED
    yield PreviewPage("paused", "Paused", "closed", no_work=NoWork.PAUSED, stage=paused)
    yield PreviewPage("not-begun", "Not open yet", "closed", no_work=NoWork.CLOSED, stage=draft)
    if study.only_from_platform:
        yield PreviewPage(
            "by-invitation", "Not sent by a platform", "closed", None, NoWork.PLATFORM
        )
    if study.excluded_studies.exists():
        yield PreviewPage(
            "took-part", "Took part in an earlier study", "closed", None, NoWork.TOOK_PART
        )
    if study.most_workers:
        yield PreviewPage("full", "Enough people", "closed", no_work=NoWork.FULL)
    yield PreviewPage("closed", "Closed", "closed", no_work=NoWork.CLOSED, stage=closed, codes=1)
