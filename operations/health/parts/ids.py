from django.core.exceptions import ImproperlyConfigured

from judging.models import PlatformAccount
from web.findings import Finding, down, ok


def keys() -> Finding:
    """Whether this process has the keys, without which no new worker can begin."""
    try:
        PlatformAccount._meta.get_field("external_id").validate_key()
    except ImproperlyConfigured:
        return down(
            "Platforms' ids are encrypted by another key than this process has.",
            "Give every process the same ENCRYPTION_KEY, with those of the past behind the first.",
        )
    return ok("This process has the keys by which platforms' ids are encrypted.")
