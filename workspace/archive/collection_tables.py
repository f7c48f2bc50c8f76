import secrets

from judging.collections import vocabulary
from judging.collections.cleaning import VERSION, clean_text
from judging.models import Document, Label, LabelSet, RankedList, Run, Topic, Vocabulary
from magnitudes.files.documents import Document as ReadDocument
from magnitudes.files.lengths import length
from workspace.archive.columns import Computed, DocumentIds, Link, Packed, Row
from workspace.archive.table import TOPIC, Table, of_collection, stored


def _read(row: Row) -> ReadDocument:
    return ReadDocument(row["doc_id"], row["title"], row["text"], row["is_html"])


DOCUMENTS = Table(
    "documents",
    Document,
    of_collection(Document),
    (
        *stored(Document, "doc_id", "title", "text", "is_html", "language"),
        Computed("words", lambda row: length(_read(row)), "follows from the text"),
        Computed("cleaned", lambda row: clean_text(row["text"], row["is_html"]), "never trusted"),
        Computed("cleaner", lambda row: VERSION, "is that of this site"),
    ),
    owner="collection",
)
OF_COLLECTION = (
    Table(
        "topics",
        Topic,
        of_collection(Topic),
        stored(Topic, "query_id", "title", "description", "narrative", "language"),
        owner="collection",
        key=("query_id",),
    ),
    DOCUMENTS,
    Table(
        "vocabularies",
        Vocabulary,
        lambda scope: Vocabulary.objects.filter(topic__collection=scope.collection),
        (TOPIC, DocumentIds("doc_ids")),
    ),
    Table(
        "runs",
        Run,
        of_collection(Run),
        stored(Run, "tag"),
        owner="collection",
        key=("tag",),
    ),
    Table(
        "lists",
        RankedList,
        lambda scope: RankedList.objects.filter(run__collection=scope.collection),
        (
            Link("run", "runs", {"run": "run__tag"}),
            TOPIC,
            Packed("codes", vocabulary.CODES),
            Packed("ranks", vocabulary.RANKS),
            Packed("scores", vocabulary.SCORES),
        ),
    ),
    Table(
        "label_sets",
        LabelSet,
        of_collection(LabelSet),
        (
            *stored(LabelSet, "name"),
            Computed("digest", lambda row: secrets.token_hex(32), "tells sets of one site apart"),
        ),
        owner="collection",
        key=("name",),
    ),
    Table(
        "labels",
        Label,
        lambda scope: Label.objects.filter(label_set__collection=scope.collection),
        (
            Link("label_set", "label_sets", {"label_set": "label_set__name"}),
            TOPIC,
            *stored(Label, "doc_id", "level"),
        ),
    ),
)
