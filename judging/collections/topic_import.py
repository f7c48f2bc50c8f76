from collections.abc import Iterable

from judging.collections.incoming import CannotImport, check_ids
from judging.models import Collection, Topic
from magnitudes.files.containers.archives import Member
from magnitudes.files.topics import Topic as ReadTopic
from magnitudes.files.topics import read_topics

TEXTS = ("title", "description", "narrative", "language")


def move_topics(collection: Collection, topics: Iterable[ReadTopic], frozen: bool) -> int:
    """Returns how many are new or changed; raises CannotImport if a `frozen` text differs."""
    existing = {topic.query_id: topic for topic in collection.topics.all()}
    changed = []
    for topic in topics:
        old = existing.get(topic.query_id)
        texts = {name: getattr(topic, name) for name in TEXTS}
        stored = [getattr(old, name, "") for name in TEXTS]
        if old and stored == [*texts.values()]:
            continue
        if old and frozen and any(stored):  # one that labels alone have named has none
            raise CannotImport(
                f"Topic {topic.query_id} is there with another text, and a study on this "
                "collection has opened."
            )
        key = old.pk if old else None
        changed.append(Topic(id=key, collection=collection, query_id=topic.query_id, **texts))
    Topic.objects.bulk_create(
        changed,
        update_conflicts=True,
        unique_fields=["collection", "query_id"],
        update_fields=TEXTS,
    )
    return len(changed)


def read_all_topics(members: Iterable[Member]) -> list[ReadTopic]:
    """Each once; raises CannotImport if one has two texts."""
    read: dict[str, ReadTopic] = {}
    for member in members:
        for topic in read_topics(member):
            check_ids("topic number", [topic.query_id])
            if read.setdefault(topic.query_id, topic) != topic:
                raise CannotImport(
                    f"{member.name}: topic {topic.query_id} again, with another text"
                )
    return list(read.values())


class KnownTopics(dict[str, int]):
    """By query id; more are added as files name them. made: those that were added."""

    def __init__(self, collection: Collection, *, makes_more: bool) -> None:
        super().__init__(collection.topics.values_list("query_id", "id"))
        self._collection, self._makes_more = collection, makes_more
        self.made: set[str] = set()

    def add_missing(self, query_ids: Iterable[str]) -> None:
        missing = set(query_ids) - self.keys()
        if not (self._makes_more and missing):
            return
        check_ids("topic number", missing)
        topics = Topic.objects.bulk_create(
            Topic(collection=self._collection, query_id=query_id) for query_id in sorted(missing)
        )
        self.update((topic.query_id, topic.pk) for topic in topics)
        self.made |= missing
