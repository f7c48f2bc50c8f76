"""Every sentence that promises something is true wherever it is shown.

A sentence with a word of PROMISING must be one of PROMISES, with what has to be true of study and
worker where it stands. What must not be left out where it is true is in OWED.
"""

import re
from collections.abc import Callable, Iterator
from functools import lru_cache

import lxml.html
import pytest

from judging.models import Assignment, Payment, Unit
from judging.states import LIVE, PAID, State
from tests.judging.browsing import Page
from tests.judging.pages.states import SETTINGS, Shown, states_of, states_without_work

pytestmark = pytest.mark.django_db

BLOCKS = (
    *("p", "li", "dd", "dt", "h1", "h2", "summary", "legend", "label", "button", "div"),
    *("blockquote", "ul", "ol", "dl", "strong"),
)
FOREIGN = (
    "//blockquote | //textarea | //script | //ul[@class='codes']"
    "| //*[@class='document' or @class='asked' or @class='topic' or @class='options']"
)
PROMISING = re.compile(
    r"\b(another|others?|again|once more|twice more|still|stays?|is left|are left|every page|each"
    r" document now|all sets|kept|keeps?|until|as often as|times? in all|more times?|lost|safe|"
    r"paid|pays?|earned|bonus|valid|withdraw\w*|later|will be|will go|deleted|free|recorded about"
    r")\b",
    re.IGNORECASE,
)
Truth = Callable[[Shown, re.Match[str]], bool]


def sentences(page: Page) -> Iterator[str]:
    """The sentences of a page that are ours: no document, no text of a topic or a study."""
    body = lxml.html.document_fromstring(page.html).body
    for foreign in body.xpath(FOREIGN):
        foreign.drop_tree()
    for block in body.iter(*BLOCKS):
        if block.tag != "strong" and not any(True for _ in block.iterdescendants(*BLOCKS[:-1])):
            words = " ".join(block.text_content().split())
            yield from filter(None, re.split(r"(?<=[.!?])\s+(?=[A-Z“£$])", words))


# --- what is so, by the database ---------------------------------------------------------------
def so(truth: Callable[[Shown], object]) -> Truth:
    """A sentence without a number of its own."""
    return lambda shown, match: bool(truth(shown))


def counts(number: Callable[[Shown], int]) -> Truth:
    """A sentence whose number is this one."""
    return lambda shown, match: int(match[1]) == number(shown)


def of(attribute: str, *values: object) -> Truth:
    """A setting of the study is so; its number is the one in the sentence, if no value is given."""

    def truth(shown: Shown, match: re.Match[str]) -> bool:
        value = getattr(shown.study, attribute)
        return value in values if values else str(value) == match[1]

    return truth


def step(*names: str) -> Truth:
    return so(lambda shown: shown.page.step in names)


def ended(*states: str) -> Truth:
    return so(lambda shown: shown.attempt and shown.attempt.state in states)


def both(*truths: Truth) -> Truth:
    return lambda shown, match: all(truth(shown, match) for truth in truths)


@lru_cache(64)
def attempts(shown: Shown) -> list[Assignment]:
    return list(shown.worker.assignments.order_by("pk")) if shown.worker else []


def has_earned(shown: Shown) -> bool:
    return any(attempt.completion_code for attempt in attempts(shown))


def has_passed_before(shown: Shown) -> bool:
    return any(attempt.state in PAID for attempt in attempts(shown)[:-1])


def goes_to_topic(shown: Shown) -> bool:
    passed = any(attempt.state in PAID for attempt in attempts(shown))
    return passed and shown.study.practice == "once per worker"


@lru_cache(64)
def units_for(shown: Shown, *, free: bool, topic_too: bool = True) -> list[Unit]:
    """Units not completed that a worker has not had, of topics that are open to them."""
    had = attempts(shown)
    units = {attempt.unit_id for attempt in had}
    topics = {attempt.study_topic_id for attempt in had if attempt.barred}
    if not topic_too and shown.attempt:
        topics.add(shown.attempt.study_topic_id)
    held = Assignment.objects.filter(state__in=(*LIVE, State.COMPLETED) if free else ["completed"])
    found = Unit.objects.filter(study=shown.study).exclude(pk__in=held.values("unit"))
    return [unit for unit in found if unit.pk not in units and unit.study_topic_id not in topics]


def tries_left(shown: Shown) -> int:
    failed = sum(attempt.state == "failed" for attempt in attempts(shown))
    return (shown.study.attempts or 1_000) - failed


def sets_left(shown: Shown) -> int:
    paid = sum(bool(attempt.completion_code) for attempt in attempts(shown))
    most = {"none": 1}.get(shown.study.further, shown.study.max_units_per_worker or 1_000)
    return min(len({unit.study_topic_id for unit in units_for(shown, free=True)}), most - paid)


def has_place(shown: Shown) -> bool:
    """Whether fewer others than the study takes are at work, or have been paid."""
    others = shown.study.workers.exclude(pk=shown.worker.pk if shown.worker else None)
    at_work = others.filter(assignments__state__in=(*LIVE, *PAID)).distinct().count()
    return not shown.study.most_workers or at_work < shown.study.most_workers


def may_begin(shown: Shown) -> bool:
    may = shown.study.stage == "open" and has_place(shown)
    return may and tries_left(shown) > 0 and sets_left(shown) > 0


def may_fail(shown: Shown, *, topic_too: bool) -> bool:
    """Whether there is another set after a failed check; the question's takes the topic away."""
    others = units_for(shown, free=False, topic_too=topic_too)
    return shown.study.stage == "open" and tries_left(shown) > 1 and bool(others)


def has_other_topic(shown: Shown) -> bool:
    return may_fail(shown, topic_too=False)


def has_other_documents(shown: Shown) -> bool:
    return may_fail(shown, topic_too=True)


def has_several_topics(shown: Shown) -> bool:
    return shown.study.topics.count() > 1


def answers_left(shown: Shown) -> int:
    wrong = shown.attempt.wrong_answers if shown.attempt else 0
    return shown.study.tries_at_question - wrong


def taken(*, units: bool) -> Truth:
    """Somebody is at work, and all units, or all places alone, are taken."""

    def truth(shown: Shown) -> bool:
        held = Assignment.objects.filter(study=shown.study, state__in=LIVE).exists()
        return held and bool(units_for(shown, free=True)) is not units

    return so(truth)


def pay_is(*states: str) -> Truth:
    """A unit is at one of these states of pay, for the amount in the sentence."""

    def truth(shown: Shown, match: re.Match[str]) -> bool:
        payments = Payment.objects.filter(assignment__worker=shown.worker, state__in=states)
        return any(f"{payment.amount}" in match[1] for payment in payments)

    return truth


def kept_for(shown: Shown, match: re.Match[str]) -> bool:
    study = shown.study
    return (match[1], match[2]) == (f"{study.expiry_minutes:g}", f"{study.practice_minutes:g}")


def counts_presses(shown: Shown, match: re.Match[str]) -> bool:
    pressed = shown.attempt.failed_finishes if shown.attempt else 0
    return shown.study.max_failed_finishes == int(match[1]) + pressed


def leaving_pays(shown: Shown) -> bool:
    """On a platform, after a failed Finish."""
    return bool(shown.attempt and shown.attempt.state == State.REVISING and shown.study.platform)


def keeps_pay_only(shown: Shown) -> bool:
    return any(each.completion_code and not each.judgments.exists() for each in attempts(shown))


always = so(lambda shown: True)
pays = so(lambda shown: shown.study.payment)
unpaid = so(lambda shown: not shown.study.payment)
earned, passed_before = so(has_earned), so(has_passed_before)
several_topics = so(has_several_topics)
live = so(lambda shown: shown.attempt and shown.attempt.is_live)
used_up = so(lambda shown: not units_for(shown, free=False) or sets_left(shown) <= 0)
ON_PLATFORM = of("platform", "prolific")
RATED = of("max_failed_finishes", None)
AMOUNT = r"([£$][\d.]+)"
PROMISES: dict[str, Truth] = {
    # another set
    r"You may then begin again, as long as there are other documents": so(has_other_documents),
    r"You may then begin again with another topic, as long as": so(has_other_topic),
    r"You may then begin again with another, as long as": both(
        several_topics, of("attempts", None)
    ),
    r"You may then begin again with another, until (\d+) sets": both(
        several_topics, of("attempts")
    ),
    r"There is another topic for you": so(may_begin),
    r"^(Judge another topic|Begin again|Another topic, for a bonus)$": so(may_begin),
    r"You may begin again, with other documents|you may begin with another set": so(may_begin),
    r"(\d+) sets? (?:is|are) left for you": counts(sets_left),
    r"(\d+) tr(?:y|ies) (?:is|are) left to you": counts(tries_left),
    r"There is no other topic for you|has no more documents for you": used_up,
    r"as often as this study allows, so there is no other set": so(lambda s: tries_left(s) == 0),
    r"^There is nothing left for you": used_up,
    r"It takes about \d+ minutes in all": so(lambda s: may_begin(s) and not goes_to_topic(s)),
    r"The next set begins at the topic, and its documents take": so(
        lambda s: may_begin(s) and goes_to_topic(s)
    ),
    r"To read the instructions again, open the word": both(step("topic"), passed_before),
    r"^Read (the instructions again|again how it goes)$": both(
        step("instructions", "practice"), passed_before
    ),
    r"There is at most one set on each topic": always,
    # who else is there
    r"All sets of documents are with other people|all other sets are with other": taken(units=True),
    r"A set is free again": taken(units=True),
    r"as many people as can work at the same time have begun|A place is free": taken(units=False),
    r"paused: no documents are given out|It will go on later": of("stage", "paused"),
    r"has ended and takes no further work": of("stage", "closed"),
    r"It is still being prepared": of("stage", "draft"),
    r"This study asks people who have not judged|stays paid": so(lambda s: s.name == "took part"),
    r"[Nn]othing has been recorded about you": so(lambda s: s.worker is None),
    # tries
    r"If it is wrong, you may answer (once|twice) more": lambda s, m: (
        answers_left(s) == {"once": 2, "twice": 3}[m[1]]
    ),
    r"You can press Finish (\d+) more time": counts_presses,
    r"you can press Finish (\d+) times in all": of("max_failed_finishes"),
    r"If your work fails at the end, you may revise it as often as you like": RATED,
    r"revise it, and finish again as often as you need": RATED,
    r"You can revise it, and finish again\.": so(lambda s: s.study.max_failed_finishes),
    r"you have finished as often as is allowed": ended("exhausted"),
    r"page of each document now has a Finish button": ended("revising"),
    r"Nothing that you entered is lost": ended("revising"),
    # what is kept
    r"kept for (\d+) minutes? after the last page that you sent \((\d+) until": kept_for,
    r"for (\d+) minutes? \((\d+) until you have sent the first document\), your answers": kept_for,
    r"are kept until|^Keep them longer$": live,
    r"at the top of each page shows them again": step("instructions"),
    r"Codes that you have earned stay valid": earned,
    r"What you earned before stays yours": so(
        lambda s: any(each.completion_code for each in attempts(s)[:-1])
    ),
    r"^Completion codes? you have earned": earned,
    r"What you have entered for this set of documents will be deleted": both(
        live, so(lambda s: not leaving_pays(s))
    ),
    r"If every document has an answer when you leave, you are paid": so(leaving_pays),
    r"Otherwise what you have entered will be deleted": so(leaving_pays),
    r"What you entered for this set of documents has been deleted": ended("left"),
    r"[Ww]hat you had entered for them has been deleted": ended("expired", "released", "returned"),
    r"[Ii]f you were still (reading|working)": ended("expired", "released"),
    r"What you entered for this set has been deleted, as you asked": ended("withdrawn"),
    r"Your answers of the set .* have been deleted": so(keeps_pay_only),
    r"Your code stays valid": both(earned, unpaid),
    r"You keep your pay, and your code stays valid": pays,
    r"You keep your pay\.$": pays,
    # withdrawing
    r"you may withdraw your answers for (\d+) days?": of("withdraw_days"),
    r"you may withdraw your answers\.": of("withdraw_days", None),
    r"you may have your answers withdrawn": of("withdraw_days", 0),
    r"which is then linked at the foot of every page": so(lambda s: s.study.withdraw_days != 0),
    r"can withdraw its answers until": so(lambda s: s.study.withdraw_days),
    r"You can withdraw its answers\.": of("withdraw_days", None),
    r"could be withdrawn until": so(lambda s: s.name.endswith("after the days of withdrawal")),
    r"(?:here for|deleted) (\d+) days? after (?:the study|you have finished)": lambda s, m: (
        m[1] in (str(s.study.retention_days), str(s.study.withdraw_days))
    ),
    r"Later, write to": so(lambda s: s.study.withdraw_days is not None),
    r"It is deleted when you ask for it": of("retention_days", None),
    r"may stay in backups for up to (\d+) day": of("backup_days"),
    # pay
    rf"{AMOUNT} will be paid for it": pay_is("owed", "approved"),
    rf"{AMOUNT} paid": pay_is("paid"),
    rf"{AMOUNT} refused: ": pay_is("refused"),
    rf"{AMOUNT} earned": pay_is("owed"),
    r"What you are paid, whatever becomes": both(earned, pays),
    rf"{AMOUNT} for (?:the|each|the first) set that you finish": pays,
    r"With it you can withdraw your answers on your page, which also says when you are paid": pays,
    r"ou can withdraw your answers on your page\.": unpaid,
    r"^Your page: your codes, your pay,": both(earned, pays),
    r"^Your page: your codes, what is stored": both(earned, unpaid),
    r"Nothing is paid|nothing is paid|^No pay$": unpaid,
    r"^Your pay$|^Pay$": always,
    r"This set is not paid|^It is not paid": so(
        lambda s: not (s.attempt and s.attempt.completion_code)
    ),
    r"has been deleted, and the set is not paid": ended("left"),
    r"There is no code and no pay for it": both(ended("exhausted"), of("pays_after_limit", False)),
    r"You are paid for your work all the same": both(pays, of("pays_after_limit", True)),
    r"Your time is paid all the same": so(lambda s: not has_earned(s) and s.study.screen_out_code),
    r"your pay does not depend on it": always,
    r"In all you have earned|on top of what you have earned": earned,
    # where a platform waits
    r"return your submission|your place goes to somebody else": both(
        ON_PLATFORM, so(lambda s: not has_earned(s))
    ),
    r"Your submission must be sent by": both(earned, of("further", "bonus")),
    r"Return to Prolific|Press it by": ON_PLATFORM,
}
# Have a word of PROMISING, and are so in every state.
PLAIN = re.compile(
    r"resume code|another device|That you did the set, and how long"
    r"|The answers of this set are deleted|its id for you is kept apart|The id by which"
    r"|open the study once more|read about the study again"
    r"|^Look again$|^No, keep them$|Keep this code|Nothing that you have typed is lost|cookies"
    r"|to read it again|each number with the others|answers once more|the topic once more"
    r"|The topic once more|who is to be paid|any other unit|a smaller one"
    r"|look at your number before"
    r"|The practice once more|except in copies|are deleted for good|You are asked once more"
    r"|^With a completion code|^Withdraw|Your answers have been|^This tab has kept it"
    r"|^bonus$|^later$"
    r"|Read the whole information again|You can read this page again|it is deleted, or earlier"
    r"|Copies that"
)
# Steps and what holds there: then the sentence must stand on the page.
OWED: list[tuple[tuple[str, ...], Callable[[Shown], bool], str]] = [
    (("failed", "left"), lambda s: bool(s.worker) and may_begin(s), "Begin again"),
    (("done",), may_begin, "There is another topic for you"),
    (("topic",), lambda s: answers_left(s) == 1 and has_other_topic(s), "with another topic"),
    (("practice",), has_other_documents, "other documents for you"),
    (("welcome",), has_several_topics, "You may then begin again with another"),
    (("left", "failed", "done"), has_earned, "Your page"),
    (("topic",), lambda s: has_passed_before(s) and goes_to_topic(s), "As before: "),
    (
        *(("practice", "instructions"), lambda s: has_passed_before(s) and not s.page.lines),
        "As before: ",
    ),
    (("left", "practice", "topic", "document"), has_earned, "earned"),
]


def wrong_with(shown: Shown) -> Iterator[str]:
    """Sentences that promise what nobody looks after, or what is not so, or that are left out."""
    for sentence in sentences(shown.page):
        kept = [(p, m) for p in PROMISES if (m := re.search(p, sentence))]
        if not kept and PROMISING.search(sentence) and not PLAIN.search(sentence):
            yield f"is in no list: {sentence!r}"
        for pattern, match in kept:
            USED.add(pattern)
            if not PROMISES[pattern](shown, match):
                yield f"is not so: {sentence!r}"
    for steps, truth, words in OWED:
        if shown.page.step in steps and truth(shown) and words not in shown.page.words:
            yield f"is left out: {words!r}"


def times_without_a_moment(shown: Shown) -> Iterator[str]:
    """Times in UTC that no script can show by the clock of the computer."""
    body = lxml.html.document_fromstring(shown.page.html).body
    for time in body.iter("time"):
        if time.get("datetime"):
            time.drop_tree()
    yield from re.findall(r"[^.]*\d\d:\d\d UTC[^.]*", body.text_content())


USED: set[str] = set()


@pytest.mark.parametrize("name", [*SETTINGS, "without work"])
def test_what_pages_promise_is_so(clock, name):
    states = states_of(name, clock) if name in SETTINGS else states_without_work(clock)
    wrong: dict[str, str] = {}  # with the first page of each
    for shown in states:
        found = [*wrong_with(shown), *times_without_a_moment(shown)]
        wrong = dict.fromkeys(found, str(shown)) | wrong
    assert not wrong, "\n".join(f"{line} ({where})" for line, where in wrong.items())


def test_each_promise_is_on_a_page():
    """After the others: a sentence that has gone is looked after no more."""
    assert set(PROMISES) == USED
