"""Every state in which a worker is shown a page, come to as people come to it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from judging import flow
from judging.models import Assignment, Payment, Study, Worker
from judging.studies.conduct.closing import close_study
from judging.studies.conduct.stages import pause, resume
from judging.studies.rehearsal import rehearse
from tests.factory import GRADED, make_study
from tests.judging.browsing import Browser, Clock, Page

PAID = {"payment": "2.50", "currency": "GBP", "contact": "rosa@example.org"}
OF_PLATFORM = {
    "platform": "prolific",
    "completion_code": "C1DONE",
    "screen_out_code": "C2OUT",
    "screen_out_reward": "0.30",
    "return_code": "C3BACK",
}
CAME = "?PROLIFIC_PID={}&STUDY_ID=s&SESSION_ID={}"
SETTINGS: dict[str, dict[str, Any]] = {
    "four topics": {"topics": 4, "retention_days": 30, "withdraw_days": 14, **PAID},
    "one topic": {"question_tries": 2, **PAID},
    "practised once": {"topics": 3, "practice": "once per worker"},
    "strict": PAID
    | {"topics": 3, "attempts": 2, "most_failed_finishes": 1, "pay_after_limit": False}
    | {"retention_days": 0, "withdraw_days": 0},
    "limits": {"topics": 3, "attempts": 2, "most_failed_finishes": 2, "question_tries": 3}
    | {"max_units_per_worker": 1, "consent_by": "checkbox", "check_before_finish": True}
    | {"withdraw_days": 1},
    "unpaid": {"topics": 2, "payment": 0, "most_failed_finishes": 2},
    "platform": {"topics": 4, "attempts": 2, **OF_PLATFORM, **PAID},
    "bonus": OF_PLATFORM
    | PAID
    | {"topics": 4, "further_units": "bonus", "submission_minutes": 90, "most_failed_finishes": 1},
    "graded": {"topics": 2, **GRADED},
}


@dataclass(frozen=True)
class Shown:
    """A page, and what is stored of whom it is shown to.

    Attributes:
        name: how they came to it.
        worker: None where nobody has begun.
        attempt: their latest.
    """

    name: str
    page: Page
    study: Study
    worker: Worker | None
    attempt: Assignment | None

    def __str__(self) -> str:
        return f"{self.study.title}, {self.name}"


def see(name: str, browser: Browser) -> Shown:
    """What a browser shows."""
    study = Study.objects.get(pk=browser.study.pk)
    code = re.search(r"Your resume code is (\w+)", browser.page.words)
    worker = study.workers.filter(resume_code=code[1] if code else "-").first()
    attempt = worker.assignments.order_by("-pk").first() if worker else None
    return Shown(name, browser.page, study, worker, attempt)


def arrive(study: Study, number: int = 1) -> Browser:
    """Somebody new on Welcome."""
    return come(Browser(study), CAME.format(f"p{number}", f"s{number}") if study.platform else "")


def come(browser: Browser, path: str) -> Browser:
    browser.get(path)
    return browser


def begin(browser: Browser) -> Page:
    return browser.press("continue", **({"agreed": "on"} if browser.study.has_consent_box else {}))


def states_of(name: str, clock: Clock) -> Iterator[Shown]:
    """The states that a study of some settings has."""
    study = make_study(title=name, unit_size=3, documents=6, redundancy=4, **SETTINGS[name])
    yield from _whole_way(study, clock)
    yield from _ends(study, clock)
    for number, stage in enumerate(("paused", "closed"), 50):
        browser = arrive(study, number)
        at_work = arrive(study, number + 10)
        begin(at_work)
        (pause(study, None) if stage == "paused" else close_study(study.slug))
        browser.get()
        yield see(stage, browser)
        at_work.press("leave")
        yield see(f"left while {stage}", at_work)
        if stage == "paused":
            resume(study, None)


def _whole_way(study: Study, clock: Clock) -> Iterator[Shown]:
    browser = arrive(study)
    yield see("welcome", browser)
    if study.has_consent_box:
        browser.press("continue")
        yield see("the box not ticked", browser)
    begin(browser)
    browser.get("about/")
    yield see("about", browser)
    browser.get()
    yield from _before_documents(browser)
    yield from _documents(browser, clock)
    yield from _own_pages(browser, clock)
    if "again" in browser.get().buttons:
        browser.press("again")
        yield see("a second set", browser)
        yield from _before_documents(browser)
        yield see("its first document", browser)
        browser.press("leave")
        yield see("left the second set", browser)
        if "again" in browser.page.buttons:
            browser.press("again")
            (_fails_practice if browser.page.step == "practice" else _fails_question)(
                browser, clock
            )
            yield see("failed the third set", browser)
        browser.get("nowhere/")
        yield see("lost", browser)


def _before_documents(browser: Browser) -> Iterator[Shown]:
    if browser.page.step == "practice":
        yield see("practice", browser)
        browser.press("continue")
        yield see("line", browser)
        browser.press("next", score="0")
        yield see("line refused", browser)
        browser.measure_lines()
    if browser.page.step == "instructions":
        yield see("instructions", browser)
        browser.press("continue")
    yield see("topic", browser)
    browser.press("continue")
    yield see("no answer", browser)
    for attempt in range(1, browser.study.tries_at_question):
        browser.answer(right=False)
        yield see(f"wrong answer {attempt}", browser)
    browser.answer()


def _documents(browser: Browser, clock: Clock) -> Iterator[Shown]:
    yield see("first document", browser)
    while browser.page.step == "document":
        browser.judge("next" if "next" in browser.page.buttons else "finish", words="")
        yield see(f"document {browser.page.position} refused", browser)
        browser.judge("next" if "next" in browser.page.buttons else "finish")
        yield see("another document", browser)
    if browser.page.step == "check":
        browser.press("finish")
    yield see("after a failed Finish", browser)
    if browser.page.step != "revise":
        yield from _own_pages(browser, clock)
        browser = arrive(browser.study, 2)
        browser.come_to_documents()
    else:
        browser.press("back")
        yield see("last document revised", browser)
        browser.get("1/")
        yield see("first document revised", browser)
    browser.judge_all(clock, 30)
    if browser.page.step == "check":
        browser.press("finish")
    yield see("done", browser)
    payments = Payment.objects.filter(assignment__completion_code=browser.page.code)
    for state in (Payment.State.PAID, Payment.State.REFUSED, Payment.State.OWED):
        why = ("Too fast.", "other") if state == Payment.State.REFUSED else ("", "")
        payments.update(state=state, reason=why[0], category=why[1])
        browser.get()
        yield see(f"done, {state}", browser)


def _own_pages(browser: Browser, clock: Clock) -> Iterator[Shown]:
    code = browser.page.code
    clock.wait(50)
    browser.get("me/")
    yield see("own page", browser)
    if not code:
        return
    if browser.study.withdraw_days == 1:
        clock.wait(3 * 24 * 3600)
        browser.get("me/")
        yield see("own page after the days of withdrawal", browser)
        return
    browser.press("withdraw", code=code)
    yield see("asked before withdrawing", browser)
    if "sure" in browser.page.buttons:
        browser.press("sure")
        yield see("own page after withdrawing", browser)
        browser.get()
        yield see("done and withdrawn", browser)


def _ends(study: Study, clock: Clock) -> Iterator[Shown]:
    browser = arrive(study, 10)
    browser.press("leave")
    yield see("not taking part", browser)
    number = 10
    for end in (_fails_practice, _fails_question, _expires, _is_released, _leaves):
        number += 1
        browser = arrive(study, number)
        begin(browser)
        end(browser, clock)
        yield see(end.__name__, browser)
        if end in (_fails_practice, _fails_question) and "again" in browser.page.buttons:
            browser.press("again")
            yield see(f"begun again, {end.__name__}", browser)
            if browser.page.step == "practice":
                browser.press("continue")
                yield see(f"practice again, {end.__name__}", browser)
                _fails_practice(browser, clock)
                yield see(f"practice failed, {end.__name__}", browser)


def _fails_practice(browser: Browser, clock: Clock) -> None:
    browser.person().come_to("practice").practise(5, 5, 5)
    browser.get()


def _fails_question(browser: Browser, clock: Clock) -> None:
    person = browser.person().come_to("topic")
    while person.assignment.is_live:
        person.answer("a wrong one")
    browser.get()


def _expires(browser: Browser, clock: Clock) -> None:
    while browser.assignment.is_live:
        clock.wait(59)  # after a minute without a tick deadlines move on
        flow.expire_overdue(clock.now)
    browser.get()


def _is_released(browser: Browser, clock: Clock) -> None:
    attempt = browser.assignment
    unit = f"{attempt.study_topic.topic.query_id}-{attempt.unit.number}"
    flow.release_unit(browser.study, unit, None, clock.now)
    browser.get()


def _leaves(browser: Browser, clock: Clock) -> None:
    browser.press("leave")


# --- where there is nothing to do --------------------------------------------------------------
def states_without_work(clock: Clock) -> Iterator[Shown]:
    """Nothing to do, for each reason that there is."""
    yield from _units_taken(clock)
    yield from _places_taken(clock)
    yield from _elsewhere(clock)


def _small(title: str, **settings: Any) -> Study:
    of_one_unit = {"documents": 4, "redundancy": 1, "unit_size": 4}
    return make_study(**{**of_one_unit, "title": title, **settings})


def _completes(browser: Browser, clock: Clock) -> None:
    browser.come_to_documents()
    browser.judge_all(clock, 30)


def _units_taken(clock: Clock) -> Iterator[Shown]:
    study = _small("units")
    late, first = arrive(study), arrive(study, 2)
    begin(first)
    begin(late)
    yield see("all units taken", late)
    _completes(first, clock)
    late.get()
    yield see("all units done", late)


def _places_taken(clock: Clock) -> Iterator[Shown]:
    study = _small("places", most_workers=1, redundancy=20, topics=2)
    late, first = arrive(study), arrive(study, 2)
    begin(first)
    begin(late)
    yield see("one place, and it is taken", late)
    _leaves(first, clock)
    begin(come(late, ""))
    first.get()
    yield see("the place that was left is taken", first)
    _completes(late, clock)
    first.get()
    yield see("the place that was left is used up", first)
    yield see("full", arrive(study, 3))
    study = _small("visitors", redundancy=4)
    people = [arrive(study, number) for number in range(3)]
    for browser in people:
        begin(browser)
    yield see("visitors have as many units as they may", people[2])
    study = _small("quota", redundancy=9, newcomers_an_hour=1, newcomers_a_day=4)
    begin(arrive(study))
    yield see("quota", arrive(study, 2))


def _elsewhere(clock: Clock) -> Iterator[Shown]:
    yield see("draft", arrive(make_study(opened=False, title="draft")))
    earlier = _small("earlier", topics=2, **OF_PLATFORM)
    judged = arrive(earlier)
    begin(judged)
    _completes(judged, clock)
    study = _small("later", excluded_studies=[earlier.slug], **OF_PLATFORM)
    yield see("took part", arrive(study))
    alone = _small("alone", **{**OF_PLATFORM, "entry": "platforms"})
    yield see("by invitation", come(Browser(alone), ""))
    yield see("placeholder", come(Browser(alone), "?PROLIFIC_PID={{%PROLIFIC_PID%}}"))
    yield see("resume", come(Browser(earlier), "resume/"))
    yield see("own page of nobody", come(Browser(earlier), "me/"))
    begin(lost := arrive(alone, 7))
    form = {**lost.page.form("continue"), "action": "continue"}
    stranger = Browser(alone)
    stranger.post("", form)
    yield see("not recognised", stranger)
    yield from _rehearsed(rehearse(earlier, None, slug="tried", units=2), clock)


def _rehearsed(study: Study, clock: Clock) -> Iterator[Shown]:
    browser = come(Browser(study), "")
    yield see("welcome", browser)
    begin(browser)
    _completes(browser, clock)
    yield see("done", browser)
