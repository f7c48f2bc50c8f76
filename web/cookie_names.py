"""Names of cookies: with https, with a prefix that browsers enforce.

Browsers accept `__Host-...` only from this host, over https and for all paths: no other host of the
domain and nobody on the network can set one. `__Secure-...` needs https; its paths may be limited.
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
    return f"{SECURE}{name}" if https else name
