import math
from datetime import datetime, timedelta

MINUTE, HOUR, DAY = 60, 3600, 86400


def duration(seconds: float) -> str:
    whole = max(0, int(seconds))
    if whole < MINUTE:
        return f"{whole} s"
    if whole < HOUR:
        return f"{whole // MINUTE} min"
    if whole < DAY:
        return f"{whole // HOUR} h {whole % HOUR // MINUTE:02} min"
    return f"{whole // DAY} d {whole % DAY // HOUR} h"


def span(width: timedelta) -> str:
    """A round length of time in words: 30 minutes, hour, 3 hours."""
    seconds = width.total_seconds()
    sizes = ((7 * DAY, "week"), (DAY, "day"), (HOUR, "hour"), (MINUTE, "minute"))
    size, name = next((size, name) for size, name in sizes if seconds % size == 0)
    count = round(seconds / size)
    return name if count == 1 else f"{count} {name}s"


def _days_ahead(at: datetime, now: datetime) -> int:
    return (at.date() - now.date()).days


def rounded(at: datetime) -> datetime:
    """To ten minutes: an expected time is not known better."""
    past = timedelta(minutes=at.minute % 10, seconds=at.second, microseconds=at.microsecond)
    return at - past + (timedelta(minutes=10) if past >= timedelta(minutes=5) else timedelta(0))


def day(at: datetime, now: datetime) -> str:
    """When something is expected, to end a sentence: 'today about 15:10 UTC', 'on Thursday'."""
    near = rounded(at)
    ahead = _days_ahead(near, now)
    if ahead <= 1:
        return f"{'tomorrow' if ahead == 1 else 'today'} about {near:%H:%M} UTC"
    return f"on {at:%A}" if ahead < 7 else f"on {_date(at, now)}"


def _date(at: datetime, now: datetime) -> str:
    return f"{at.day} {at:%B}" + (f" {at.year}" if at.year != now.year else "")


def moment(at: datetime, now: datetime) -> str:
    """The end of an interval: as exact as its distance allows."""
    near = rounded(at)
    ahead = _days_ahead(near, now)
    if ahead <= 0:
        return f"{near:%H:%M} UTC today"
    if ahead < 7:
        return f"{near:%A %H:%M} UTC"
    return _date(at, now)


def done(share: float) -> str:
    """How much is done, never rounded up: what is 100% is all done, what is 0% not begun."""
    whole = math.floor(100 * share)
    return "less than 1%" if share > 0 and whole == 0 else f"{whole}%"


def percent(share: float) -> str:
    if 0 < share < 0.0995:
        return f"{100 * share:.1f}%"
    return f"{100 * share:.0f}%"


def one_in(chance: float) -> str:
    """A small chance as 'one in so many', to one figure."""
    if chance <= 1e-9:
        return "less than 1 in a billion"
    times = 1 / chance
    size = 10 ** math.floor(math.log10(times))
    count = round(times / size) * size
    return f"1 in {count / 1e6:.0f} million" if count >= 1e6 else f"1 in {count:,.0f}"
