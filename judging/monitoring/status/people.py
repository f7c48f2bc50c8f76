from collections.abc import Sequence
from functools import partial

from judging.monitoring.signals.interim import INTERIM
from judging.monitoring.signals.standouts import MIN_OTHERS, StandOut
from judging.monitoring.tries import CheckTotals, Rate, Tally
from judging.monitoring.words import percent
from magnitudes.files.words import count
from web.findings import Finding, State

AMBER_ABOVE = 0.25  # of tries: more is the question, the text, or people who guess
GREEN_BELOW = 0.5  # of tries, or more, do not fail
MIN_WORKERS = 10  # with fewer nothing is known of the checks


def checks(totals: Sequence[CheckTotals], workers: Sequence[Tally]) -> Finding:
    """Degraded: some check is known to fail in over a quarter of tries; ok: each in less than half.

    Whoever guesses fails (c) in half of their tries. A worker tries again and again, so intervals
    are those of as many tries as there are workers.
    """
    finding = partial(Finding, link="#checks", name="Checks")
    intervals = [_interval(check.rate, index, workers) for index, check in enumerate(totals)]
    failing = [
        check
        for check, interval in zip(totals, intervals, strict=True)
        if interval and interval[0] > AMBER_ABOVE
    ]
    worst = max(failing or totals, key=lambda check: check.rate.share or 0.0)
    share = percent(worst.rate.share or 0.0)
    often = f"{worst.label} fails most often: {share} of {worst.rate.tries:,} tries"
    if failing:
        return finding(State.DEGRADED, f"{often}, which is more than a quarter, and not by chance.")
    tried = sum(any(rate.tries for rate in worker.rates) for worker in workers)
    came = f"{count(tried, 'worker')} came to a check"
    if not all(interval and interval[1] < GREEN_BELOW for interval in intervals):
        return finding(State.UNKNOWN, f"Too few workers to say: {came}.")
    people_pass = (
        f"Most people pass. {often}." if worst.rate.failures else f"No check failed; {came}."
    )
    return finding(State.OK, people_pass)


def _interval(rate: Rate, index: int, workers: Sequence[Tally]) -> tuple[float, float] | None:
    """Of the share of a check's tries that failed, as of so many tries as workers made it."""
    n = sum(worker.rates[index].tries > 0 for worker in workers)
    return Rate(round((rate.share or 0.0) * n), n).interval if n >= MIN_WORKERS else None


def standing_out(listed: Sequence[StandOut], workers: Sequence[Tally], unit_size: int) -> Finding:
    """Degraded: somebody stands out, which is a question, never a verdict: so none is down."""
    finding = partial(Finding, link="#standouts", name="Workers")
    units = [worker.completed for worker in workers if worker.completed and not worker.excluded]
    compared = sum(done * unit_size >= INTERIM[0] for done in units)
    if listed:
        verb = "stands" if len(listed) == 1 else "stand"
        began = f"{count(len(workers), 'worker')} who began a unit"
        return finding(State.DEGRADED, f"{len(listed):,} of {began} {verb} out.")
    if not compared:
        return finding(
            State.UNKNOWN,
            f"Nobody has judged the {INTERIM[0]} documents yet by which workers are compared; by "
            "itself no unit stands out.",
        )
    if sum(units) < MIN_OTHERS:
        return finding(State.UNKNOWN, "Too little is done to compare workers.")
    share = f"{compared:,} of {count(len(units), 'worker')} compared"
    return finding(State.OK, f"No worker stands out; {share}.")
