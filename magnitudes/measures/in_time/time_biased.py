"""TBG: time-biased gain, the documents that readers are expected to save before they stop.

    TBG = 1/N · sum over ranks k of  g_k D(T(k))                                      equation (3)
    T(k) = sum over ranks i < k of  T_S + T_D(l_i) P(C=1|r_i),   T_D(l) = a l + b     equation (4)
    D(t) = exp(-t ln 2 / h)                                                           equation (6)
    g_k = P(C=1|R=1) P(S=1|R=1) if the document at rank k is relevant, else 0

A reader takes T_S seconds for each summary, clicks on it with the probability P(C|R), then reads
its l words, and saves it, if it is relevant, with P(S|R). T(k) is when rank k is reached, and D(t)
the share of readers who are still there. Without N the value is a lower bound of the expected
number of relevant documents saved, as D of a mean is at most the mean of D, equations (7) to (10).
Smucker and Clarke, Time-Based Calibration of Effectiveness Measures, SIGIR 2012. Their calibration,
Table 1, is what is used if no other is given:

| option         | of the paper   | value | in                                              |
|----------------|----------------|-------|-------------------------------------------------|
| `half_life`    | h              | 224   | seconds                                         |
| `summary`      | T_S            | 4.4   | seconds                                         |
| `slope`        | a              | 0.018 | seconds per word                                |
| `intercept`    | b              | 7.8   | seconds                                         |
| `click`        | P(C=1\\|R=1)    | 0.64  | share of summaries of relevant documents        |
| `click_nonrel` | P(C=1\\|R=0)    | 0.39  | share of summaries of documents not relevant    |
| `save`         | P(S=1\\|R=1)    | 0.77  | share of the relevant documents that are opened |

A relevant document is then worth 0.64 · 0.77 = 0.4928. `manage.py calibrate_time` computes values
from the log of a study of one's own.

Lengths are numbers of words. A near duplicate of an earlier document of the list is read as one of
no words and keeps its gain; `duplicates='nothing'`, section 7, takes the gain away. An unjudged
document costs time and gains nothing. Where the length of a document is not known, it is not known
when later ones are reached: the value is NaN if one of them is relevant.

`norm='unlimited'` divides by what endless relevant documents of no words would give, equation (11):
N = g / (1 - D(T_S + T_D(0) P(C=1|R=1))), 17.204 with the values above. The paper prints 17.1.
`norm='ideal'`, section 5.4, divides by the best that the judged relevant documents of the topic can
give. Both are of the whole list, whatever the cutoff. 0 if there is nothing relevant, or if no
reader clicks or saves.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from magnitudes.gains import GainError
from magnitudes.measures import ratio, validate_gains
from magnitudes.measures.in_time.reader import Numbers, Reader, path
from magnitudes.measures.in_time.time_norms import ideal, unlimited

CHUNK_SIZE = 1 << 16  # ranks
NORMS = ("none", "unlimited", "ideal")


def tbg(
    ranked: ArrayLike,
    judged: ArrayLike,
    k: int | None = None,
    rel: ArrayLike | None = None,
    norm: str = "none",
    duplicates: str = "gain",
    *,
    words: ArrayLike,
    repeats: ArrayLike | None = None,
    judged_words: ArrayLike | None = None,
    judged_classes: ArrayLike | None = None,
    **reader: Numbers,
) -> NDArray[np.float64]:
    """TBG@k of one or many rankings; the formula is on top of this page.

    Parameters:
        ranked, judged, k, rel: as all measures have them; see `magnitudes.measures`.
        norm: 'none', 'unlimited' or 'ideal'; duplicates: 'gain' or 'nothing'.
        words: shape of `ranked` or of its last axes, the documents' lengths in words, NaN where
            one is not known, any number where there is none.
        repeats: shape as `words`, whether a document is a near duplicate of an earlier one of its
            list; none is, if not given.
        judged_words, judged_classes: shape (..., n), lengths of the judged documents, and whole
            numbers that are the same for near duplicates, negative for a document without any;
            only 'ideal' reads them.
        reader: the numbers of `reader.Reader`, each for all or one per topic.

    Returns:
        An array of the leading axes: a number of documents, or with a norm a share of N.

    Raises:
        GainError: as all measures; lengths that are negative or beyond any document; a number
            of the reader outside its bounds; an unknown option.

    Relevant documents at ranks 1 and 3, with 1000 words at rank 2: rank 3 is reached after
    4.4 + (0.018 · 500 + 7.8) · 0.64 and 4.4 + (0.018 · 1000 + 7.8) · 0.39 seconds, 29.614 in all,
    so that 0.4928 (1 + 2^(-29.614/224)) documents are saved:

    >>> round(float(tbg([1, 0, 1], [1, 1, 0], words=[500, 1000, 300])), 4)
    0.9424
    >>> round(float(tbg([1], [1], norm="unlimited", words=[500])), 5)  # 1/17.204 of 0.4928
    0.02864
    """
    if norm not in NORMS:
        raise GainError(f"unknown norm {norm!r}; there are {', '.join(NORMS)}")
    assumed = Reader(**reader).validate()
    saved = _saved(ranked, judged, words, repeats, assumed, k, rel, duplicates)
    if norm == "none":
        return np.asarray(saved)
    if norm == "unlimited":
        return np.asarray(ratio(saved, unlimited(assumed)))
    if judged_words is None:
        raise GainError("the norm 'ideal' needs judged_words, the lengths of judged documents")
    best = ideal(judged, judged_words, judged_classes, assumed, rel, duplicates)
    share = np.zeros(np.broadcast_shapes(saved.shape, best.shape))
    np.divide(saved, best, out=share, where=~(best == 0))
    return share[()]


def _saved(
    ranked: ArrayLike,
    judged: ArrayLike,
    words: ArrayLike,
    repeats: ArrayLike | None,
    reader: Reader,
    k: int | None,
    rel: ArrayLike | None,
    duplicates: str,
) -> NDArray[np.float64]:
    """Without a norm. Many runs go some at a time, as what stays in the cache is done sooner."""
    lists, lengths = np.asarray(ranked, dtype=np.float64), np.asarray(words, dtype=np.float64)
    again = None if repeats is None else np.asarray(repeats)
    alike = lengths.shape == lists.shape and (again is None or again.shape == lists.shape)
    others = max(np.asarray(number).ndim for number in (0.0 if rel is None else rel, *reader))
    others = max(others, np.asarray(judged).ndim - 1)
    step = max(1, CHUNK_SIZE * len(lists) // max(lists.size, 1)) if lists.ndim > 1 else 0
    if not step or step >= len(lists) or not alike or others >= lists.ndim - 1:
        way = path(lists, judged, lengths, again, reader, k, rel, duplicates)
        return reader.saved(way.hits, way.begins)
    # What blocks need of judged documents is the largest gain, once all are found to be good.
    largest = validate_gains(lists[:0], judged).largest[..., np.newaxis]
    return np.concatenate(
        [
            _saved(
                *(lists[some], largest, lengths[some], None if again is None else again[some]),
                *(reader, k, rel, duplicates),
            )
            for some in (slice(start, start + step) for start in range(0, len(lists), step))
        ]
    )
