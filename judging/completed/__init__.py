"""The one door out of judging: completed judgments, opinions, pools and runs as arrays."""

from judging.completed.lists import Labelled, Pool, labels, lists_of, pool, rankings, runs, words
from judging.completed.opinions import Opinions, opinions
from judging.completed.units import (
    Circumstances,
    Completed,
    circumstances,
    judges,
    judgments,
    justifications,
)
