"""The one order in which collections and studies are locked: the collection, then its study.

Keys are not locked (`no_key`): committing a change of a study checks the key of its collection, and
must not wait for a transaction that waits for the study.

Imports lock their collection, and `import_opinions` then locks a study. Whoever locked the study
first would wait for an import that waits for them.
"""

from judging.models import Collection, Study
from judging.studies.faults import BadStudy


def reload_locked(study: Study) -> Study:
    """A study that was read before, as it is now, locked until the transaction ends.

    Raises:
        BadStudy: it was deleted meanwhile.
    """
    locked = Study.objects.locked().filter(pk=study.pk).first()
    if locked is None:
        raise BadStudy(f"There is no study {study} any more: it was deleted.")
    return locked


def lock_study(slug: str) -> Study | None:
    """Lock the study `slug`, and before it its collection; None if there is no such study.

    Texts, runs and labels stay as they are until the transaction ends.
    """
    while study := Study.objects.filter(slug=slug).first():
        Collection.objects.select_for_update(no_key=True).get(pk=study.collection_id)
        # While we waited, a draft may have been replaced by one on another collection.
        same = Study.objects.filter(slug=slug, collection=study.collection_id)
        if locked := same.select_for_update(no_key=True).first():
            return locked
    return None
