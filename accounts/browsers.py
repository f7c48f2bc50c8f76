"""A user agent in short words, such as Firefox on Linux: no more of it is stored."""

# The first match counts: many browsers claim to be others as well.
BROWSERS = {
    "Edg": "Edge",
    "OPR/": "Opera",
    "Firefox/": "Firefox",
    "FxiOS/": "Firefox",
    "Chrome/": "Chrome",
    "CriOS/": "Chrome",
    "Safari/": "Safari",
}
SYSTEMS = {
    "Android": "Android",
    "iPhone": "an iPhone",
    "iPad": "an iPad",
    "Windows": "Windows",
    "Mac OS X": "a Mac",
    "CrOS": "ChromeOS",
    "Linux": "Linux",
}
UNKNOWN = "a browser that we do not know"


def browser_of(user_agent: str) -> str:
    """The browser and its system by the header User-Agent.

    >>> browser_of("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0")
    'Firefox on Linux'
    >>> browser_of("curl/8.0"), browser_of("Mozilla/5.0 (Windows NT 10.0)")
    ('a browser that we do not know', 'a browser on Windows')
    """
    browser = next((name for mark, name in BROWSERS.items() if mark in user_agent), "")
    system = next((name for mark, name in SYSTEMS.items() if mark in user_agent), "")
    if not (browser or system):
        return UNKNOWN
    return f"{browser or 'a browser'} on {system}" if system else browser
