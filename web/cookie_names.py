"""What cookies are called: where the site is reached by https, with a prefix that browsers mind.

A cookie `__Host-...` they take from this very host alone, over https, and for all its addresses: no
other host of the domain, and nobody on the way, can plant one. Nobody on the way can plant
`__Secure-...` either, which may be for some addresses alone.
"""

HOST, SECURE = "__Host-", "__Secure-"
SESSION, CSRF, MESSAGES, WORKER = "sessionid", "csrftoken", "messages", "worker"


def of_host(name: str, *, https: bool) -> str:
    """What a cookie for the whole host is called.

    >>> of_host("sessionid", https=True), of_host("sessionid", https=False)
    ('__Host-sessionid', 'sessionid')
    """
    return f"{HOST}{name}" if https else name


def of_folder(name: str, *, https: bool) -> str:
    """What a cookie for some addresses of the host is called."""
    return f"{SECURE}{name}" if https else name
