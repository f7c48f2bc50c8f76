"""How scores lie: their distribution, their spread, their drift in time, the numbers people like.

Arrays in, arrays out. Nothing here knows of a database, a file or a web page.
"""

from evaluation.scaling import ScalingError


class SpreadError(ScalingError):
    """Scores, or a way of looking at them, that nothing comes of; the message says why."""
