"""How analyses were computed, as sentences for a paper: tests, trials, draws, parameters."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from evaluation.analyses import in_levels, internal, ratings, reader_shown
from evaluation.analyses.data import Floats, StudyData
from evaluation.analyses.parts import number
from evaluation.comparison.pairs import TURNS
from evaluation.comparison.top_set import LEVEL
from evaluation.comparison.tukey import TRIALS
from evaluation.gains.disagreement_bootstrap import RESAMPLES
from evaluation.gains.level_weights import level_weights
from evaluation.measures.reader import Reader
from trec.words import count

USERS = (1, 3)  # at least one of three, as in the gains `udm:1/3`
Numbers = Mapping[str, Any]
Results = Mapping[str, Mapping[str, Any]]


def _alpha(data: StudyData, numbers: Numbers) -> str:
    return (
        "95% intervals of Krippendorff's alpha are from "
        f"{internal.RESAMPLES:,} draws of documents with replacement."
    )


def _all_pairs(data: StudyData, numbers: Numbers) -> str:
    return (
        "Which systems differ was tested for all pairs at once by the randomised Tukey HSD test, "
        f"{TRIALS:,} trials, at p < {LEVEL:g}."
    )


def _single_pairs(data: StudyData, numbers: Numbers) -> str:
    return (
        f"Discriminative power is the share of pairs of systems with p < {LEVEL:g} by the paired t "
        f"test, and by the randomisation test and the bootstrap test, {TURNS:,} turns each."
    )


def _disagreement(data: StudyData, numbers: Numbers) -> str:
    names = in_levels.names(data)
    p = np.array([numbers[f"p_{level}"] for level in range(len(names))], dtype=np.float64)
    m, n = USERS
    cut = "" if data.study.is_graded else f"{in_levels.told(data, each=False)[0]} "
    return (
        f"{cut}By the user disagreement model ({in_levels.PAPER}) the chance that another judge "
        f"says {names[-1]} is {_by_level(p, names, 'after')}, from "
        f"{count(numbers['observations'], 'label')} ({numbers['reading']}); P({m}/{n}), the weight "
        f"of a level, is then {_by_level(level_weights(p, m, n), names, 'for')}. 95% intervals of "
        f"the former are from {RESAMPLES:,} draws with replacement."
    )


def _by_level(values: Floats, names: Sequence[str], word: str) -> str:
    return ", ".join(
        f"{'unknown' if np.isnan(value) else number(value)} {word} {name}"
        for name, value in zip(names, values.tolist(), strict=True)
    )


def _unanimity(data: StudyData, numbers: Numbers) -> str:
    rating = "a level, the lowest being 0"
    if not data.study.is_graded:
        rating = "log(s / N_k) / log(H_k / N_k) of a score s, cut off at 0 and 1"
    return (
        f"Gains that count unanimity, RawG, WG and UG {ratings.SOURCE}, are from N = "
        f"{numbers['n']} ratings of a document, with p = {', '.join(f'{p:g}' for p in ratings.P)}; "
        f"a rating is {rating}."
    )


def _reader(data: StudyData, numbers: Numbers) -> str:
    of = Reader()
    own = "tau_own" in numbers or "tau_each_topic" in numbers
    return (
        f"The reader of time-biased gain is that of {reader_shown.PAPER}: {of.summary:g} seconds "
        f"for a summary, {of.slope:g} l + {of.intercept:g} for a document of l words; of the "
        f"relevant documents {of.click:g} are opened and {of.save:g} of these saved, of others "
        f"{of.click_nonrel:g} are opened; half of all readers have stopped after {of.half_life:g} "
        "seconds."
        + (
            " Beside this one stand readers who take as long for a document as the study's workers."
            if own
            else ""
        )
    )


# By name of the analysis.
HOW: dict[str, Callable[[StudyData, Numbers], str]] = {
    "internal": _alpha,
    "significance": _all_pairs,
    "power": _single_pairs,
    "weights": _disagreement,
    "unanimity": _unanimity,
    "reader": _reader,
}


def procedures(data: StudyData, results: Results) -> Iterator[str]:
    """A sentence or two on each of these analyses that shows something."""
    for name, how in HOW.items():
        if name in results and results[name]["parts"]:
            yield how(data, results[name]["numbers"])
