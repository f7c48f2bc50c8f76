"""Parameters of time-biased gain from the log of a user study: no database."""

import json
import math
from argparse import ArgumentParser
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from magnitudes.commands import Say
from magnitudes.files.containers.archives import open_members
from magnitudes.files.duplicates import read_classes
from magnitudes.files.labels.qrels import read_qrels
from magnitudes.files.lengths import all_lengths
from magnitudes.files.session_logs import read_sessions
from magnitudes.files.words import count
from magnitudes.measures.calibrated import Parameter, calibrated, parameters
from magnitudes.measures.catalogue import READER
from magnitudes.reading_time.activity import activity
from magnitudes.reading_time.calibration import calibrate

# What must be known of documents beside the log.
NEEDS = dict.fromkeys(("click", "click_nonrel", "save", "save_nonrel"), "qrels") | dict.fromkeys(
    ("slope", "intercept", "adjusted_r2", "seconds_of_first_views"), "documents"
)


HELP = "Estimate the parameters of time-biased gain from the log of a user study."


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "log", nargs="+", help="a table: participant, query_id, rank, doc_id, event, seconds"
    )
    parser.add_argument("--qrels", metavar="FILE", nargs="+", help="what is relevant")
    parser.add_argument(
        "--documents", metavar="PATH", nargs="+", help="texts, or a table of doc_id and words"
    )
    parser.add_argument(
        "--duplicates", metavar="FILE", nargs="+", help="(topic,) document, class of duplicates"
    )
    parser.add_argument("--format", choices=["tsv", "json"], default="tsv")


def run(given: Mapping[str, Any], say: Say) -> Iterator[str]:
    """The lines of the output; how much the log holds is said.

    Raises:
        One of FAULTS, before any line.
    """
    sessions = read_sessions(open_members(given["log"]))
    log = activity(
        sessions,
        read_qrels(open_members(given["qrels"])) if given["qrels"] else None,
        all_lengths(open_members(given["documents"])) if given["documents"] else None,
        read_classes(open_members(given["duplicates"])) if given["duplicates"] else None,
    )
    found = _without_files(parameters(calibrate(log)), given)
    people = count(len(set(log.participant.tolist())), "participant")
    clicks = count(int(log.clicks.sum()), "click")
    say(f"{count(len(sessions), 'session')} of {people}, {clicks}")
    for line in _remarks(found):
        say(line)
    return FORMATS[given["format"]](found)


def _without_files(found: Sequence[Parameter], given: Mapping[str, Any]) -> list[Parameter]:
    """Numbers that are not known for want of a file say so, and not what would be wrong with it."""
    return [
        row._replace(reason=f"needs --{file}")
        if (file := NEEDS.get(row.parameter)) and not given[file]
        else row
        for row in found
    ]


def _remarks(found: Sequence[Parameter]) -> Iterator[str]:
    for row in found:
        if row.parameter in READER and row.parameter not in calibrated(found).options:
            why = row.reason or "as it was"
            yield f"{row.parameter}: {READER[row.parameter].default}, the paper's ({why})"


def _tsv(found: Sequence[Parameter]) -> Iterator[str]:
    yield "\t".join(Parameter._fields) + "\n"
    for row in found:
        yield "\t".join("" if _is_nan(cell) else str(cell) for cell in row) + "\n"
    yield f"{calibrated(found)}\n"


def _json(found: Sequence[Parameter]) -> Iterator[str]:
    known = [
        {name: None if _is_nan(cell) else cell for name, cell in row._asdict().items()}
        for row in found
    ]
    told = {"measure": str(calibrated(found)), "parameters": known}
    yield json.dumps(told, ensure_ascii=False, allow_nan=False, indent=1) + "\n"


def _is_nan(cell: object) -> bool:
    return isinstance(cell, float) and math.isnan(cell)


FORMATS = {"tsv": _tsv, "json": _json}
