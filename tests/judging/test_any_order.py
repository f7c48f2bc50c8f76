"""Several workers doing whatever comes to mind, in any order: after each move all must be well."""

from datetime import datetime, timedelta

import pytest
from django.db import transaction
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)

from judging import flow
from judging.models import Assignment, Unit
from judging.states import LIVE, TRANSITIONS, State
from judging.studies.conduct.closing import close_study
from tests.cast import Person, dora
from tests.factory import GRADED, NOON, make_study
from tests.judging.invariants import broken

NAMES = ("ada", "ben", "dora")
WHO = st.sampled_from(NAMES)
PAGES = st.integers(0, 9)
SCORES = st.sampled_from(["100", "1", "10", "1", "0", "", "x", "1/2"])
WORDS = st.sampled_from(["because", "because", ""])
SELDOM = st.sampled_from([False, False, False, True])
LATE = 58  # seconds between ticks under load: many periods, but no outage
INSTANT = timedelta(milliseconds=1)  # keeps what happened before a tick apart from what came after
PREPARING = ("practice", "instructions", "topic")
COUNTERS = ("furthest", "failed_finishes", "back_steps", "revise_steps")


def reachable() -> dict[str, set[str]]:
    """From each state, itself and all that may ever follow."""
    follow = {state: {state} for state in State}
    for _ in State:
        for t in TRANSITIONS:
            if t.source:
                follow[t.source] |= follow[t.target]
    return follow


FOLLOW = reachable()


class Study(RuleBasedStateMachine):
    """Two topics of two units each, and three workers, one of them with two devices."""

    @initialize(
        practice=st.sampled_from(["every unit", "once per worker"]),
        max_units_per_worker=st.sampled_from([None, None, 1]),
        most_workers=st.sampled_from([None, None, 2]),
        newcomers_an_hour=st.sampled_from([None, None, 2]),
        most_failed_finishes=st.sampled_from([None, None, 2]),
        pay_after_limit=st.booleans(),
        check_before_finish=st.booleans(),
        question_tries=st.sampled_from([None, 2, 3]),
        attempts=st.sampled_from([None, 2]),
        further_units=st.sampled_from(["", "", "none"]),
        minimum_seconds=st.sampled_from([0, 5]),
        documents=st.booleans(),
        failure=st.booleans(),
        scale=st.sampled_from([{}, GRADED]),
    )
    def begin_the_study(self, documents, failure, scale, **settings):
        self.atomic = transaction.atomic()
        self.atomic.__enter__()
        self.study = make_study(topics=2, documents=9, redundancy=1, **settings, **scale)
        self.now = NOON
        self.ticked: datetime | None = None
        self.outages: list[tuple[datetime, timedelta]] = []
        self.people = {name: Person(self.study, name) for name in NAMES[:2]}
        self.people["dora"] = dora(self.study, "dora-1")
        self.known: dict[int, dict] = {}
        if documents:
            self.goes_on("ada", 10, False)
        if failure:
            self.comes_to_a_failed_finish("ben")

    def teardown(self):
        if hasattr(self, "atomic"):
            transaction.set_rollback(True)
            self.atomic.__exit__(None, None, None)

    def person(self, name: str) -> Person:
        person = self.people[name]
        person.now = self.now
        return person

    def live(self, name: str) -> Person | None:
        """Somebody who holds a unit."""
        person = self.person(name)
        found = Assignment.objects.filter(worker=person.worker, state__in=LIVE)
        return person if person.worker and found.exists() else None

    # --- what workers do ---
    @rule(name=WHO)
    def agrees(self, name):
        self.person(name).begin()

    @rule()
    def agrees_on_the_other_device(self):
        other = dora(self.study, "dora-2")
        other.now = self.now
        other.begin()
        if other.worker:
            assert other.worker == (self.people["dora"].worker or other.worker)
            self.people["dora"].worker, self.people["dora"]._unit = other.worker, None

    @rule(name=WHO, moves=st.integers(1, 24), wrongly=SELDOM)
    def goes_on(self, name, moves, wrongly):
        """Does what their page asks for, some moves long, the last of them perhaps wrongly."""
        for left in range(moves, 0, -1):
            person = self.live(name)
            if person is None:
                self.person(name).begin()
            else:
                self.makes_a_move(person, wrongly and left == 1)

    def makes_a_move(self, person, wrongly):
        a = person.assignment
        if a.state == "practice":
            person.practise(*((5, 5, 5) if wrongly else ()))
        elif a.state == "instructions":
            person.read()
        elif a.state == "topic":
            person.answer("a wrong one" if wrongly else None)
        elif a.position > len(a.order):
            (person.finish_from_list if a.state == "judging" else person.resume)()
        else:
            person.open(a.position)
            self.now += timedelta(seconds=1 if wrongly else 6)
            person.now = self.now
            is_end = a.position == len(a.order) and not self.study.check_before_finish
            press = person.finish if is_end or a.state == "revising" else person.next
            press(a.position, *(["2"] if wrongly else []))

    @rule(name=WHO)
    def comes_to_a_failed_finish(self, name):
        """From wherever they are before it; all their documents get the same score."""
        person = self.person(name)
        person.begin()
        while (person := self.live(name)) and person.assignment.state != "revising":
            self.makes_a_move(person, person.assignment.state == "judging")

    @rule(name=WHO, position=PAGES)
    def opens(self, name, position):
        person = self.live(name)
        if person:
            a = person.assignment
            page = person.open(position)
            may = a.state in ("judging", "revising") and 1 <= position <= a.furthest
            assert (page is not None) == may

    @rule(name=WHO, position=st.integers(1, 8), score=SCORES, words=WORDS, verb=st.integers(0, 2))
    def sends_a_form_twice(self, name, position, score, words, verb):
        """The second changes nothing."""
        person = self.live(name)
        if person:
            press = (person.next, person.back, person.finish)[verb]
            token = person.assignment.token
            press(position, score, words, token=token)
            once = self.rows()
            person.wait(0.5)
            press(position, score, words, token=token)
            assert self.rows() == once

    @rule(name=WHO)
    def goes_back_from_the_message(self, name):
        if person := self.live(name):
            person.resume()

    @rule(name=WHO, really=SELDOM)
    def leaves(self, name, really):
        person = self.live(name)
        if person and really:
            assert person.leave()

    # --- what happens otherwise ---
    @rule(seconds=st.sampled_from([0.5, 1, 4, 30, 600]))
    def time_passes(self, seconds):
        """With ticks that come late, as under load."""
        while seconds > LATE:
            self.now += timedelta(seconds=LATE)
            self.the_tick()
            seconds -= LATE
        self.now += timedelta(seconds=seconds)

    @rule()
    def the_tick(self):
        """It ends all whose time is over, and nobody else.

        Without an outage that is everybody who did nothing for as long as a unit is held.
        """
        self.now += INSTANT
        gap = self.now - (self.ticked or self.now)
        if gap > timedelta(minutes=1):
            self.outages.append((self.now, gap))
        over = [a.pk for a in Assignment.objects.live() if self.now > self.held_until(a)]
        assert flow.expire_overdue(self.now) == len(over)
        assert not Assignment.objects.live().filter(pk__in=over).exists()
        self.ticked = self.now
        self.now += INSTANT

    def held_until(self, a: Assignment) -> datetime:
        """By what they did last, the study's settings, and the outages since.

        The short time ends with the first document; without progress a unit is not held for ever.
        """
        is_short = a.state != "revising" and a.furthest <= 1
        held = timedelta(minutes=10 if is_short else 60)
        outages = (gap for moment, gap in self.outages if moment > a.active_at)
        return min(a.active_at + held + sum(outages, timedelta(0)), a.progressed_at + 11 * held)

    @rule(outage=SELDOM)
    def an_outage(self, outage):
        if outage:
            self.now += timedelta(minutes=30)
            self.the_tick()

    @rule(name=WHO, really=SELDOM)
    def an_hour_and_the_tick(self, name, really):
        if really:
            self.time_passes(50 * 60)
            if person := self.live(name):
                person.open(person.assignment.position)
            self.time_passes(11 * 60)
            self.the_tick()

    @rule(name=WHO, really=SELDOM)
    def an_admin_withdraws(self, name, really):
        done = Assignment.objects.filter(worker=self.people[name].worker, state="completed")
        if really and self.people[name].worker and (a := done.first()):
            assert flow.withdraw(a.completion_code, self.now).pk == a.pk
            assert flow.withdraw(a.completion_code, self.now) is None

    # No precondition: which rules there are to draw from must not depend on what chance has dealt.
    @rule(really=SELDOM)
    def the_study_closes(self, really):
        if really and len(self.known) > 4 and self.study.stage == "open":
            close_study(self.study.slug)
            self.study.refresh_from_db()

    # --- what must hold ---
    def rows(self) -> tuple:
        """All that judging keeps, but for the times of the last activity."""
        found = []
        for a in Assignment.objects.order_by("pk").prefetch_related("judgments", "visits"):
            row = {k: v for k, v in vars(a).items() if not k.startswith("_")}
            row.pop("active_at")
            row.pop("deadline_at")
            kept = [
                sorted(str(sorted(x.items())) for x in rows.values())
                for rows in (a.judgments, a.visits, a.failures)
            ]
            found.append((row, kept))
        return found, list(Unit.objects.order_by("pk").values())

    @invariant()
    def nothing_is_broken(self):
        assert broken() == []

    @invariant()
    def the_past_stays(self):
        """Rows stay, counts do not fall, what has ended stays as it was."""
        new = {row["id"]: row for row in Assignment.objects.values()}
        for key, old in self.known.items():
            row = new[key]
            assert row["state"] in FOLLOW[old["state"]]
            assert all(row[name] >= old[name] for name in COUNTERS)
            if old["state"] not in LIVE:
                assert {**row, "state": ""} == {**old, "state": ""}
                assert row["state"] in (old["state"], "withdrawn")
        if self.study.stage == "closed":
            assert new.keys() == self.known.keys()
        self.known = new

    @invariant()
    def everybody_has_a_page(self):
        for person in self.people.values():
            page = person.current_page
            if page.assignment and page.assignment.state in LIVE:
                assert page.step in (*PREPARING, "document", "check", "revise")
            elif not page.no_work:
                assert Unit.objects.filter(free=True).exists()


@pytest.mark.parametrize("examples", [3, pytest.param(60, marks=pytest.mark.whole)])
def test_any_order(db, examples):
    run_state_machine_as_test(
        Study,
        settings=settings(
            max_examples=examples,
            stateful_step_count=40,
            deadline=None,
            phases=[Phase.generate],  # to shrink what fails would take minutes
            suppress_health_check=list(HealthCheck),
        ),
    )
