"""The order of locks: a collection, then its study.

Imports lock their collection, and `import_opinions` then locks a study: whoever locked the study
first would wait for an import that waits for them. Keys are not locked (`no_key`): committing a
change of a study checks the key of its collection, and must not wait for a transaction that waits
for the study.
"""

from judging.models import Collection, Study
from judging.studies.faults import BadStudy


def reload_locked(study: Study) -> Study:
    """As it is now, locked until the transaction ends; raises BadStudy if it was deleted."""
    locked = Study.objects.locked().filter(pk=study.pk).first()
    if locked is None:
        raise BadStudy(f"There is no study {study} any more: it was deleted.")
    return locked


def lock_study(slug: str) -> Study | None:
    """Locks its collection first: texts, runs and labels stay; None: there is no such study."""
    while study := Study.objects.filter(slug=slug).first():
        Collection.objects.select_for_update(no_key=True).get(pk=study.collection_id)
        # While we waited, a draft may have been replaced by one on another collection.
        same = Study.objects.filter(slug=slug, collection=study.collection_id)
        if locked := same.select_for_update(no_key=True).first():
            return locked
    return None
