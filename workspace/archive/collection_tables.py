"""The tables of a collection in an archive: its source texts, runs and labels."""

import secrets

from judging.collections import vocabulary
from judging.collections.cleaning import VERSION, cleaned
from judging.models import Document, Label, LabelSet, RankedList, Run, Topic, Vocabulary
from trec.documents import Document as ReadDocument
from trec.lengths import length
from workspace.archive.columns import DocumentIds, Link, Made, Packed, Row
from workspace.archive.table import TOPIC, Table, kept, of_collection


def _read(row: Row) -> ReadDocument:
    return ReadDocument(row["doc_id"], row["title"], row["text"], row["is_html"])


DOCUMENTS = Table(
    "documents",
    Document,
    of_collection(Document),
    (
        *kept(Document, "doc_id", "title", "text", "is_html", "language"),
        Made("words", lambda row: length(_read(row)), "follows from the text"),
        Made("cleaned", lambda row: cleaned(row["text"], row["is_html"]), "never trusted"),
        Made("cleaner", lambda row: VERSION, "is that of this site"),
    ),
    owner="collection",
)
OF_COLLECTION = (
    Table(
        "topics",
        Topic,
        of_collection(Topic),
        kept(Topic, "query_id", "title", "description", "narrative", "language"),
        owner="collection",
        key=("query_id",),
    ),
    DOCUMENTS,
    Table(
        "vocabularies",
        Vocabulary,
        lambda home: Vocabulary.objects.filter(topic__collection=home.collection),
        (TOPIC, DocumentIds("doc_ids")),
    ),
    Table(
        "runs",
        Run,
        of_collection(Run),
        kept(Run, "tag"),
        owner="collection",
        key=("tag",),
    ),
    Table(
        "lists",
        RankedList,
        lambda home: RankedList.objects.filter(run__collection=home.collection),
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
            *kept(LabelSet, "name"),
            Made("digest", lambda row: secrets.token_hex(32), "tells sets of one site apart"),
        ),
        owner="collection",
        key=("name",),
    ),
    Table(
        "labels",
        Label,
        lambda home: Label.objects.filter(label_set__collection=home.collection),
        (
            Link("label_set", "label_sets", {"label_set": "label_set__name"}),
            TOPIC,
            *kept(Label, "doc_id", "level"),
        ),
    ),
)
