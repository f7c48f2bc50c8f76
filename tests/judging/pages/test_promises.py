"""Every sentence that promises something is true wherever it is shown.

A sentence with a word of PROMISING must be one of PROMISES, with what has to be true of study and
worker where it stands. What must not be left out where it is true is in OWED.
"""

import re
from collections.abc import Callable, Iterator

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
def always(shown: Shown, match: re.Match[str]) -> bool:
    return True


def of(attribute: str, *values: object) -> Truth:
    """A setting of the study is so; its number is the one in the sentence, if no value is given."""

    def truth(shown: Shown, match: re.Match[str]) -> bool:
        value = getattr(shown.study, attribute)
        return value in values if values else str(value) == match[1]

    return truth


def step(*names: str) -> Truth:
    return lambda shown, match: shown.page.step in names


def ended(*states: str) -> Truth:
    return lambda shown, match: shown.attempt is not None and shown.attempt.state in states


def both(*truths: Truth) -> Truth:
    return lambda shown, match: all(truth(shown, match) for truth in truths)


def attempts(shown: Shown) -> list[Assignment]:
    return list(shown.worker.assignments.order_by("pk")) if shown.worker else []


def earned(shown: Shown, match: re.Match[str] | None = None) -> bool:
    return any(attempt.completion_code for attempt in attempts(shown))


def earned_before(shown: Shown, match: re.Match[str]) -> bool:
    return any(attempt.completion_code for attempt in attempts(shown)[:-1])


def passed_before(shown: Shown, match: re.Match[str] | None = None) -> bool:
    return any(attempt.state in PAID for attempt in attempts(shown)[:-1])


def goes_to_topic(shown: Shown) -> bool:
    passed = any(attempt.state in PAID for attempt in attempts(shown))
    return passed and shown.study.practice == "once per worker"


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


def is_open(shown: Shown) -> bool:
    return shown.study.stage == "open"


def has_place(shown: Shown) -> bool:
    """Whether fewer others than the study takes are at work, or have been paid."""
    others = shown.study.workers.exclude(pk=shown.worker.pk if shown.worker else None)
    at_work = others.filter(assignments__state__in=(*LIVE, *PAID)).distinct().count()
    return not shown.study.most_workers or at_work < shown.study.most_workers


def may_begin(shown: Shown, match: re.Match[str] | None = None) -> bool:
    may = is_open(shown) and has_place(shown)
    return may and tries_left(shown) > 0 and sets_left(shown) > 0


def another_topic(shown: Shown, match: re.Match[str]) -> bool:
    """After a wrong answer, should one come, there may be another topic."""
    others = units_for(shown, free=False, topic_too=False)
    return is_open(shown) and tries_left(shown) > 1 and bool(others)


def other_documents(shown: Shown, match: re.Match[str]) -> bool:
    """After lines in the wrong order, should they be."""
    return is_open(shown) and tries_left(shown) > 1 and bool(units_for(shown, free=False))


def several_topics(shown: Shown, match: re.Match[str] | None = None) -> bool:
    return shown.study.topics.count() > 1


def counts_sets(shown: Shown, match: re.Match[str]) -> bool:
    return int(match[1]) == sets_left(shown)


def counts_tries(shown: Shown, match: re.Match[str]) -> bool:
    return int(match[1]) == tries_left(shown)


def last_answer(shown: Shown) -> bool:
    wrong = shown.attempt.wrong_answers if shown.attempt else 0
    return shown.study.tries_at_question == wrong + 1


def counts_answers(shown: Shown, match: re.Match[str]) -> bool:
    left = shown.study.tries_at_question - (shown.attempt.wrong_answers if shown.attempt else 0)
    return left == {"once": 2, "twice": 3}[match[1]]


def counts_presses(shown: Shown, match: re.Match[str]) -> bool:
    pressed = shown.attempt.failed_finishes if shown.attempt else 0
    return shown.study.max_failed_finishes == int(match[1]) + pressed


def all_taken(shown: Shown, match: re.Match[str]) -> bool:
    held = Assignment.objects.filter(study=shown.study, state__in=LIVE).exists()
    return held and not units_for(shown, free=True)


def places_taken(shown: Shown, match: re.Match[str]) -> bool:
    held = Assignment.objects.filter(study=shown.study, state__in=LIVE).exists()
    return held and bool(units_for(shown, free=True))


def used_up(shown: Shown, match: re.Match[str]) -> bool:
    return not units_for(shown, free=False) or sets_left(shown) <= 0


def pay_is(*states: str) -> Truth:
    """A unit is at one of these states of pay, for the amount in the sentence."""

    def truth(shown: Shown, match: re.Match[str]) -> bool:
        payments = Payment.objects.filter(assignment__worker=shown.worker, state__in=states)
        return any(f"{payment.amount}" in match[1] for payment in payments)

    return truth


def unpaid(shown: Shown, match: re.Match[str]) -> bool:
    return not shown.study.payment


def pays(shown: Shown, match: re.Match[str]) -> bool:
    return bool(shown.study.payment)


def live(shown: Shown, match: re.Match[str]) -> bool:
    return shown.attempt is not None and shown.attempt.is_live


def withdrawn(shown: Shown, match: re.Match[str]) -> bool:
    return any(each.completion_code and not each.judgments.exists() for each in attempts(shown))


def leaving_pays(shown: Shown, match: re.Match[str]) -> bool:
    """On a platform, after a failed Finish."""
    return bool(shown.attempt and shown.attempt.state == State.REVISING and shown.study.platform)


def _has_code(shown: Shown) -> bool:
    return bool(shown.attempt and shown.attempt.completion_code)


def nobody_yet(shown: Shown, match: re.Match[str]) -> bool:
    return shown.worker is None


def kept_for(shown: Shown, match: re.Match[str]) -> bool:
    study = shown.study
    return (match[1], match[2]) == (f"{study.expiry_minutes:g}", f"{study.practice_minutes:g}")


def may_withdraw(shown: Shown, match: re.Match[str]) -> bool:
    return str(shown.study.withdraw_days) == match[1]


ON_PLATFORM = of("platform", "prolific")
RATED = of("max_failed_finishes", None)
AMOUNT = r"([£$][\d.]+)"
PROMISES: dict[str, Truth] = {
    # another set
    r"You may then begin again, as long as there are other documents": other_documents,
    r"You may then begin again with another topic, as long as": another_topic,
    r"You may then begin again with another, as long as": both(
        several_topics, of("attempts", None)
    ),
    r"You may then begin again with another, until (\d+) sets": both(
        several_topics, of("attempts")
    ),
    r"There is another topic for you": may_begin,
    r"^(Judge another topic|Begin again|Another topic, for a bonus)$": may_begin,
    r"You may begin again, with other documents|you may begin with another set": may_begin,
    r"(\d+) sets? (?:is|are) left for you": counts_sets,
    r"(\d+) tr(?:y|ies) (?:is|are) left to you": counts_tries,
    r"There is no other topic for you|has no more documents for you": used_up,
    r"as often as this study allows, so there is no other set": lambda s, m: tries_left(s) == 0,
    r"^There is nothing left for you": used_up,
    r"It takes about \d+ minutes in all": lambda s, m: may_begin(s) and not goes_to_topic(s),
    r"The next set begins at the topic, and its documents take": lambda s, m: (
        may_begin(s) and goes_to_topic(s)
    ),
    r"To read the instructions again, open the word": both(step("topic"), passed_before),
    r"^Read (the instructions again|again how it goes)$": both(
        step("instructions", "practice"), passed_before
    ),
    r"There is at most one set on each topic": always,
    # who else is there
    r"All sets of documents are with other people|all other sets are with other": all_taken,
    r"A set is free again": all_taken,
    r"as many people as can work at the same time have begun|A place is free": places_taken,
    r"paused: no documents are given out|It will go on later": of("stage", "paused"),
    r"has ended and takes no further work": of("stage", "closed"),
    r"It is still being prepared": of("stage", "draft"),
    r"This study asks people who have not judged|stays paid": lambda s, m: s.name == "took part",
    r"[Nn]othing has been recorded about you": nobody_yet,
    # tries
    r"If it is wrong, you may answer (once|twice) more": counts_answers,
    r"You can press Finish (\d+) more time": counts_presses,
    r"you can press Finish (\d+) times in all": of("max_failed_finishes"),
    r"If it does not pass, you may revise it as often as you like": RATED,
    r"revise it, and finish again as often as you need": RATED,
    r"You can revise it, and finish again\.": lambda s, m: bool(s.study.max_failed_finishes),
    r"you have finished as often as is allowed": ended("exhausted"),
    r"page of each document now has a Finish button": ended("revising"),
    r"Nothing that you entered is lost": ended("revising"),
    r"work is checked once more": always,
    # what is kept
    r"kept for (\d+) minutes? after the last page that you sent \((\d+) until": kept_for,
    r"for (\d+) minutes? \((\d+) until you have sent the first document\), the set": kept_for,
    r"are kept until|^Keep them longer$": live,
    r"You can read these instructions again at any time": step("instructions"),
    r"Codes that you have earned stay valid": earned,
    r"What you earned before stays yours": earned_before,
    r"^Completion codes? you have earned": earned,
    r"What you have entered for this set of documents will be deleted": both(
        live, lambda s, m: not leaving_pays(s, m)
    ),
    r"If every document has an answer when you leave, you are paid": leaving_pays,
    r"Otherwise what you have entered will be deleted": leaving_pays,
    r"What you entered for this set of documents has been deleted": ended("left"),
    r"[Ww]hat you had entered for them has been deleted": ended("expired", "released", "returned"),
    r"[Ii]f you were still (reading|working)": ended("expired", "released"),
    r"What you entered for this set has been deleted, as you asked": ended("withdrawn"),
    r"Your answers of the set .* have been deleted": withdrawn,
    r"Your code stays valid": both(earned, unpaid),
    r"You keep your pay, and your code stays valid": pays,
    r"You keep your pay\.$": pays,
    # withdrawing
    r"you may withdraw your answers for (\d+) days?": may_withdraw,
    r"you may withdraw your answers\.": of("withdraw_days", None),
    r"you may have your answers withdrawn": of("withdraw_days", 0),
    r"which is then linked at the foot of every page": lambda s, m: s.study.withdraw_days != 0,
    r"can withdraw its answers until": lambda s, m: bool(s.study.withdraw_days),
    r"You can withdraw its answers\.": of("withdraw_days", None),
    r"could be withdrawn until": lambda s, m: s.name.endswith("after the days of withdrawal"),
    r"(?:here for|deleted) (\d+) days? after (?:the study|you have finished)": lambda s, m: (
        m[1] in (str(s.study.retention_days), str(s.study.withdraw_days))
    ),
    r"Later, write to": lambda s, m: s.study.withdraw_days is not None,
    r"It is deleted when you ask for it": of("retention_days", None),
    r"may stay in backups for up to (\d+) day": of("backup_days"),
    # pay
    rf"{AMOUNT} will be paid for it": pay_is("owed", "approved"),
    rf"{AMOUNT} paid": pay_is("paid"),
    rf"{AMOUNT} refused: ": pay_is("refused"),
    rf"{AMOUNT} earned": pay_is("owed"),
    r"What you are paid, whatever becomes": lambda s, m: earned(s) and pays(s, m),
    rf"{AMOUNT} for (?:the|each|the first) set that you finish": pays,
    r"With it you can withdraw your answers on your page, which also says when you are paid": pays,
    r"ou can withdraw your answers on your page\.": lambda s, m: not pays(s, m),
    r"^Your page: your codes, your pay,": both(earned, pays),
    r"^Your page: your codes, what is stored": both(earned, unpaid),
    r"Nothing is paid|nothing is paid|^No pay$": unpaid,
    r"^Your pay$|^Pay$": always,
    r"This set is not paid|^It is not paid": lambda s, m: (
        not (s.attempt and s.attempt.completion_code)
    ),
    r"has been deleted, and the set is not paid": ended("left"),
    r"There is no code and no pay for it": both(ended("exhausted"), of("pays_after_limit", False)),
    r"You are paid for your work all the same": both(pays, of("pays_after_limit", True)),
    r"Your time is paid all the same": lambda s, m: not earned(s) and bool(s.study.screen_out_code),
    r"your pay does not depend on it": always,
    r"In all you have earned|on top of what you have earned": earned,
    # where a platform waits
    r"return your submission|your place goes to somebody else": both(
        ON_PLATFORM, lambda s, m: not earned(s)
    ),
    r"Your submission must be sent by": both(earned, of("further", "bonus")),
    r"Return to Prolific|Press it by": ON_PLATFORM,
}
NO_MATCH = re.compile("").search("")
assert NO_MATCH
# Have a word of PROMISING, and are so in every state.
PLAIN = re.compile(
    r"resume code|another device|That you did the set, and how long"
    r"|The answers of this set are deleted|its id for you is kept apart|The id by which"
    r"|open the study once more|read about the study again"
    r"|^Look again$|^No, keep them$|Keep this code|Nothing that you have typed is lost|cookies"
    r"|to read it again|each number with the others|answers once more|the topic once more"
    r"|The topic once more|who is to be paid|any other unit|a smaller one|look at your number once"
    r"|The practice once more|but for copies|are deleted for good|You are asked once more"
    r"|^With a completion code|^Withdraw|Your answers have been|^This tab has kept it"
    r"|^bonus$|^later$"
    r"|Read the whole information again|You can read this page again|it is deleted, or earlier"
    r"|Copies that"
)
# Steps and what holds there: then the sentence must stand on the page.
OWED: list[tuple[tuple[str, ...], Callable[[Shown], bool], str]] = [
    (("failed", "left"), lambda s: bool(s.worker) and may_begin(s), "Begin again"),
    (("done",), may_begin, "There is another topic for you"),
    (("topic",), lambda s: last_answer(s) and another_topic(s, NO_MATCH), "with another topic"),
    (("practice",), lambda s: other_documents(s, NO_MATCH), "other documents for you"),
    (("welcome",), lambda s: several_topics(s), "You may then begin again with another"),
    (("left", "failed", "done"), lambda s: earned(s), "Your page"),
    (("topic",), lambda s: passed_before(s) and goes_to_topic(s), "As before: "),
    (
        *(("practice", "instructions"), lambda s: passed_before(s) and not s.page.lines),
        "As before: ",
    ),
    (("left", "practice", "topic", "document"), lambda s: earned(s), "earned"),
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
