"""Normalisation: the number habits of workers removed, the ratios of their scores kept.

Every worker chooses a scale of their own: for the same four documents one writes 1, 2, 3, 4 and
another 10, 20, 30, 40, and both have said the same. What counts is the ratio of two scores of one
unit. A scheme therefore multiplies all scores of a unit by one factor, which brings the centre of
the unit to the centre of the topic:

    s' = s · γ / γ_u                                                          equation (2)

γ is the centre of the topic, γ_u that of the unit, and the schemes differ in what they call a
centre. With L for the logarithms of scores:

| scheme      | γ_u, of the unit                     | γ, of the topic     | equation |
|-------------|--------------------------------------|---------------------|----------|
| `geometric` | exp of the mean of L                 | exp of the mean     | (1), (3) |
| `median`    | exp of the median of L               | exp of the median   | (4)      |
| `midrange`  | exp of the mean of largest, smallest | exp of the mean     | (5)      |
| `anchors`   | exp of the mean of H_k and N_k       | exp of the mean     | (6)      |
| `none`      | 1                                    | 1                   |          |

The centre of the topic is taken over all raw scores of all completed units, pooled. The anchors
H_k and N_k are the two documents, one of high and one of no relevance, that stand in every unit.

Source: Maddalena, Mizzaro, Scholer and Turpin, On Crowdsourcing Relevance Magnitudes for
Information Retrieval Evaluation, ACM TOIS 35(3), 2017, sections 4.3 and 6.1. They take geometric
averaging, the custom of magnitude estimation, from Moskowitz (1977), Gescheider (1997) and McGee
(2003).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from magnitudes.scaling import ScalingError
from magnitudes.scaling.groups import by_size, validate_codes

SCHEMES = ("geometric", "median", "midrange", "anchors", "none")
SMALLEST, LARGEST = 1e-9, 1e12  # magnitudes: what lies beyond says nothing about relevance


class Normalised(NamedTuple):
    """Normalised scores of one topic, and the centres they were moved from and to."""

    values: NDArray[np.float64]  # (units, unit_size)
    gamma: float  # the topic's centre
    gamma_u: NDArray[np.float64]  # (units,), the units' centres


def normalise(
    scores: ArrayLike,
    scheme: str = "geometric",
    h_k: ArrayLike | None = None,
    n_k: ArrayLike | None = None,
) -> Normalised:
    """The scores of one topic on one scale: s' = s · γ / γ_u, equation (2).

    Parameters:
        scores: shape (units, unit_size), the raw scores of all completed units of one topic, one
            unit a row. The order of units, and of scores within a unit, makes no difference, to
            the last bit.
        scheme: what the centre of a unit and of a topic is; see the table of this module.
        h_k, n_k: shape (units,), in which column of its row each unit has its anchors. Only the
            scheme `anchors` reads them.

    Returns:
        `values` of the shape of `scores`, `gamma` and `gamma_u`, in the units of the raw scores.
        Without a unit there is no centre: the values are empty and gamma is NaN.

    What holds:
        Ratios within a unit are kept by every scheme, so the order of its documents is too.
        With `geometric` each normalised unit, and therefore the topic, has the geometric mean γ;
        with `median` each has the median γ. `midrange` and `anchors` bring the unit's own kind of
        centre to the topic's geometric mean, as the paper prints them. Even medians are the mean
        of the middle two logarithms. Of a single unit `geometric` and `median` change nothing.

    Raises:
        ScalingError: scores that are no table, or beyond what a magnitude can be (`MIN_SCORE` to
            `MAX_SCORE`); an unknown scheme; no anchors where they are needed, or one outside the
            unit.

    >>> scores = [[1, 2, 3, 4], [10, 20, 30, 40]]
    >>> values, gamma, gamma_u = normalise(scores)
    >>> values.round(3)
    array([[ 3.162,  6.325,  9.487, 12.649],
           [ 3.162,  6.325,  9.487, 12.649]])
    >>> round(gamma, 3), gamma_u.round(3)
    (6.999, array([ 2.213, 22.134]))
    >>> normalise(scores, "anchors", h_k=[3, 3], n_k=[0, 0]).gamma_u.round(3)
    array([ 2., 20.])
    """
    raw = _validate(scores)
    _refuse_unknown(scheme)
    if not len(raw):
        return Normalised(raw, float("nan"), np.empty(0))
    if scheme == "none":
        return Normalised(raw, 1.0, np.ones(len(raw)))
    logs = np.log(raw)
    of_units = _unit_centres(logs, scheme, h_k, n_k)
    of_topic = _topic_centre(logs, scheme)
    values = raw * _factors(of_topic, of_units)[:, np.newaxis]
    return Normalised(values, float(np.exp(of_topic)), np.exp(of_units))


def normalise_groups(
    scores: ArrayLike,
    groups: ArrayLike,
    scheme: str = "geometric",
    is_anchor: NDArray[np.bool_] | None = None,
) -> Normalised:
    """The scores of one topic on one scale, where units hold different numbers of scores.

    Parameters:
        scores: shape (n,), the raw scores of one topic.
        groups: shape (n,), whole numbers from 0: scores of one number are of one unit.
        scheme: as in `normalise`.
        is_anchor: shape (n,), which scores are those of H_k and N_k: two of each unit. Only the
            scheme `anchors` reads it.

    Returns:
        `values` (n,), `gamma`, and in `gamma_u` (n,) the centre of each score's unit. Where all
        units have one size, these are the numbers of `normalise`, to the last bit. A unit of one
        score has the topic's centre afterwards.

    Raises:
        ScalingError: as `normalise`; groups that are no whole numbers from 0, or not equally many;
            a unit with more or fewer than two scores of anchors.

    >>> values, gamma, gamma_u = normalise_groups([1, 2, 4, 10, 40], [0, 0, 0, 1, 1])
    >>> values.round(3), round(gamma, 3), gamma_u.round(3)
    (array([ 2.512,  5.024, 10.048,  2.512, 10.048]), 5.024, array([ 2.,  2.,  2., 20., 20.]))
    """
    raw = _validate(np.reshape(scores, (-1, 1))).ravel()
    codes = validate_codes(groups, raw.size, np.iinfo(np.int64).max, "groups")
    _refuse_unknown(scheme)
    if not raw.size:
        return Normalised(raw, float("nan"), np.empty(0))
    if scheme == "none":
        return Normalised(raw, 1.0, np.ones(len(raw)))
    logs, of_units = np.log(raw), np.empty(len(raw))
    for places in by_size(codes):
        anchors = (None, None) if is_anchor is None else _two_columns(is_anchor[places])
        of_units[places] = _unit_centres(logs[places], scheme, *anchors)[:, np.newaxis]
    of_topic = _topic_centre(logs, scheme)
    values = raw * _factors(of_topic, of_units)
    return Normalised(values, float(np.exp(of_topic)), np.exp(of_units))


def _two_columns(is_anchor: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    if (is_anchor.sum(axis=1) != 2).any():
        raise ScalingError("a unit without one score of each of the two anchors")
    return is_anchor.argmax(axis=1), is_anchor.shape[1] - 1 - is_anchor[:, ::-1].argmax(axis=1)


def _refuse_unknown(scheme: str) -> None:
    if scheme not in SCHEMES:
        raise ScalingError(f"unknown scheme {scheme!r}; there are {', '.join(SCHEMES)}")


def _topic_centre(logs: NDArray[np.float64], scheme: str) -> np.float64:
    """The logarithm of γ."""
    # Sorted first: a sum then does not depend on the order in which units arrive.
    pooled = np.sort(logs, axis=None)
    return np.float64(np.median(pooled) if scheme == "median" else np.mean(pooled))


def _factors(of_topic: np.float64, of_units: NDArray[np.float64]) -> NDArray[np.float64]:
    """γ / γ_u as a power of two, which keeps a factor of 2 or 4 between two workers exact."""
    result: NDArray[np.float64] = np.exp2((of_topic - of_units) / np.log(2))
    return result


def _unit_centres(
    logs: NDArray[np.float64], scheme: str, h_k: ArrayLike | None, n_k: ArrayLike | None
) -> NDArray[np.float64]:
    """The logarithm of γ_u for each unit."""
    if scheme == "anchors":  # (6)
        return (_anchor(logs, h_k, "h_k") + _anchor(logs, n_k, "n_k")) / 2
    ordered = np.sort(logs, axis=1)
    if scheme == "geometric":  # (3)
        result: NDArray[np.float64] = np.mean(ordered, axis=1)
        return result
    if scheme == "median":  # (4)
        return np.median(ordered, axis=1)
    return (ordered[:, 0] + ordered[:, -1]) / 2  # (5)


def _anchor(logs: NDArray[np.float64], columns: ArrayLike | None, name: str) -> NDArray[np.float64]:
    """The logarithm of each unit's score of one anchor."""
    if columns is None:
        raise ScalingError(f"the scheme anchors needs {name}, the anchor's column in each unit")
    where = np.asarray(columns)
    units, size = logs.shape
    if where.shape != (units,) or where.dtype.kind not in "iu":
        raise ScalingError(
            f"{name} must hold one whole number for each of {units} units, "
            f"not {where.dtype} of shape {where.shape}"
        )
    outside = np.flatnonzero((where < 0) | (where >= size))
    if outside.size:
        unit = outside[0]
        raise ScalingError(f"{name} of unit {unit} is {where[unit]}, outside 0 to {size - 1}")
    result: NDArray[np.float64] = logs[np.arange(units), where]
    return result


def _validate(scores: ArrayLike) -> NDArray[np.float64]:
    """A copy of the scores as doubles, row by row in memory."""
    raw = np.array(scores, dtype=np.float64, order="C")
    if raw.ndim != 2:
        raise ScalingError(f"scores must have the shape (units, unit size), not {raw.shape}")
    if len(raw) and not raw.shape[1]:
        raise ScalingError("units without a score have no centre")
    bad = np.argwhere(~((raw >= SMALLEST) & (raw <= LARGEST)))
    if bad.size:
        unit, column = bad[0]
        raise ScalingError(
            f"score {raw[unit, column]!s} of unit {unit}, column {column} "
            f"does not lie from {SMALLEST:g} to {LARGEST:g}"
        )
    return raw
