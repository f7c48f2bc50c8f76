"""Do people agree: with one another, with reference labels, with themselves.

Arrays in, arrays out. Nothing here knows of a database, a file or a web page.
"""

from magnitudes.scaling import ScalingError


class AgreementError(ScalingError):
    """Scores or opinions whose agreement cannot be told; the message says why."""
