"""Limits of bodies, for the web server as well, which runs before there are apps."""

from django.conf import settings


def max_body_bytes(path: str, *, authorization: str = "", cookies: str = "") -> int:
    """The maximum length of a body for a path.

    Without a session cookie and a token it is at most ANONYMOUS_BODY_LIMIT. Neither is looked up,
    since this is called before the body is read.

    Args:
        authorization, cookies: the headers Authorization and Cookie.
    """
    limits: dict[str, int] = settings.BODY_LIMITS
    prefixes = (prefix for prefix in limits if path.startswith(prefix))
    limit = limits[max(prefixes, key=len, default="/")]  # no address of the site: `OPTIONS *`
    if authorization or _has_session(cookies):
        return limit
    return min(limit, settings.ANONYMOUS_BODY_LIMIT)


def _has_session(cookies: str) -> bool:
    pairs = (part.strip().partition("=") for part in cookies.split(";"))
    return any(name == settings.SESSION_COOKIE_NAME and value for name, _, value in pairs)
