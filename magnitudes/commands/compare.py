"""Which systems differ, by any measure and any gains, from a table of values: no database."""

import json
import math
from argparse import ArgumentParser
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from magnitudes.commands import Say, UsageError
from magnitudes.comparison.bootstrap import bootstrap
from magnitudes.comparison.compared import compare_definitions
from magnitudes.comparison.correlation import Tau
from magnitudes.comparison.discrimination import discriminative_power
from magnitudes.comparison.paired_t import paired_t
from magnitudes.comparison.pairs import TURNS, ordered_pairs
from magnitudes.comparison.random_signs import random_signs
from magnitudes.comparison.ranks import rounded
from magnitudes.comparison.top_set import LEVEL
from magnitudes.comparison.tukey import N_RESAMPLES, tukey_hsd
from magnitudes.files.containers.archives import open_members
from magnitudes.files.values import Values, read_values
from magnitudes.files.words import count

Row = Mapping[str, Any]
Floats = NDArray[np.float64]
# Each gives p of all pairs, effects (or None), and why there is none.
Test = Callable[[Floats, int | None, int], tuple[Floats, Floats | None, str]]


def _tukey(values: Floats, n_resamples: int | None, seed: int) -> tuple[Floats, Floats | None, str]:
    found = tukey_hsd(values, N_RESAMPLES if n_resamples is None else n_resamples, seed)
    return found.p, found.effect, found.reason


def _of_pairs(test: Callable[..., Any]) -> Test:
    def run(values: Floats, n_resamples: int | None, seed: int) -> tuple[Floats, None, str]:
        found = test(values, TURNS if n_resamples is None else n_resamples, seed)
        return found.p, None, found.reason

    return run


TESTS: dict[str, Test] = {
    "tukey": _tukey,
    "t": _of_pairs(lambda values, n_resamples, seed: paired_t(values)),
    "randomisation": _of_pairs(random_signs),
    "bootstrap": _of_pairs(bootstrap),
}


DRAWING = [name for name in TESTS if name != "t"]  # by chance, from a seed


HELP = (
    "Test which systems differ by each measure. Reads what `evaluate --per-topic` or the exported "
    "rankings of a study give; prints all pairs, smallest p first."
)


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("values", nargs="+", help="tables with run, topic, measure and value")
    parser.add_argument(
        "--against",
        metavar="FILE",
        nargs="+",
        help="the same measures with other gains: prints pairs that differ by one alone",
    )
    parser.add_argument("--test", choices=list(TESTS), default="tukey")
    parser.add_argument(
        "--turns", type=int, help=f"random turns: {N_RESAMPLES} for tukey, {TURNS} for others"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--format", choices=["tsv", "json"], default="tsv")


def run(given: Mapping[str, Any], say: Say) -> Iterator[str]:
    """The lines of the output; how many pairs differ is said.

    Raises:
        One of FAULTS, before any line.
    """
    if given["against"] and given["test"] != "tukey":
        raise UsageError("--against goes with --test tukey alone")
    if given["turns"] is not None and given["turns"] < 1:
        raise UsageError(f"--turns {given['turns']}: expected a whole number from 1")
    if given["seed"] < 0:
        raise UsageError(f"--seed {given['seed']}: expected a whole number, zero or more")
    tables = read_values(open_members(given["values"]))
    if given["against"]:
        others = {table.measure: table for table in read_values(open_members(given["against"]))}
        rows = [row for table in tables for row in _against(table, others, given, say)]
    else:
        rows = [row for table in tables for row in _pairs(table, given, say)]
    return _json(rows) if given["format"] == "json" else _tsv(rows)


def _pairs(table: Values, given: Mapping[str, Any], say: Say) -> Iterator[Row]:
    values = np.array(table.rows)
    p, effect, reason = TESTS[given["test"]](values, given["turns"], given["seed"])
    power = discriminative_power(p)
    share = "" if math.isnan(power.share) else f" ({100 * power.share:.1f}%)"
    say(
        f"{table.measure}: {power.significant:,} of {power.pairs:,} pairs differ{share}, "
        f"p < {LEVEL} by {given['test']}, {count(len(values), 'topic')}"
        + (f", seed {given['seed']}" if given["test"] in DRAWING else "")
        + (f"; {reason}" if reason else "")
    )
    _say_flat(say, table, values)
    means = values.mean(axis=0)
    for a, b in ordered_pairs(means, p):
        row: dict[str, Any] = {"measure": table.measure}
        row |= {"better": table.runs[a], "worse": table.runs[b]}
        row |= {"difference": float(means[a] - means[b]), "p": _or_none(p[a, b])}
        yield row if effect is None else row | {"effect": _or_none(effect[a, b])}


def _say_flat(say: Say, table: Values, values: Floats, where: str = "") -> None:
    """Topics on which no system differs from another, if there are any."""
    flat = int((np.ptp(rounded(values), axis=1) == 0).sum())
    if flat and values.shape[1] > 1:
        say(
            f"{table.measure}{where}: all systems have the same value on {flat:,} of "
            f"{count(len(values), 'topic')}, which distinguish none and make tests weaker"
        )


def _against(
    table: Values, others: Mapping[str, Values], given: Mapping[str, Any], say: Say
) -> Iterator[Row]:
    other = others.get(table.measure)
    if other is None:
        raise UsageError(f"--against: no {table.measure}; there are {', '.join(others)}")
    n_resamples = N_RESAMPLES if given["turns"] is None else given["turns"]
    compared = compare_definitions(
        np.array(table.rows),
        {"other": _in_order(table, other)},
        n_resamples=n_resamples,
        seed=given["seed"],
    )["other"]
    pairs = compared.discrepancies
    alone = count(len(pairs.pairs), "pair differs", "pairs differ")
    say(
        f"{table.measure}: {_agreement(compared.tau)}; {alone} by one alone, p < {LEVEL}, "
        f"seed {given['seed']}" + (f"; {pairs.reason}" if pairs.reason else "")
    )
    _say_flat(say, table, np.array(table.rows))
    _say_flat(say, other, np.array(other.rows), " of --against")
    for (a, b), p, apart, effect in zip(
        pairs.pairs.tolist(), pairs.p, pairs.difference, pairs.effect, strict=True
    ):
        row: dict[str, Any] = {"measure": table.measure, "better": table.runs[a]}
        row |= {"worse": table.runs[b]}
        for name, (first, second) in {"p": p, "difference": apart, "effect": effect}.items():
            row |= {name: _or_none(first), f"{name}_against": _or_none(second)}
        yield row


def _agreement(tau: Tau) -> str:
    """Tau with its interval, or why there is none."""
    if math.isnan(tau.tau):
        return f"no tau, as {tau.reason}"
    if math.isnan(tau.low):
        return f"tau {tau.tau:.4f} ({tau.reason})"
    return f"tau {tau.tau:.4f} ({tau.low:.4f} to {tau.high:.4f})"


def _in_order(table: Values, other: Values) -> Floats:
    """The other values in the order of the first, if they are of the same runs and topics."""
    for what in ("runs", "query_ids"):
        here, there = getattr(table, what), getattr(other, what)
        if apart := sorted(set(here) ^ set(there)):
            name = "run" if what == "runs" else "topic"
            raise UsageError(
                f"{table.measure}: {name} {apart[0]} is in one table alone; expected the same "
                "runs and topics in both"
            )
    topics = [other.query_ids.index(query_id) for query_id in table.query_ids]
    runs = [other.runs.index(run) for run in table.runs]
    return np.array(other.rows)[np.ix_(topics, runs)]


def _or_none(number: float) -> float | None:
    return None if math.isnan(number) else float(number)


def _tsv(rows: Sequence[Row]) -> Iterator[str]:
    if rows:
        yield "\t".join(rows[0]) + "\n"
    for row in rows:
        yield "\t".join("" if cell is None else str(cell) for cell in row.values()) + "\n"


def _json(rows: Sequence[Row]) -> Iterator[str]:
    yield json.dumps(list(rows), ensure_ascii=False, indent=0, allow_nan=False) + "\n"
