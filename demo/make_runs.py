"""The runs of the demo, made again from its texts and labels: `python -m demo.make_runs`.

Eleven systems score the texts, each in a plain way of its own. Three read better than words allow:
they are made from the labels, with noise beside. All rank the same documents of a topic: those that
were written for it, and of the others those that match it best.
"""

import re
from collections import Counter
from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Scorer = Callable[["Texts", str], Floats]

HERE = Path(__file__).resolve().parent
CANDIDATES = 20  # of a topic
SEED = 12
# Noise beside a label, as a share of a level.
READERS = {"reader-fused": 0.7, "reader-large": 0.8, "reader-small": 0.9}
LEAD = 50  # words
FACTORS = 100  # of the latent semantic one
STOP_WORDS = frozenset("a an and are as at before by did do for from how in of on that the".split())


class Texts:
    """Documents as counts of terms. of: what is read of each, by its id."""

    def __init__(self, of: Mapping[str, str], terms: Callable[[str], list[str]]) -> None:
        self.terms = terms
        counts = [Counter(terms(text)) for text in of.values()]
        self.places = {term: n for n, term in enumerate(sorted(set().union(*counts)))}
        self.counts = np.zeros((len(counts), len(self.places)))
        for row, own in zip(self.counts, counts, strict=True):
            for term, n in own.items():
                row[self.places[term]] = n
        self.lengths = self.counts.sum(axis=1)
        frequency = (self.counts > 0).sum(axis=0)
        self.idf = np.log(1 + (len(counts) - frequency + 0.5) / (frequency + 0.5))
        self.shares = self.counts.sum(axis=0) / self.counts.sum()

    def query(self, text: str) -> Floats:
        counts = np.zeros(len(self.places))
        for term in self.terms(text):
            if term in self.places:
                counts[self.places[term]] += 1
        return counts

    @cached_property
    def axes(self) -> Floats:
        """The largest factors of what is in the documents."""
        _, _, axes = np.linalg.svd(np.log1p(self.counts) * self.idf, full_matrices=False)
        return np.asarray(axes[:FACTORS])


def words(text: str) -> list[str]:
    """Without a plural's ending and the commonest words.

    >>> words("The leaves of some trees")
    ['leave', 'some', 'tree']
    """
    found = re.findall(r"[a-z0-9]+", text.lower())
    stems = (word.removesuffix("s") if len(word) > 3 else word for word in found)
    return [stem for stem, word in zip(stems, found, strict=True) if word not in STOP_WORDS]


def grams(text: str) -> list[str]:
    """Every four letters in a row.

    >>> grams("A tree")
    [' a t', 'a tr', ' tre', 'tree', 'ree ']
    """
    joined = f" {' '.join(re.findall(r'[a-z0-9]+', text.lower()))} "
    return [joined[n : n + 4] for n in range(len(joined) - 3)]


def bm25(texts: Texts, query: str, k1: float = 0.9, b: float = 0.4) -> Floats:
    return _bm25(texts, texts.query(query), k1, b)


def _bm25(texts: Texts, query: Floats, k1: float, b: float) -> Floats:
    norm = k1 * (1 - b + b * texts.lengths / texts.lengths.mean())
    weights = texts.counts * (k1 + 1) / (texts.counts + norm[:, None])
    return np.asarray(weights @ (query * texts.idf))


def bm25_by_length(texts: Texts, query: str) -> Floats:
    return bm25(texts, query, k1=2.0, b=1.0)


def feedback(texts: Texts, query: str) -> Floats:
    """BM25 once more, with the terms of what came first added to the query."""
    asked = texts.query(query)
    first = np.argsort(-_bm25(texts, asked, 0.9, 0.4), kind="stable")[:5]
    weights = (texts.counts[first] / texts.lengths[first, None]).mean(axis=0) * texts.idf
    added = np.where(weights >= np.sort(weights)[-10], weights / weights.max(), 0.0)
    return _bm25(texts, asked + 0.5 * added, 0.9, 0.4)


def cosine(texts: Texts, query: str) -> Floats:
    documents = np.log1p(texts.counts) * texts.idf
    asked = texts.query(query) * texts.idf
    return np.asarray(documents @ asked / (np.linalg.norm(documents, axis=1) + 1e-9))


def likelihood(texts: Texts, query: str, mu: float = 300.0) -> Floats:
    """A query's likelihood in the language of a document, smoothed as Dirichlet has it."""
    asked = texts.query(query)
    seen = texts.counts + mu * texts.shares
    return np.asarray(np.log(seen / (texts.lengths + mu)[:, None]) @ asked)


def mixture(texts: Texts, query: str, share: float = 0.7) -> Floats:
    """The same, smoothed as Jelinek and Mercer have it."""
    asked = texts.query(query)
    seen = (1 - share) * texts.counts / texts.lengths[:, None] + share * texts.shares
    return np.asarray(np.log(seen) @ asked)


def together(texts: Texts, query: str) -> Floats:
    """How many words of the query are there at all; of as many the shorter document first."""
    found = (texts.counts > 0) @ (texts.query(query) > 0).astype(float)
    return np.asarray(found - texts.lengths / 1e4)


def factors(texts: Texts, query: str) -> Floats:
    """Cosine in the space of the largest factors of all texts."""
    documents = np.log1p(texts.counts) * texts.idf
    inside = documents @ texts.axes.T
    asked = texts.axes @ (texts.query(query) * texts.idf)
    return np.asarray(inside @ asked / (np.linalg.norm(inside, axis=1) + 1e-9))


# By tag: how it scores, what it reads of a document, and what of a topic.
SYSTEMS: Mapping[str, tuple[Scorer, str, str]] = {
    "bm25": (bm25, "words", "title"),
    "bm25-feedback": (feedback, "words", "title"),
    "bm25-lead": (bm25, "leads", "title"),
    "bm25-length": (bm25_by_length, "words", "title"),
    "bm25-title": (bm25, "titles", "question"),
    "boolean": (together, "words", "title"),
    "dirichlet": (likelihood, "words", "title"),
    "grams": (cosine, "grams", "title"),
    "latent": (factors, "words", "title"),
    "mixture": (mixture, "words", "title"),
    "tfidf": (cosine, "words", "title"),
}


def read_documents() -> dict[str, tuple[str, str]]:
    """Title and text of each document, by its id."""
    pattern = r"<DOCNO> (\S+) </DOCNO>\n<TITLE> ([^\n]*) </TITLE>\n<TEXT>\n(.*?)\n</TEXT>"
    found = re.findall(pattern, (HERE / "documents.trec").read_text(), re.DOTALL)
    return {doc_id: (title, text) for doc_id, title, text in found}


def read_topics() -> dict[str, dict[str, str]]:
    pattern = r"Number: (\d+)\n<title> ([^\n]*)\n\n<desc> Description:\n(.*?)\n\n<narr>"
    found = re.findall(pattern, (HERE / "topics.trec").read_text(), re.DOTALL)
    return {
        query_id: {"title": title, "question": f"{title} {description}"}
        for query_id, title, description in found
    }


def read_labels() -> dict[str, dict[str, float]]:
    labels: dict[str, dict[str, float]] = {}
    for line in (HERE / "qrels.txt").read_text().splitlines():
        query_id, _, doc_id, level = line.split()
        labels.setdefault(query_id, {})[doc_id] = float(level)
    return labels


def make_runs() -> dict[str, dict[str, dict[str, float]]]:
    """Scores by tag, topic and document."""
    documents, topics, labels = read_documents(), read_topics(), read_labels()
    both = {doc_id: f"{title} {text}" for doc_id, (title, text) in documents.items()}
    titles = {doc_id: title for doc_id, (title, _) in documents.items()}
    leads = {doc_id: " ".join(text.split()[:LEAD]) for doc_id, text in both.items()}
    read = {
        "words": Texts(both, words),
        "grams": Texts(both, grams),
        "titles": Texts(titles, words),
        "leads": Texts(leads, words),
    }
    ids = list(documents)
    runs: dict[str, dict[str, dict[str, float]]] = {tag: {} for tag in (*SYSTEMS, *READERS)}
    for query_id, asked in topics.items():
        match = dict(zip(ids, bm25(read["words"], asked["question"]), strict=True))
        own = labels[query_id]
        others = sorted(match.keys() - own.keys(), key=lambda doc_id: (-match[doc_id], doc_id))
        ranked = sorted([*own, *others][:CANDIDATES])
        for tag, (scorer, of, part) in SYSTEMS.items():
            scores = dict(zip(ids, scorer(read[of], asked[part]), strict=True))
            runs[tag][query_id] = {doc_id: float(scores[doc_id]) for doc_id in ranked}
        for number, (tag, noise) in enumerate(READERS.items()):
            draws = np.random.default_rng([SEED, number, int(query_id)]).normal(
                0, noise, CANDIDATES
            )
            pairs = zip(ranked, draws.tolist(), strict=True)
            runs[tag][query_id] = {doc_id: own.get(doc_id, 0) + draw for doc_id, draw in pairs}
    return runs


def main() -> None:
    for tag, topics in make_runs().items():
        lines = []
        for query_id, scores in topics.items():
            ranked = sorted(scores, key=lambda doc_id: (-round(scores[doc_id], 6), doc_id))
            lines += [
                f"{query_id} Q0 {doc_id} {rank} {scores[doc_id]:.6f} {tag}\n"
                for rank, doc_id in enumerate(ranked, 1)
            ]
        (HERE / "runs" / f"{tag}.run").write_text("".join(lines))


if __name__ == "__main__":
    main()
