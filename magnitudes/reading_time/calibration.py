"""What time-biased gain assumes of readers, estimated from the log of a study with people.

By the conventions of Smucker and Clarke (SIGIR 2012), sections 3.2 and 5.2, per participant and
list (a session), where M is the rank of the lowest summary that was clicked on:

- T_S is the time on the result list that ends with a click or a further page, over M, as a mean
  weighted by M, equation (5): all list time over all M.
- P(C|R) is the share of summaries down to M that were clicked on; all of them are taken to have
  been seen. The mean over sessions is weighted by M.
- P(S|R) is the share of document views that ended with a save; the mean over sessions is weighted
  by the number of documents viewed.
- T_D is the line of `line.reading_lines` through first views; views of what a participant saw
  before, or a duplicate of it, have a mean of their own.
- D(t) is the share of sessions whose last click comes at t seconds or later, of those with at least
  5 clicks of which the last comes within 1800 seconds. h is that of the curve 2^(-t/h) nearest to
  D(t), by least squares over all t.

The last summary that counts is by definition one that was clicked on, so that P(C|R) is too high by
about (1 - P) / M. In a study that ends after a fixed time, h is about that time, not about people;
the paper takes it from a search engine's log instead.

Standard errors have participants as clusters; see `weighted_mean`. `calibrate` refuses a log whose
arrays do not fit; the functions of single parameters take one that fits, and raise no error, but
for `reading_line`.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from magnitudes.files.lazy import scipy
from magnitudes.reading_time import ReadingError
from magnitudes.reading_time.activity import Activity
from magnitudes.reading_time.line import Lines, reading_lines
from magnitudes.reading_time.weighted_mean import Estimate, clustered, weighted_mean, why_no_error

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
CLICKS, LONGEST = 5, 1800.0  # of sessions that tell the half-life
_FASTEST = 1e6  # a half-life so far below the mean is none
_NO_CLICK = "no session with a click"
_KINDS = ("non-relevant", "relevant")


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
        ReadingError: arrays of the log that do not fit; lengths or seconds of first views that
            are negative or infinite.
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
    """T_S, the seconds that a reader takes for a summary: equation (5).

        T_S = Σ over sessions of M · (S / M) / Σ over sessions of M

    with S the seconds on the result list (`list_seconds`) and M the deepest rank that was clicked
    on (`deepest`). Smucker and Clarke (SIGIR 2012), section 3.2.

    Parameters:
        log: its arrays of sessions, (sessions,); a session without a click is left out.

    Returns:
        Seconds, their standard error (see `weighted_mean`), sessions and participants. NaN without
        a session with a click.
    """
    clicked = log.deepest > 0
    each = log.list_seconds[clicked] / log.deepest[clicked]
    return weighted_mean(each, log.deepest[clicked], log.participant[clicked], _NO_CLICK)


def click_probability(log: Activity, relevant: int) -> Estimate:
    """P(C=1|R): the share of summaries that are clicked on, of those down to the deepest click.

        P(C=1|R) = Σ over sessions of M · (clicked of relevance R / shown of relevance R) / Σ M

    over sessions that show a summary of relevance R at rank M or above. Smucker and Clarke (SIGIR
    2012), section 3.2, Table 1.

    Parameters:
        log: its arrays of summaries, (summaries,), and of sessions, (sessions,).
        relevant: R, 1 or 0. Summaries that are not judged (NaN) count for neither.

    Returns:
        A share from 0 to 1, its standard error, sessions and participants. NaN without such a
        summary.
    """
    down_to = log.deepest[log.shown_session]
    chosen = (log.shown_rank <= down_to) & (log.shown_relevant == relevant)
    none = f"no {_KINDS[relevant]} summary down to the last that was clicked on"
    return _share(log, log.shown_session, chosen, log.shown_clicked, log.deepest, none)


def save_probability(log: Activity, relevant: int) -> Estimate:
    """P(S=1|R): the share of document views that end with a save.

        P(S=1|R) = Σ over sessions of V · (saved of relevance R / viewed of relevance R) / Σ V

    with V the views of a session, of documents of any relevance, over sessions with a view of
    relevance R. Smucker and Clarke (SIGIR 2012), section 3.2, Table 1.

    Parameters:
        log: its arrays of document views, (views,), and of sessions, (sessions,).
        relevant: R, 1 or 0. Documents that are not judged (NaN) count for neither.

    Returns:
        A share from 0 to 1, its standard error, sessions and participants. NaN without such a
        view.
    """
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
    sessions = len(log.participant)
    entries = np.bincount(session[chosen], minlength=sessions)
    hits = np.bincount(session[chosen & hit], minlength=sessions)
    counted = entries > 0
    if not (log.deepest > 0).any():
        none = _NO_CLICK
    shares = hits[counted] / entries[counted]
    return weighted_mean(shares, weight[counted], log.participant[counted], none)


def reading_line(log: Activity) -> Lines:
    """T_D(l) = a l + b: the line of the seconds of first views on the words of their documents.

    Least squares over all views at once, which weighs participants by their activity, as the paper
    wants it: Smucker and Clarke (SIGIR 2012), section 3.2, where it is 0.018 l + 7.8.

    Parameters:
        log: its arrays of document views, (views,). Views of what the participant saw before, of
            an unknown length (NaN) and without a known end (NaN) are left out.

    Returns:
        One line, arrays of shape (1,): slope in seconds per word, intercept in seconds, and more;
        see `line.Lines`, whose `reasons` says why a number is NaN.

    Raises:
        ReadingError: lengths or seconds that are negative or infinite.
    """
    first = ~log.view_again & ~np.isnan(log.view_seconds) & ~np.isnan(log.view_words)
    participants = log.participant[log.view_session[first]]
    return reading_lines(log.view_words[first], log.view_seconds[first], participants)


def _again(log: Activity) -> Estimate:
    chosen = log.view_again & ~np.isnan(log.view_seconds)
    seconds, participants = log.view_seconds[chosen], log.participant[log.view_session[chosen]]
    return weighted_mean(
        seconds, np.ones(len(seconds)), participants, "no later view has a known end"
    )


def half_life(log: Activity) -> Estimate:
    """h, the seconds after which half of the readers have stopped.

    D(t) = 2^(-t/h), equation (6), is fitted to the share of sessions whose last click comes at t
    seconds or later, by least squares over all t from 0 on. With x the times of last clicks and
    λ = ln 2 / h, the derivative of ∫ (D(t) - share(t))² dt is 0 where

        mean of (1 + λ x) exp(-λ x) = 3/4

    Smucker and Clarke (SIGIR 2012), section 5.2, find 224 seconds; they do not say how they fit.

    Parameters:
        log: its arrays of sessions, (sessions,). Counted are those of at least 5 clicks of which
            the last comes within 1800 seconds, as in the paper.

    Returns:
        Seconds, their standard error (by the delta method from the condition above, participants
        as clusters), sessions and participants. NaN without such a session, and where more than
        three quarters of them end at 0.
    """
    lasting = _lasting(log)
    some = f" of at least {CLICKS} clicks in {LONGEST:g} s"
    return decay(log.last_click[lasting], log.participant[lasting], "session", some)


def decay(times: ArrayLike, participants: ArrayLike, called: str, some: str = "") -> Estimate:
    """The half-life h of D(t) = 2^(-t/h), fitted to the share that goes on to each time: seconds.

    Parameters:
        times: shape (n,), when each stopped, in seconds from 0 on.
        participants: shape (n,), whole numbers, whose they are.
        called, some: what stops, and which of them count, for the reason why there is no half-life.

    Returns:
        As `half_life`.

    >>> round(float(decay([10, 20, 30], [0, 1, 2], "worker").value), 2)
    14.52
    """
    x = np.asarray(times, dtype=np.float64)
    scale = float(x.mean()) if len(x) else 0.0

    def condition(rate: float) -> Floats:
        z = rate * x / scale
        return np.asarray((1 + z) * np.exp(-z) - 0.75)

    if not scale > 0 or condition(_FASTEST).mean() > 0:
        reason = _why_no_rate(x, called, some)
        return Estimate(np.nan, np.nan, len(x), len(np.unique(participants)), reason)
    rate = float(
        scipy.optimize.brentq(lambda rate: condition(rate).mean(), 0.0, _FASTEST, xtol=1e-13)
    )
    z = rate * x / scale
    value = scale * np.log(2) / rate
    spread, people = clustered(condition(rate), np.asarray(participants))
    error = value * spread / float((z * z * np.exp(-z)).sum())
    return Estimate(value, error, len(x), people, why_no_error(people))


def _why_no_rate(times: Floats, called: str, some: str) -> str:
    """D(t) is at most 1/4 at once where three quarters and more end at 0: no half-life fits."""
    if not len(times):
        return f"no {called}{some}"
    share = "more than three quarters of" if times.any() else "all"
    return f"{share} {called}s{some} end at 0"


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
            raise ReadingError(f"the arrays {', '.join(names)} do not fit")
    if len({len(array) for array in log[:5]}) > 1:
        raise ReadingError(f"the arrays {', '.join(Activity._fields[:5])} do not fit")
