"""How long bodies may be, for the web server as well, which runs before there are apps."""

from django.conf import settings


def most_bytes(path: str, *, authorization: str = "", cookies: str = "") -> int:
    """The bytes that a body may have at most at an address.

    Whoever shows neither a session nor a token gets no more than STRANGERS_BODY_LIMIT. Neither is
    looked up: this is asked before the body is read.

    Args:
        authorization, cookies: the headers Authorization and Cookie.
    """
    limits: dict[str, int] = settings.BODY_LIMITS
    prefixes = (prefix for prefix in limits if path.startswith(prefix))
    limit = limits[max(prefixes, key=len, default="/")]  # no address of the site: `OPTIONS *`
    if authorization or _has_session(cookies):
        return limit
    return min(limit, settings.STRANGERS_BODY_LIMIT)


def _has_session(cookies: str) -> bool:
    pairs = (part.strip().partition("=") for part in cookies.split(";"))
    return any(name == settings.SESSION_COOKIE_NAME and value for name, _, value in pairs)
