"""Writes what an import reads, and tells what it left."""

from judging.collections import vocabulary
from judging.collections.importing import Imported, import_collection
from judging.models import Collection, Document, Label, LabelSet, RankedList, Run, Topic


class Files:
    """Writes what an import reads, and imports it."""

    def __init__(self, folder) -> None:
        self.folder = folder

    def write(self, name: str, text: str | bytes) -> str:
        path = self.folder / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return str(path)

    def topics(self, *numbers: str, name: str = "topics", title: str = "topic {}") -> str:
        top = "<top>\n<num> Number: {0}\n<title> {1}\n<desc> Description:\nWhat of {0}?\n</top>\n"
        return self.write(name, "".join(top.format(n, title.format(n)) for n in numbers))

    def documents(self, *ids: str, name: str = "documents", text: str = "Words on {}.") -> str:
        doc = "<DOC>\n<DOCNO>{0}</DOCNO>\n<TITLE>About {0}</TITLE>\n<TEXT>{1}</TEXT>\n</DOC>\n"
        return self.write(name, "".join(doc.format(i, text.format(i)) for i in ids))

    def run(self, tag: str, *ids: str, topic: str = "401", first: int = 1) -> str:
        """Scores fall while rank fields rise."""
        lines = [f"{topic} Q0 {d} {n} {100 - n} {tag}\n" for n, d in enumerate(ids, first)]
        return self.write(f"{tag}.run", "".join(lines))

    def bring(
        self,
        topics: str = "",
        documents: str = "",
        *,
        qrels: str = "",
        slug: str = "home",
        title: str = "topic {}",
        text: str = "Words on {}.",
        **runs: str,
    ) -> Imported:
        """Import topics, documents of one letter each, reference labels, and runs of such."""
        parts = {
            "topics": topics and [self.topics(*topics.split(), title=title)],
            "documents": documents and [self.documents(*documents, text=text)],
            "qrels": qrels and {"reference": [self.qrels(qrels)]},
            "runs": [self.run(tag, *ids) for tag, ids in runs.items()],
        }
        return import_collection(slug, **{name: part for name, part in parts.items() if part})

    def qrels(self, text: str = "401 0 A 2\n401 0 B 0\n", name: str = "qrels") -> str:
        return self.write(name, text)


def everything() -> dict:
    """All that an import may change."""

    def plain(row: tuple) -> tuple:
        return tuple(bytes(v) if isinstance(v, memoryview) else v for v in row)

    labels = Label.objects.values_list("label_set__name", "topic", "doc_id", "level")
    return {
        model.__name__: sorted(repr(plain(row)) for row in model.objects.values_list())
        for model in (Collection, Topic, Document, Run, RankedList, LabelSet)
    } | {
        "labels": sorted(labels),
        "codes": [vocabulary.read(topic) for topic in Topic.objects.order_by("query_id")],
    }


def ranking(tag: str, query_id: str = "401") -> list[tuple[str, int, float]]:
    """A stored list: documents, rank fields, scores."""
    found = RankedList.objects.get(run__tag=tag, topic__query_id=query_id)
    ids = vocabulary.read(found.topic)
    codes, ranks = vocabulary.codes(found.codes), vocabulary.ranks(found.ranks)
    scores = memoryview(bytes(found.scores)).cast("d").tolist()
    return [(ids[c], int(r), s) for c, r, s in zip(codes, ranks, scores, strict=True)]
