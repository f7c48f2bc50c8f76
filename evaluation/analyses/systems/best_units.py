"""Gains from the units of each document whose order agrees best with labels (section 7.2)."""

import numpy as np
from numpy.typing import NDArray

from evaluation.study.data import Floats
from evaluation.study.scoring import GainsOf
from evaluation.study.topics import TopicData
from magnitudes.agreement.units import HOW_MANY, Chosen, aggregate_best, unit_agreement
from magnitudes.scaling.groups import as_table

NAME = f"{HOW_MANY} best units"


def gains(topic: TopicData, gains_of: GainsOf) -> Floats:
    """The gains of the pool, (d,), from the best units of any kind; NaN without a score."""
    return choose(topic, gains_of).values


def choose(topic: TopicData, gains_of: GainsOf, kind: NDArray[np.bool_] | None = None) -> Chosen:
    """One number for each pooled document, from its best units, or its best ones of a kind, (u,).

    Best are units that agree most with the labels as `gains_of` reads them: as binary ones, say.
    """
    labels = np.full(topic.labels.shape, np.nan)
    known = ~np.isnan(topic.labels)
    labels[known] = gains_of(topic.labels[known])
    units = np.repeat(topic.unit_of_row, topic.scores.shape[1])
    labels_shown = labels[topic.places].ravel()
    agreement = unit_agreement(
        as_table(topic.scores.ravel(), units, empty=1), as_table(labels_shown, units, empty=np.nan)
    )
    return aggregate_best(
        topic.normalised.ravel(),
        topic.places.ravel(),
        units,
        len(topic.doc_ids),
        agreement.shares,
        np.bincount(units, np.isnan(labels_shown), topic.n_units),
        topic.numbers[np.unique(topic.unit_of_row, return_index=True)[1]],
        kind,
    )
