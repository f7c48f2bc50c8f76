"""Topics whose anchors may be bad: one observation a worker and topic, looked at four times."""

import numpy as np
import pytest
from scipy import stats

from judging.models import Assignment, Study, Unit, Worker
from judging.monitoring.status.anchors import ALPHA, INTERIM
from judging.monitoring.status.sequential import alarms
from judging.monitoring.watch import Watch
from judging.studies.conduct.exclusion import exclude
from tests.factory import NOON, later, make_study
from tests.factory.completed import complete


def failed(x: int, n: int) -> np.ndarray:
    """n observations of which the first x failed."""
    return np.arange(n) < x


def found(**topics: np.ndarray) -> dict:
    keyed = dict(enumerate(topics.values()))
    return alarms(keyed, n_groups=len(keyed), sizes=INTERIM, alpha=ALPHA)


def test_an_interim_test_is_fishers_exact_test_at_ten_workers():
    seen = found(bad=failed(8, 12), good=failed(3, 40))
    # The first ten alone: eight of them failed.
    p = stats.fisher_exact([[8, 2], [3, 37]], alternative="greater").pvalue
    assert seen[0].chance == pytest.approx(p)
    assert (seen[0].x, seen[0].n) == (8, 10)
    assert [*seen] == [0]


def test_no_alarm_before_ten_workers_or_for_one_topic():
    assert not found(bad=failed(9, 9), good=failed(0, 90))
    assert not found(bad=failed(10, 10))


def test_twice_the_rate_of_the_others_is_wanted_too():
    often = failed(80, 80)
    others = np.arange(4000) % 100 < 52
    assert not found(bad=often, others=others)  # all against 52%
    assert found(bad=often, others=np.arange(4000) % 100 < 48)


def test_an_alarm_ends_when_what_came_since_is_like_the_others():
    assert found(bad=failed(8, 12), good=failed(20, 200))
    assert not found(bad=failed(8, 70), good=failed(20, 200))


def failing(rng: np.random.Generator, rates: np.ndarray, workers: int) -> dict[int, np.ndarray]:
    """Of each topic whose first Finish failed (c), of people who are unlike each other."""
    careless = rng.beta(1, 6, workers)  # a seventh of theirs fail, some half, most hardly any
    return {
        topic: rng.random(workers) < np.clip(rng.permutation(careless) * 7 * rate, 0, 1)
        for topic, rate in enumerate(rates)
    }


def alarmed(failed: dict[int, np.ndarray], upto: int) -> set[int]:
    """The topics with an alarm at any look, while workers come one after the other."""
    found: set[int] = set()
    for n in (look for look in INTERIM if look <= upto):
        first = {topic: seen[:n] for topic, seen in failed.items()}
        found |= {*alarms(first, n_groups=len(failed), sizes=INTERIM, alpha=ALPHA)}
    return found


def test_healthy_anchors_raise_hardly_an_alarm():
    """At most four of a hundred studies, of 12 topics that differ by half in how hard they are."""
    studies = 0
    for seed in range(100):
        rng = np.random.default_rng([seed, 3])
        rates = 0.09 * rng.uniform(0.6, 1.4, 12)
        studies += bool(alarmed(failing(rng, rates, 100), upto=80))
    assert studies <= 4


def test_presses_of_one_worker_count_once(db, desk):
    study = make_study(topics=3, documents=20, redundancy=4)  # twelve units a topic
    topics = list(study.topics.order_by("topic__query_id"))
    for topic in topics:
        for number in range(11):
            bad = topic == topics[0] and number < 8
            assigned(study, topic.pk, number, ["anchors"] * bad * (9 if number == 1 else 1))
    # Somebody fails again and again where all others pass: (d) first, then (c).
    assigned(study, topics[1].pk, 11, ["time", *["anchors"] * 30])
    seen = Watch(study, NOON).anchors
    assert [one.topic for one in seen.in_doubt] == topics[:1]
    assert (seen.tested, seen.topics) == (3, 3)
    assert seen.in_doubt[0].alarm[:4] == (8, 10, 0, 23)
    assert seen.finding.colour == "red"
    says = (
        f"Topic {topics[0].topic.query_id}: 8 of its first 10 workers had the anchors out of order"
    )
    for path in ("", "monitor/", f"monitor/topics/{topics[0].topic.query_id}/"):
        assert says in desk.page(f"/studies/{study.slug}/{path}")
    # Who is excluded says nothing of an anchor.
    for number in range(4):
        worker = Worker.objects.get(pseudonym=f"{topics[0].pk}-{number}")
        exclude(worker, "Not read.", None)
    assert not Watch(study, NOON).anchors.in_doubt
    assert Watch(study, NOON).anchors.finding.colour == "grey"  # seven workers are left there


def assigned(study: Study, topic: int, number: int, failures: list[str]) -> None:
    """A completed unit of a topic, with a failed Finish for each failure."""
    Unit.objects.exclude(study_topic=topic).update(free=False)
    Unit.objects.filter(study_topic=topic, assignments=None).update(free=True)
    began = 60 * number
    unit = complete(study, f"{topic}-{number}", at=later(began), verified=True).assignment
    for attempt, check in enumerate(failures, 1):
        unit.failures.create(check_name=check, at=later(began + 159), attempt=attempt)
    Assignment.objects.filter(pk=unit.pk).update(failed_finishes=len(failures))
