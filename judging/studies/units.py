import hashlib
from collections.abc import Sequence

from django.db.models import Max

from judging.collections.bulk import copy_rows
from judging.models import Batch, PooledDocument, StudyTopic, Unit, UnitDocument


def number_of(query_id: str) -> int:
    """A number that stands for a topic in a seed, whatever its id looks like."""
    return int.from_bytes(hashlib.sha256(query_id.encode()).digest()[:8])


def store_units(
    topic: StudyTopic,
    anchors: Sequence[PooledDocument],
    drawn: Sequence[Sequence[PooledDocument]],
    batch: Batch | None = None,
) -> list[Unit]:
    last = Unit.objects.filter(study_topic=topic).aggregate(n=Max("number"))["n"] or 0
    units = Unit.objects.bulk_create(
        Unit(study_id=topic.study_id, study_topic=topic, number=number, batch=batch)
        for number in range(last + 1, last + 1 + len(drawn))
    )
    copy_rows(
        UnitDocument._meta.db_table,
        ("unit_id", "document_id"),
        (
            (unit.pk, document.pk)
            for unit, others in zip(units, drawn, strict=True)
            for document in (*anchors, *others)
        ),
    )
    return units
