"""HSTS in steps: an hour, then a year, then other hosts of the domain, then the browsers' list."""

from django.core.exceptions import ImproperlyConfigured

A_YEAR = 365 * 24 * 3600  # seconds; the minimum of the preload list


def validate_steps(seconds: int, *, subdomains: bool, preload: bool) -> None:
    """Raise ImproperlyConfigured if a step is taken before the one that it needs."""
    if preload and not (subdomains and seconds >= A_YEAR):
        raise ImproperlyConfigured(
            f"HSTS_PRELOAD=on needs HSTS_SUBDOMAINS=on and HSTS_SECONDS={A_YEAR} or more: browsers "
            "take no other site into their list, and nobody gets out of it for months."
        )
