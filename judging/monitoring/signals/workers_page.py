from collections.abc import Iterator
from typing import NamedTuple

from judging.monitoring.signals.agreement import FALSE_ALARMS, Verdict
from judging.monitoring.signals.by_worker import SIGNALS, Signals, StudySignals
from judging.monitoring.tries import Tally
from judging.monitoring.words import percent
from magnitudes.files.words import count

ALL, ANY = "", "any"
HEADS = {
    "tries": "Tries until Finish",
    "numbers": "Agreement with the others",
    "reasons": "Reasons shared with others",
    "pasted": "Characters pasted, a document",
    "hidden": "Seconds hidden, a document",
}
RECORDED = ("pasted", "hidden")  # where the study's consent names it
FILTERS = {
    ALL: "all",
    ANY: "with any of these marks",
    "tries": "who needed far more tries than the others",
    "numbers": "whose numbers agree no more than random ones",
    "reasons": "who share far more reasons with others than usual",
}
PASTING_CAVEAT = "Dictation and assistive tools look the same as pasting."


class WorkerRow(NamedTuple):
    worker: Tally
    signals: Signals
    cells: list[tuple[str, bool]]  # a text for each signal, and whether it is marked


class Evidence(NamedTuple):
    head: str
    own: str
    everybody: str  # the median over workers, and the middle 90%
    by_chance: str
    note: str = ""
    stands_out: bool = False


def names(*, records_pasting: bool) -> list[str]:
    return [name for name in SIGNALS if records_pasting or name not in RECORDED]


def worker_rows(
    tallies: list[Tally], everybody: StudySignals, by: str, signal: str, shown: list[str]
) -> list[WorkerRow]:
    """By a signal, the most striking first, or by name; signal: a name, `ANY` of them, or `ALL`."""
    rows = [
        WorkerRow(worker, own, [(cell(name, own), name in own.stands_out) for name in shown])
        for worker in tallies
        if (own := everybody.workers.get(worker.key)) and _passes(own, signal)
    ]
    return sorted(rows, key=lambda row: (_sort_key(row.signals, by), row.worker.name))


def _passes(own: Signals, signal: str) -> bool:
    return signal == ALL or bool(own.stands_out if signal == ANY else signal in own.stands_out)


def _sort_key(own: Signals, by: str) -> tuple[bool, float]:
    """High values first, but of agreement the low ones; who has none comes last."""
    value = SIGNALS[by](own) if by in SIGNALS else 0.0
    if value is None:
        return True, 0.0
    return False, value if by == "numbers" else -value


def cell(name: str, own: Signals) -> str:
    value = SIGNALS[name](own)
    if value is None:
        return "–"
    if name == "numbers" and own.agreement and own.agreement.verdict != Verdict.MORE:
        return f"{own.agreement.verdict}: {_number(name, value)}"
    if name == "reasons":
        return f"{own.alike[0]} of {own.alike[1]}"
    return _number(name, value)


def _number(name: str, value: float) -> str:
    if name == "reasons":
        return percent(value)
    return signed(value) if name in ("tries", "numbers") else f"{value:.0f}"


def signed(value: float) -> str:
    return f"{value:.2f}".replace("-", "−")


def evidence(own: Signals, everybody: StudySignals, shown: list[str]) -> Iterator[Evidence]:
    by_chance = {"tries": "random numbers: about 2", "numbers": _random_numbers(own)}
    for name in shown:
        value = SIGNALS[name](own)
        if value is not None:
            low, median, high = (_number(name, end) for end in everybody.spread[name])
            yield Evidence(
                HEADS[name],
                _number(name, value),
                f"{median} ({low} to {high})",
                by_chance.get(name, "–"),
                _note(name, own),
                name in own.stands_out,
            )


def place_of(own: Signals, everybody: StudySignals) -> str:
    if own.agreement is None:
        return ""
    means = [other.agreement.mean for other in everybody.workers.values() if other.agreement]
    lower = sum(mean < own.agreement.mean for mean in means)
    all_of_them = count(len(means), "worker")
    if len(means) == 1:
        return "the only worker of whom it is known"
    if lower == 0:
        return f"the lowest of {all_of_them}"
    if lower == len(means) - 1:
        return f"the highest of {all_of_them}"
    return f"higher than that of {lower:,} of {all_of_them}"


def _random_numbers(own: Signals) -> str:
    if own.agreement is None:
        return "–"
    low, high = signed(own.agreement.low), signed(own.agreement.high)
    return f"random numbers: {low} to {high} in 90%"


def _note(name: str, own: Signals) -> str:
    if name == "tries":
        presses = count(own.tries.max_failed + 1, "press", "presses")
        return f"{count(own.tries.units, 'unit')}, at most {presses}"
    if name == "numbers" and own.agreement:
        return f"{own.agreement.verdict}; {count(own.agreement.units, 'unit')} compared"
    if name == "reasons":
        return f"{own.alike[0]} of {count(own.alike[1], 'reason')} of five words or more"
    return PASTING_CAVEAT if name == "pasted" else ""


def heading(everybody: StudySignals) -> str:
    workers = len(everybody.workers)
    if not workers:
        return "No worker has completed a unit"
    n = sum(bool(own.stands_out) for own in everybody.workers.values())
    who = f"{f'{n:,}' if n else 'None'} of {count(workers, 'worker')}"
    return f"{who} {'have' if n > 1 else 'has'} a marked signal"


def by_chance_alone(everybody: StudySignals) -> str:
    if not everybody.compared:
        return (
            "Whose numbers agree no more than random ones takes more units than any worker has yet."
        )
    expected = everybody.compared * FALSE_ALARMS
    by_chance = f"at most {expected:.1f}" if expected >= 0.1 else "fewer than 0.1"
    low = sum("numbers" in own.stands_out for own in everybody.workers.values())
    return (
        f"Of {count(everybody.compared, 'worker')} with enough units, {low:,} "
        f"agree{'s' * (low == 1)} {Verdict.NO_MORE}; if all were careful, "
        f"{by_chance} would by chance."
    )
