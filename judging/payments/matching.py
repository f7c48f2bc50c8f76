import csv
import io
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from judging.models import Payment, Study
from judging.payments.pay_lists import lines_of

# Columns that name a payment in lists of platforms and of our own, the one to be preferred first.
# Prolific's list of submissions has "Submission id", "Participant id", "Status", "Completion code".
NAME_COLUMNS = (
    *("code", "submission id", "submission", "assignmentid", "participant id", "participantid"),
    *("participant", "participant_id", "completion code"),
)
STATUS_COLUMN = "status"
DONE_STATUSES = ("approved", "paid")  # of a list's column of states, in small letters


class MatchedPayments(NamedTuple):
    payments: list[int]
    unknown: list[str]


def match_payments(study: Study, text: str, *, sees_ids: bool) -> MatchedPayments:
    """text: codes or ids by blanks, commas or lines, or a CSV file with a header.

    Of a CSV the rows count whose status, if they have one, is approved or paid. sees_ids: ids of
    participants and of submissions name payments too, not codes alone.
    """
    payments_by_name = _names_of(study, sees_ids=sees_ids)
    keys: dict[int, None] = {}
    unknown = []
    for name in dict.fromkeys(_names_in(text)):
        if name.upper() in payments_by_name or name in payments_by_name:
            keys |= dict.fromkeys(payments_by_name.get(name) or payments_by_name[name.upper()])
        else:
            unknown.append(name)
    return MatchedPayments(list(keys), unknown)


def _names_of(study: Study, *, sees_ids: bool) -> dict[str, list[int]]:
    """A submission earns the base pay alone."""
    names: dict[str, list[int]] = {}
    for line in lines_of(study):
        names.setdefault(line.code, []).append(line.key)
        if sees_ids:
            names.setdefault(line.participant, []).append(line.key)
            if line.kind == Payment.Kind.BASE:
                names.setdefault(line.submission, []).append(line.key)
    names.pop("", None)
    return names


def _names_in(text: str) -> Iterator[str]:
    lines = text.strip("\ufeff\n\r ").splitlines()
    columns = _cells(lines[0]) if lines else []
    present = [name for name in NAME_COLUMNS if name in columns]
    return _column(lines, columns, present[0]) if present else _words(lines)


def _cells(line: str) -> list[str]:
    return [cell.strip().lower() for cell in next(csv.reader([line], delimiter=_delimiter(line)))]


def _delimiter(line: str) -> str:
    return max(",;\t", key=line.count)


def _column(lines: list[str], columns: list[str], name: str) -> Iterator[str]:
    file = io.StringIO("\n".join(lines[1:]))
    for cells in csv.reader(file, delimiter=_delimiter(lines[0])):
        row = dict(zip(columns, cells, strict=False))
        status = row.get(STATUS_COLUMN, DONE_STATUSES[0]).strip().lower()
        if row.get(name, "").strip() and status in DONE_STATUSES:
            yield row[name].strip()


def _words(lines: Iterable[str]) -> Iterator[str]:
    """All words but amounts, which stand beside ids in lists of bonuses."""
    for line in lines:
        for word in line.replace(",", " ").replace(";", " ").split():
            if not word.replace(".", "", 1).isdecimal() or "." not in word:
                yield word
