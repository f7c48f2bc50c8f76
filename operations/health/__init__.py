"""The health of the site: a check for each part, for `/status`, the staff page and others."""

from collections.abc import Callable
from typing import NamedTuple

from web.findings import Finding


class Check(NamedTuple):
    """A part of the site and its check.

    needs: the name of an earlier part; while it is down, this check is not run.
    is_vital: workers cannot be served without it: if it is down, the site is.
    """

    name: str
    title: str
    run: Callable[[], Finding]
    needs: str = ""
    is_vital: bool = False
