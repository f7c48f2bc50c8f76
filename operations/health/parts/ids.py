"""Encryption of platforms' ids of people: the keys, and whether it is in use."""

from django.core.exceptions import ImproperlyConfigured

from judging.models import IdKeys
from web.findings import Finding, degraded, down, ok


def keys() -> Finding:
    """Whether this process has the keys, without which no new worker can begin."""
    try:
        site = IdKeys.of_site()
    except ImproperlyConfigured:
        return down(
            "Platforms' ids are sealed by other keys than this process has.",
            "Give every process the same PLATFORM_ID_KEY and PLATFORM_ID_LOOKUP_KEY, and those of "
            "the past as fallbacks.",
        )
    if not site.seals:
        return degraded(
            "Platforms' ids are kept as version 0.1 reads them.",
            "When no process of version 0.1 runs any more: manage.py finish_upgrade",
        )
    return ok("Platforms' ids are sealed, and this process has their keys.")
