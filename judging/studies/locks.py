"""The one order in which collections and studies are locked: the collection, then its study.

Imports hold their collection, and `import_opinions` then asks for a study. Whoever took the study
first would wait for an import that waits for them.
"""

from judging.models import Collection, Study


def lock_study(slug: str) -> Study | None:
    """Lock the study `slug`, and before it its collection; None if there is no such study.

    Texts, runs and labels stay as they are until the transaction ends.
    """
    while study := Study.objects.filter(slug=slug).first():
        Collection.objects.select_for_update().get(pk=study.collection_id)
        # While we waited, a draft may have been replaced by one on another collection.
        same = Study.objects.filter(slug=slug, collection=study.collection_id)
        if locked := same.select_for_update().first():
            return locked
    return None
