"""The kinds of files that a collection is made of."""

from enum import StrEnum


class Kind(StrEnum):
    """What a file may hold."""

    TOPICS = "topics"
    DOCUMENTS = "documents"
    LABELS = "labels"
    RUNS = "runs"
    OPINIONS = "opinions"
    TABLE = "table"  # with names of columns that say nothing here
