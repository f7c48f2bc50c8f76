"""What time-biased gain assumes of readers, estimated from the log of a study with people.

By the conventions of Smucker and Clarke (SIGIR 2012), sections 3.2 and 5.2, per participant and
list (a session), where M is the rank of the lowest summary that was clicked on:

- T_S is the time on the result list that ends with a click or a further page, over M, in the mean
  weighted by M, equation (5): all list time over all M.
- P(C|R) is the share of summaries down to M that were clicked on; all of them are taken to have
  been seen. The mean over sessions is weighted by M.
- P(S|R) is the share of document views that ended with a save; the mean over sessions is weighted
  by the number of documents viewed.
- T_D is the line of `reading_time` through first views; views of what a participant saw before, or
  a duplicate of it, have a mean of their own.
- D(t) is the share of sessions whose last click comes at t seconds or later, of those with at least
  5 clicks of which the last comes within 1800 seconds. h is that of the curve 2^(-t/h) nearest to
  D(t), by least squares over all t. That has a closed condition: with x the times of last clicks
  and λ = ln 2 / h,  mean of (1 + λx) exp(-λx) = 3/4.

The last summary that counts is by definition one that was clicked on, so that P(C|R) is too high by
about (1 - P) / M. In a study that ends after a fixed time, h is about that time, not about people;
the paper takes it from a search engine's log instead.

Standard errors are those of `clusters.weighted_mean`, with participants as clusters; that of h is
of the same kind, from its condition.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import brentq

from evaluation.scaling import ScalingError
from evaluation.scaling.clusters import Estimate, alone, clustered, weighted_mean
from evaluation.scaling.reading_time import Lines, reading_lines

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
CLICKS, LONGEST = 5, 1800.0  # of sessions that tell the half-life
_FASTEST = 1e6  # a half-life so far below the mean is none
_NO_CLICK = "no session with a click"
_KINDS = ("non-relevant", "relevant")


class Activity(NamedTuple):
    """A log as arrays; flat ones name the session of each entry.

    Of sessions: participant (whole numbers), list_seconds, deepest (M, 0 without a click), clicks,
    last_click (seconds from the first view). Of summaries that were shown: shown_session,
    shown_rank, shown_relevant (1, 0, or NaN where not judged), shown_clicked. Of document views:
    view_session, view_relevant, view_saved, view_seconds (NaN where the end is not known),
    view_words (NaN where not known), view_again (seen before).
    """

    participant: Ints
    list_seconds: Floats
    deepest: Ints
    clicks: Ints
    last_click: Floats
    shown_session: Ints
    shown_rank: Ints
    shown_relevant: Floats
    shown_clicked: NDArray[np.bool_]
    view_session: Ints
    view_relevant: Floats
    view_saved: NDArray[np.bool_]
    view_seconds: Floats
    view_words: Floats
    view_again: NDArray[np.bool_]


class Calibration(NamedTuple):
    """Every parameter; `line` is that of first views, `again` the mean seconds of later ones."""

    summary: Estimate
    click: Estimate
    click_nonrel: Estimate
    save: Estimate
    save_nonrel: Estimate
    line: Lines
    again: Estimate
    half_life: Estimate


def calibrate(log: Activity) -> Calibration:
    """All parameters of a log; what it does not tell is NaN, with a reason.

    Raises:
        ScalingError: arrays that do not fit.
    """
    _check(log)
    return Calibration(
        summary_time(log),
        click_probability(log, 1),
        click_probability(log, 0),
        save_probability(log, 1),
        save_probability(log, 0),
        reading_line(log),
        _again(log),
        half_life(log),
    )


def summary_time(log: Activity) -> Estimate:
    """T_S in seconds, equation (5), over sessions with a click."""
    some = log.deepest > 0
    each = log.list_seconds[some] / log.deepest[some]
    return weighted_mean(each, log.deepest[some], log.participant[some], _NO_CLICK)


def click_probability(log: Activity, relevant: int) -> Estimate:
    """P(C=1|R), over sessions with such a summary down to the deepest click."""
    down_to = log.deepest[log.shown_session]
    chosen = (log.shown_rank <= down_to) & (log.shown_relevant == relevant)
    none = f"no {_KINDS[relevant]} summary down to the last that was clicked on"
    return _share(log, log.shown_session, chosen, log.shown_clicked, log.deepest, none)


def save_probability(log: Activity, relevant: int) -> Estimate:
    """P(S=1|R), over sessions in which such a document was viewed."""
    viewed = np.bincount(log.view_session, minlength=len(log.participant))
    chosen = log.view_relevant == relevant
    none = f"no {_KINDS[relevant]} document was viewed"
    return _share(log, log.view_session, chosen, log.view_saved, viewed, none)


def _share(
    log: Activity,
    session: Ints,
    chosen: NDArray[np.bool_],
    hit: NDArray[np.bool_],
    weight: Ints,
    none: str,
) -> Estimate:
    """The mean over sessions of the share of entries that are hits; `none`: why there is none."""
    many = len(log.participant)
    of = np.bincount(session[chosen], minlength=many)
    hits = np.bincount(session[chosen & hit], minlength=many)
    some = of > 0
    if not (log.deepest > 0).any():
        none = _NO_CLICK
    return weighted_mean(hits[some] / of[some], weight[some], log.participant[some], none)


def reading_line(log: Activity) -> Lines:
    """T_D, from first views of documents of known length."""
    first = ~log.view_again & ~np.isnan(log.view_seconds) & ~np.isnan(log.view_words)
    who = log.participant[log.view_session[first]]
    return reading_lines(log.view_words[first], log.view_seconds[first], who)


def _again(log: Activity) -> Estimate:
    chosen = log.view_again & ~np.isnan(log.view_seconds)
    seconds, who = log.view_seconds[chosen], log.participant[log.view_session[chosen]]
    return weighted_mean(seconds, np.ones(len(seconds)), who, "no later view has a known end")


def half_life(log: Activity) -> Estimate:
    """h in seconds, from sessions of at least 5 clicks, the last within 1800 seconds."""
    some = _lasting(log)
    x, who = log.last_click[some], log.participant[some]
    scale = float(x.mean()) if len(x) else 0.0

    def condition(rate: float) -> Floats:
        z = rate * x / scale
        return np.asarray((1 + z) * np.exp(-z) - 0.75)

    if not scale > 0 or condition(_FASTEST).mean() > 0:
        told = f"at least {CLICKS} clicks in {LONGEST:g} s"
        reason = f"all sessions of {told} end at 0" if len(x) else f"no session of {told}"
        return Estimate(np.nan, np.nan, len(x), len(np.unique(who)), reason)
    rate = float(brentq(lambda rate: condition(rate).mean(), 0.0, _FASTEST, xtol=1e-13))
    z = rate * x / scale
    value = scale * np.log(2) / rate
    spread, participants = clustered(condition(rate), who)
    error = value * spread / float((z * z * np.exp(-z)).sum())
    return Estimate(value, error, len(x), participants, alone(participants))


def staying(log: Activity, times: ArrayLike) -> Floats:
    """D(t) of the log at given times: (times,); NaN without a session that tells it."""
    ends = np.sort(log.last_click[_lasting(log)])
    moments = np.asarray(times, dtype=np.float64)
    if not ends.size:
        return np.full(moments.shape, np.nan)
    return np.asarray(1 - np.searchsorted(ends, moments, side="left") / ends.size)


def _lasting(log: Activity) -> NDArray[np.bool_]:
    return (log.clicks >= CLICKS) & (log.last_click <= LONGEST)


def _check(log: Activity) -> None:
    for kind, names in (("shown", Activity._fields[5:9]), ("view", Activity._fields[9:])):
        sizes = {len(getattr(log, name)) for name in names}
        session = getattr(log, f"{kind}_session")
        if len(sizes) > 1 or (session.size and session.max() >= len(log.participant)):
            raise ScalingError(f"the arrays {', '.join(names)} do not fit")
    if len({len(array) for array in log[:5]}) > 1:
        raise ScalingError(f"the arrays {', '.join(Activity._fields[:5])} do not fit")
