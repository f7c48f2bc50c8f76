"""Who stands out."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from judging.models import Assignment, CheckFailure, Judgment
from judging.monitoring.signals import repeated_judgments, standouts
from judging.monitoring.signals.interim import Interim, InterimCounts
from judging.monitoring.signals.standouts import Reason, StandOut
from judging.monitoring.status.people import standing_out
from judging.monitoring.tries import Tally
from judging.monitoring.watch import Watch
from judging.states import State
from judging.studies.conduct.stages import increment_revisions
from tests.factory import NOON
from tests.factory.crowds import crowded_study


def interim_counts(x, n) -> InterimCounts:
    """Everybody was looked at once, and nothing has come since."""
    x, n = np.array(x), np.array(n)
    return InterimCounts(np.arange(len(x)), x[:, None], n[:, None], x, n)


def counts(x, n, **limits) -> standouts.Counts:
    limits = {"min_x": 1, **limits}
    return standouts.Counts("rule", "{x} of {n}; others {others}", interim_counts(x, n), **limits)


@given(st.lists(st.integers(0, 40).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))),
                min_size=2, max_size=40))  # fmt: skip
def test_chances_are_binomial_tails_at_the_others_rate(pairs):
    x, n = np.array(pairs).T
    chances, others = standouts.interim_chances(interim_counts(x, n))
    false_alarms = chances[:, 0]
    for place in range(len(x)):
        rest_x, rest_n = x.sum() - x[place], n.sum() - n[place]
        if rest_n < standouts.MIN_OTHERS:
            assert false_alarms[place] == 1
            continue
        rate = (rest_x + 0.5) / (rest_n + 1)
        assert false_alarms[place] == pytest.approx(stats.binom.sf(x[place] - 1, n[place], rate))
        assert others[place] == pytest.approx(rest_x / rest_n)


def test_one_who_fails_far_more_often_stands_out():
    found = standouts.reasons([counts([1] * 99 + [10], [10] * 100)])
    assert [*found] == [99]
    assert found[99][0].words == "10 of 10; others 10%, as counted at 10 documents"


def crowd_of(workers: int, units: int, size: int = 8) -> Interim:
    """Everybody completes so many units, one after the other."""
    keys = np.arange(workers * units)
    ones = np.ones_like(keys)
    return Interim(keys, keys % workers, size * ones)


def test_an_interim_analysis_is_due_with_the_unit_that_makes_it_so_many_documents_and_stays():
    made = crowd_of(1, 12)
    seen = made.counts(made.keys, (made.keys == 3).astype(int), np.ones(12, dtype=int))
    assert seen.n.tolist() == [[2, 3, 5, 10]]  # units of eight documents: 16, 24, 40, 80
    assert seen.x.tolist() == [[0, 0, 1, 1]]
    assert (seen.all_x.tolist(), seen.all_n.tolist()) == ([1], [12])
    early = crowd_of(2, 3)
    assert early.counts(early.keys, early.keys, early.keys).n[:, 2:].tolist() == [[0, 0]] * 2


def test_what_was_not_completed_counts_with_the_next_interim_analysis():
    keys = np.arange(6)
    judged = np.array([8, 0, 8, 0, 8, 0])
    made = Interim(keys, keys * 0, judged)
    ones = np.ones(6, dtype=int)
    assert made.counts(keys, ones, ones).n.tolist() == [[3, 5, 0, 0]]
    assert made.counts(keys[1::2], ones[:3], ones[:3]).n.tolist() == [[1, 2, 0, 0]]


def test_studies_of_workers_who_are_alike_hardly_ever_list_one_however_often_they_are_tested():
    rng = np.random.default_rng(6)
    named = 0
    for _ in range(300):
        found = False
        x = rng.binomial(8, 0.1, (3, 40 * 12))
        for units in range(1, 13):
            made = crowd_of(40, units)
            tries = np.full(len(made.keys), 8)
            seen = [made.counts(made.keys, one[: len(made.keys)], tries) for one in x]
            found |= bool(standouts.reasons([standouts.Counts("rule", "", one, 3) for one in seen]))
        named += found
    assert named / 300 <= 2 * standouts.ALPHA  # of which .01 may be exceeded by chance


def test_an_alarm_ends_when_what_came_since_is_like_the_others():
    x, n = [1] * 99 + [10], [10] * 100
    alarmed = counts(x, n)
    later = replace(alarmed.seen, all_n=np.array([10] * 99 + [100]))
    assert standouts.reasons([replace(alarmed, seen=later)]) == {}


def test_few_are_not_enough():
    rare = counts([0] * 200 + [2], [10] * 201, min_x=3)
    assert standouts.reasons([rare]) == {}
    minority = counts([0] * 200 + [4], [10] * 201, min_share=0.5)
    assert standouts.reasons([minority]) == {}
    assert standouts.reasons([counts([5], [5])]) == {}  # nobody to compare with
    assert standouts.reasons([]) == {}


@given(st.lists(st.tuples(st.integers(1, 5), st.sampled_from([1.0, 2.0, 3.0])), min_size=1))
def test_flat_units_against_a_plain_loop(rows):
    units, scores = (np.array(column) for column in zip(*rows, strict=True))
    workers, flat = repeated_judgments.flat_units(units + 100, units, scores)
    expected = {}
    for unit in set(units.tolist()):
        found = Counter(score for u, score in rows if u == unit)
        expected[unit + 100] = max(found.values()) >= sum(found.values()) - 1
    assert dict(zip(workers.tolist(), flat.tolist(), strict=True)) == expected


@given(st.lists(st.tuples(st.integers(1, 3), st.integers(1, 4)), min_size=1))
def test_repeated_justifications_against_a_plain_loop(rows):
    workers, texts = (np.array(column) for column in zip(*rows, strict=True))
    marks = repeated_judgments.repeats(workers, texts)
    for worker in set(workers.tolist()):
        own = [text for w, text in rows if w == worker]
        assert marks[workers == worker].sum() == len(own) - len(set(own))


def test_each_rule_finds_the_one_it_is_for(db):
    """One of a crowd reads in no time, one gives the same score, one the same reason, and one
    fails check (c) again and again."""
    study = crowded_study(NOON, topics=5, documents=50, crowd=160)
    assert Watch(study, NOON).standouts == []
    done = Assignment.objects.filter(study=study, state=State.COMPLETED)
    busiest = [key for key, _ in Counter(done.values_list("worker", flat=True)).most_common()]
    quick, flat, pasting, failing = busiest[:4]
    done.filter(worker=quick).update(seconds=[20.5] * 8)
    of = Judgment.objects.filter(assignment__in=done)
    of.filter(assignment__worker=flat).exclude(position=1).update(score=7)
    of.filter(assignment__worker=pasting).update(justification="Good  ")
    unit = done.filter(worker=failing).first()
    CheckFailure.objects.bulk_create(
        CheckFailure(assignment=unit, check_name="anchors", at=NOON, attempt=10 + n)
        for n in range(12)
    )
    Assignment.objects.filter(pk=unit.pk).update(failed_finishes=12)
    increment_revisions(study.topics.all())
    found = {one.worker.key: one for one in Watch(study, NOON).standouts}
    assert {key: [why.rule for why in one.reasons] for key, one in found.items()} == {
        quick: ["quick"],
        flat: ["flat"],
        pasting: ["pasted", "one reason"],
        failing: ["anchors"],
    }
    times = of.filter(assignment__worker=pasting).count()
    assert found[pasting].often == f"“Good  ”, {times} times"
    assert found[pasting].reasons[0].words.startswith(f"gave {times - 1} of {times} reasons")


def test_the_light_says_among_whom_workers_stand_out() -> None:
    """Others count those who completed a unit, or have enough judgments."""
    tallies = [Tally(key, f"worker-{key}", attempts=1) for key in range(3)]
    shown = standing_out([StandOut(tallies[0], [Reason("rule", "words")])], tallies, 8)
    assert shown.sentence == "1 of 3 workers who began a unit stands out."
