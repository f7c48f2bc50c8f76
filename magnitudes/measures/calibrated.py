"""Time-biased gain with what was estimated from the log of a user study."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from magnitudes.measures.catalogue import READER, Value
from magnitudes.measures.names import Measure
from magnitudes.reading_time.calibration import Calibration

DIGITS = 4  # of a parameter in a measure's name: its error is far larger


class Parameter(NamedTuple):
    """One number that was estimated. `entries`: sessions, or views for times of documents."""

    parameter: str
    value: float
    error: float
    entries: int
    participants: int
    reason: str  # why value or error is NaN, or the value is of no use to the measure


def parameters(calibration: Calibration) -> list[Parameter]:
    """Every number of a calibration; those that the measure takes are named as its options."""
    line = calibration.line
    views, people, reason = int(line.views[0]), int(line.workers[0]), line.reasons[0]
    of_line = (views, people, reason)
    named = [
        Parameter(name, *getattr(calibration, name))
        for name in ("half_life", "summary", "click", "click_nonrel", "save", "save_nonrel")
    ]
    named[2:2] = [
        Parameter("slope", float(line.slope[0]), float(line.slope_error[0]), *of_line),
        Parameter("intercept", float(line.intercept[0]), float(line.intercept_error[0]), *of_line),
        Parameter("adjusted_r2", float(line.r2[0]), math.nan, views, people, reason),
        Parameter(
            "seconds_of_first_views", float(line.mean[0]), float(line.mean_error[0]), *of_line
        ),
        Parameter("seconds_of_later_views", *calibration.again),
    ]
    return [_usable(parameter) for parameter in named]


def _usable(row: Parameter) -> Parameter:
    """A parameter with the reason why the measure cannot have its value, if there is one."""
    if row.parameter in READER and not math.isnan(row.value):
        fault = READER[row.parameter].fault(row.value)
        return row._replace(reason=f"not for the measure: {fault}") if fault else row
    return row


def calibrated(estimated: Sequence[Parameter]) -> Measure:
    """TBG with what was estimated, to four digits; what was not stays the paper's.

    It raises no error: what the measure cannot take is left out, and `parameters` says so.
    """
    options: dict[str, Value] = {
        row.parameter: float(f"{row.value:.{DIGITS}g}")
        for row in estimated
        if row.parameter in READER
        and not math.isnan(row.value)
        and READER[row.parameter].fault(row.value) is None
    }
    return Measure("TBG", {name: options[name] for name in READER if name in options})
