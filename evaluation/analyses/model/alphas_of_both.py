"""Krippendorff's alpha between people and a model, and within each: of `model_agreement`."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from evaluation import pipeline
from evaluation.analyses.agreement import alphas
from evaluation.analyses.analysis import OnProgress
from evaluation.analyses.question import first_counted
from evaluation.presentation.frame import Column, Frame
from evaluation.presentation.parts import Table
from evaluation.study.data import Floats, Ints
from evaluation.study.two_crowds import Crowd, TwoCrowds
from magnitudes.agreement.alpha import bootstrap_alpha
from magnitudes.agreement.alpha_randomised import STAYS, randomisation_test
from magnitudes.scaling.aggregation import aggregate
from magnitudes.scaling.groups import places_within

BETWEEN, HALVES = "gains of people and of the model", "gains of two halves of people"
SCORES = "scores of {}"


def compute(crowds: TwoCrowds, on_progress: OnProgress) -> Frame:
    """Between the gains of both, between those of two halves of people, and within each crowd."""
    every, rows = np.arange(len(crowds.topics)), []
    gains = [crowds.in_one_unit(crowd.gains) for crowd in crowds]
    rows.append((BETWEEN, *_of_gains(crowds, gains, every)))
    on_progress(0.3)
    halves, both = _halves(crowds.people)
    if both.size:
        gains = [crowds.in_one_unit(half[both], both) for half in halves]
        rows.append((HALVES, *_of_gains(crowds, gains, both)))
    on_progress(0.6)
    for crowd in crowds:
        which, items = crowd.of_judgments
        if len(items) > len(every):  # some document has several
            data = crowd.data
            scores, workers = data.judgments.normalised[which], data.judgments.workers[which]
            about = {"judges": workers, "first": first_counted(data.study)}
            of_crowd = _alpha(crowds, scores, items, alphas.blocks(data)[which], **about)
            rows.append((SCORES.format(crowd.name), *of_crowd))
    return Frame.of_rows("between alpha low high p documents", rows)


def table(found: Frame) -> Table:
    return found.with_columns(documents=Column(found["documents"])).table(
        "alpha",
        "Krippendorff's alpha between people and the model, and within each, within topics",
        "Low, high: 95% interval. p: of the test of no agreement. A half of people has half of a "
        "document's scores, drawn at random; single scores agree less than gains, which are made "
        "of several.",
    )


def _halves(crowd: Crowd) -> tuple[Sequence[Floats], Ints]:
    """The gains of documents by two halves of their judges, and which have both."""
    which, items = crowd.of_judgments
    judgments, n = crowd.data.judgments, len(crowd.items)
    size = len(crowd.data.workers) + 1
    pairs, of_pair = np.unique(items * size + judgments.workers[which], return_inverse=True)
    order = np.random.default_rng(crowd.data.seed).permutation(len(pairs))
    half = np.empty(len(pairs), dtype=np.int64)
    half[order] = places_within(pairs[order] // size) % 2
    how = pipeline.schemes(crowd.data.study)[1]
    gains = [
        aggregate(judgments.normalised[which][mine], items[mine], n, how).values
        for mine in (half[of_pair] == 0, half[of_pair] == 1)
    ]
    return [*map(crowd.scaled, gains)], np.flatnonzero(~np.isnan(gains[0] + gains[1]))


def _of_gains(crowds: TwoCrowds, gains: Sequence[Floats], items: Ints) -> tuple[Any, ...]:
    """The first half stays, the second changes places within topics."""
    values = np.concatenate(gains)
    stays = np.full(len(items), STAYS)
    blocks = np.concatenate([stays, crowds.topics[items]])
    scores = values if crowds.is_graded else np.exp(values)
    return _alpha(crowds, scores, np.tile(items, 2), blocks)


def _alpha(
    crowds: TwoCrowds, values: Floats, items: Ints, blocks: Ints, **about: Any
) -> tuple[Any, ...]:
    """Alpha within topics with its interval, p, and how many documents it is of."""
    level = alphas.level(crowds.model.data)
    strata, seed = crowds.topics[items], crowds.model.data.seed
    shared = {"level": level, "strata": strata, "seed": seed, **about}
    found = bootstrap_alpha(values, items, resamples=alphas.RESAMPLES, **shared)
    moved = {"permutations": alphas.PERMUTATIONS, **shared}
    p = randomisation_test(values, items, blocks, **moved).p
    counted = int((np.bincount(items) > 1).sum())
    return found.alpha, found.low, found.high, p, counted
