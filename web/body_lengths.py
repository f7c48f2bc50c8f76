"""How long bodies may be, for the web server as well, which runs before there are apps."""

from django.conf import settings


def most_bytes(path: str) -> int:
    """The bytes that a body may have at most at an address."""
    limits: dict[str, int] = settings.BODY_LIMITS
    prefixes = (prefix for prefix in limits if path.startswith(prefix))
    return limits[max(prefixes, key=len, default="/")]  # no address of the site: `OPTIONS *`
