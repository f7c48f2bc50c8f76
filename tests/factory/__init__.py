"""Studies for tests and benchmarks. Each module makes one thing:

studies    a small study as researchers make it: collection, labels, plan, open
runs       retrieval runs of a study, and files of them
completed  units that somebody has completed, and studies full of them
crowds     a study with a crowd at work, as large as asked for
arrays, opinions, texts    studies as analyses read them, without a database
kept       analyses of such studies, as cards find them
"""

from tests.factory.studies import (
    GRADED,
    NOON,
    OPTIONS,
    SCALES,
    later,
    make_document,
    make_study,
    roles,
)

__all__ = [
    "GRADED",
    "NOON",
    "OPTIONS",
    "SCALES",
    "later",
    "make_document",
    "make_study",
    "roles",
]
