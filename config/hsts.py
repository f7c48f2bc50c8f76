"""HSTS in steps: an hour, then a year, then other hosts of the domain, then the browsers' list."""

from django.core.exceptions import ImproperlyConfigured

A_YEAR = 365 * 24 * 3600  # seconds; the list of browsers wants no less


def insist_on_steps(seconds: int, *, subdomains: bool, preload: bool) -> None:
    """ImproperlyConfigured where a step is taken before the one that it rests on."""
    if preload and not (subdomains and seconds >= A_YEAR):
        raise ImproperlyConfigured(
            f"HSTS_PRELOAD=on needs HSTS_SUBDOMAINS=on and HSTS_SECONDS={A_YEAR} or more: browsers "
            "take no other site into their list, and nobody gets out of it for months."
        )
