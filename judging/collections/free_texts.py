from django.db import transaction

from accounts.models import User
from judging.collections.access import lock_for_change, log_change
from judging.models import Collection


@transaction.atomic
def mark_free_to_share(collection: Collection, *, is_free: bool, by: User | None) -> Collection:
    locked = lock_for_change(collection, by)
    if locked.free_to_share != is_free:
        locked.free_to_share = is_free
        locked.save(update_fields=["free_to_share"])
        action = "marked as free to share" if is_free else "marked as not free to share"
        log_change(locked, by, action)
    return locked
