"""Do people pass the checks? The light for it."""

from collections.abc import Sequence

from judging.monitoring.status.light import Colour, StatusLight
from judging.monitoring.tries import CheckTotals, Rate, Tally
from judging.monitoring.words import percent
from trec.words import count

AMBER_ABOVE = 0.25  # of tries: more is the question, the text, or people who guess
GREEN_BELOW = 0.5  # of tries, or more, do not fail
MIN_WORKERS = 10  # with fewer the light is grey


def light(checks: Sequence[CheckTotals], workers: Sequence[Tally]) -> StatusLight:
    """Amber: some check is known to fail in over a quarter of tries; green: each in less than half.

    Whoever guesses fails (c) in half of their tries, and so would a crowd of such people.

    A worker tries again and again, so intervals are those of as many tries as there are workers.
    """
    by_workers = [_by_workers(check.rate, index, workers) for index, check in enumerate(checks)]
    failing = [
        check
        for check, rate in zip(checks, by_workers, strict=True)
        if rate and rate.interval and rate.interval[0] > AMBER_ABOVE
    ]
    if failing:
        worst = max(failing, key=lambda check: check.rate.share or 0.0)
        return _light(Colour.AMBER, f"{_often(worst)}: more than a quarter, and not by chance.")
    if not all(rate and rate.interval and rate.interval[1] < GREEN_BELOW for rate in by_workers):
        return _light(Colour.GREY, f"Too few workers to say: {_tried(workers)}.")
    worst = max(checks, key=lambda check: check.rate.share or 0.0)
    if not worst.rate.failures:
        return _light(Colour.GREEN, f"No check failed; {_tried(workers)}.")
    return _light(Colour.GREEN, f"People pass. {_often(worst)}.")


def _light(colour: Colour, sentence: str) -> StatusLight:
    return StatusLight("Checks", colour, sentence, "checks")


def _often(check: CheckTotals) -> str:
    share = percent(check.rate.share or 0.0)
    return f"Most often fails {check.label}: {share} of {check.rate.tries:,} tries"


def _tried(workers: Sequence[Tally]) -> str:
    tried = sum(any(rate.tries for rate in worker.rates) for worker in workers)
    return f"{count(tried, 'worker')} came to a check"


def _by_workers(rate: Rate, index: int, workers: Sequence[Tally]) -> Rate | None:
    """The share of a check's tries that failed, as of so many tries as workers made it."""
    n = sum(worker.rates[index].tries > 0 for worker in workers)
    return Rate(round((rate.share or 0.0) * n), n) if n >= MIN_WORKERS else None
