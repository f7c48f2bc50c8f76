"""How scores lie: their distribution, their spread, their drift in time, the numbers people like.

Arrays in, arrays out. Nothing here knows of a database, a file or a web page.
"""

from magnitudes.scaling import ScalingError


class SpreadError(ScalingError):
    """Scores or parameters that cannot be worked with; the message says why."""
