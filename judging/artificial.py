"""Simple artificial workers for the demonstration, walking the same way as people.

Each has a scale of their own, agrees roughly with the reference labels, and errs now and then.
"""

import math
import random
from dataclasses import dataclass
from datetime import datetime, timedelta

from judging import flow
from judging.flow.admission import Arrival, new_pseudonym
from judging.models import Assignment, Label, PooledDocument, Study
from judging.standing import Place, standing
from judging.states import State

# How much more relevant a level is than the one that is not, on a logarithmic scale.
GAINS = {0: 0.0, 1: 0.7, 2: 1.3, 3: 2.0}
REASONS = {
    0: ("Not about this at all.", "Shares words with the topic, nothing else.", "Off the topic."),
    1: ("Mentions it once, in passing.", "Only a sentence touches the question."),
    2: ("Helps, but leaves out the main point.", "Part of the answer is here."),
    3: ("Just what was asked for.", "Explains it well and in detail.", "Answers the question."),
}


@dataclass
class ArtificialWorker:
    """One worker: a scale, a steadiness, a speed, and their own random numbers."""

    study: Study
    draw: random.Random
    now: datetime

    def __post_init__(self) -> None:
        self.pseudonym = new_pseudonym()
        self.modulus = math.exp(self.draw.gauss(1.5, 1.2))
        self.width = math.exp(self.draw.gauss(0, 0.3))
        self.speed = math.exp(self.draw.gauss(0, 0.3))

    def judge_one_unit(self) -> bool:
        """Agree, and go the whole way through one unit; whether it was completed."""
        _, no_work = flow.admit(self.study, Arrival(self.pseudonym, simulated=True), self.now)
        if no_work:
            return False
        while (place := standing(self.study, self.pseudonym)).is_live:
            self._take_a_step(place)
        return place.step == "done"

    def _take_a_step(self, place: Place) -> None:
        assignment = place.assignment
        assert assignment  # noqa: S101 - it is live
        self._spend(8)
        if assignment.state == State.PRACTICE:
            self._practise(assignment)
        elif assignment.state == State.INSTRUCTIONS:
            flow.read_instructions(assignment.token, self.now)
        elif assignment.state == State.TOPIC:
            self._answer(assignment)
        elif place.step == "revise":
            flow.resume_revision(assignment.token, self.now)
        else:
            self._judge(assignment)

    def _spend(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds * self.speed * math.exp(self.draw.gauss(0, 0.5)))

    def _practise(self, assignment: Assignment) -> None:
        step = assignment.practice_step
        if step == 0:
            flow.start_practice(assignment.token, self.now)
        else:
            seen = assignment.lines[step - 1] * math.exp(self.draw.gauss(0, 0.12))
            flow.practise(assignment.token, step, round(seen / 10, 1), self.now)

    def _answer(self, assignment: Assignment) -> None:
        topic = assignment.study_topic
        knows = self.draw.random() < 0.93
        flow.answer(
            assignment.token, topic.answer if knows else self.draw.choice(topic.options), self.now
        )

    def _judge(self, assignment: Assignment) -> None:
        position = assignment.position
        page = flow.open_page(self.study.slug, self.pseudonym, position, self.now)
        assert page  # noqa: S101 - it is the page they are on
        hurries = assignment.failed_finishes == 0 and self.draw.random() < 0.02
        self._spend(2 if hurries else 10 + len(page.text.split()) / 3)
        if not hurries:
            self.now += timedelta(seconds=self.study.minimum_seconds)
        slips = self.draw.random() < 0.04
        level = self.draw.choice(list(GAINS)) if slips else self._level(assignment, position)
        submission = flow.Submission(
            position, self._score(level), self.draw.choice(REASONS[min(level, 3)])
        )
        # Who is asked to revise goes back through all pages, and finishes on the first.
        revises = assignment.state == State.REVISING
        if position == (1 if revises else page.last):
            flow.finish(self.study.slug, self.pseudonym, page.token, submission, now=self.now)
        else:
            flow.judge(
                self.study.slug,
                self.pseudonym,
                page.token,
                submission,
                back=revises,
                now=self.now,
            )

    def _level(self, assignment: Assignment, position: int) -> int:
        pooled = PooledDocument.objects.get(pk=assignment.order[position - 1])
        label = Label.objects.filter(
            label_set__collection=self.study.collection_id,
            label_set__name=self.study.labels,
            topic=assignment.study_topic.topic_id,
            doc_id=pooled.doc_id,
        ).first()
        return max(0, round(label.level)) if label else 0

    def _score(self, level: int) -> str:
        felt = GAINS[min(level, 3)] * self.width + self.draw.gauss(0, 0.35)
        return _round(self.modulus * math.exp(felt))


def _round(value: float) -> str:
    """A number as people like them: two figures below ten, one above."""
    if value >= 10:
        return str(int(float(f"{value:.1g}")))
    return f"{float(f'{value:.2g}'):.12g}"


def fill(study: Study, share: float, seed: int, now: datetime) -> int:
    """Let artificial workers complete a share of the units, in the hours before `now`."""
    draw = random.Random(seed)  # noqa: S311 - not for secrets
    wanted = round(share * study.units.count())
    done = Assignment.objects.filter(study=study, state=State.COMPLETED)
    moment = now - timedelta(hours=30)
    while (count := done.count()) < wanted:
        moment += timedelta(minutes=draw.uniform(10, 90))
        worker = ArtificialWorker(study, random.Random(draw.random()), min(moment, now))  # noqa: S311
        while worker.judge_one_unit() and done.count() < wanted and draw.random() < 0.6:
            pass
        if Assignment.objects.filter(worker__pseudonym=worker.pseudonym).first() is None:
            break  # no work for anybody
    return count
