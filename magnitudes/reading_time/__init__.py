"""How long people take over documents, how long these are, and which of them say the same.

Arrays, texts and records of files in, arrays out. Nothing here knows of a database or a web page.
"""

from magnitudes.scaling import ScalingError


class ReadingError(ScalingError):
    """Times or lengths from which nothing can be estimated; the message says why."""
