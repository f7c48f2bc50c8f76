"""Names of cookies: with https, with a prefix that browsers enforce.

Browsers accept `__Host-...` only from this host, over https, and for all its paths: no other host
of the domain and nobody on the network can set one. `__Secure-...` also needs https, and
may be for some paths alone.
"""

HOST, SECURE = "__Host-", "__Secure-"
SESSION, CSRF, MESSAGES, WORKER = "sessionid", "csrftoken", "messages", "worker"


def host_cookie(name: str, *, https: bool) -> str:
    """The name of a cookie for the whole host.

    >>> host_cookie("sessionid", https=True), host_cookie("sessionid", https=False)
    ('__Host-sessionid', 'sessionid')
    """
    return f"{HOST}{name}" if https else name


def path_cookie(name: str, *, https: bool) -> str:
    """The name of a cookie for some paths of the host."""
    return f"{SECURE}{name}" if https else name
