"""From raw scores to one number per topic and document: scales removed, scores aggregated.

Arrays in, arrays out. Nothing here knows of a database, a file or a web page.
"""


class ScalingError(ValueError):
    """Scores or parameters that cannot be worked with; the message says why."""
