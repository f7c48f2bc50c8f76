"""The sums of ((a - b) / (a + b))² over all pairs of very many distinct values.

A table of all pairs of 40,000 values has 1.8 billion cells. But

    1 / s² = ∫ from 0 to ∞ of t e^(-t s) dt,     s = a + b,

so that the sum over pairs is an integral over t of

    t Σ over pairs of (a - b)² e^(-t a) e^(-t b),

for which the sums of e^(-t a), of a e^(-t a) and of a² e^(-t a) suffice. With t = e^x the integrand
is smooth and falls off fast at both ends, and the trapezoid rule is all but exact: for each pair it
integrates y² e^(-y), y = t s, with the relative error 2 |Γ(2 + 2πi/h)|, which is 2e-16 for steps of
h = ln 2 / 3. A node is thus a third of a power of two. Where all y are below 2^-14 the integrand
falls by 4 with every power of two, so that the rest is a third of the last; where y is above 64 it
is nothing. About 100 nodes do for values from 1 to 1000, and each is a pass over the values.

The sums are taken about the mean at each node: values that hardly differ then lose no digits.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from evaluation.scaling.differences import Floats, Pairable, Sums, add_moments, started
from evaluation.scaling.resamples import Resamples

PER_OCTAVE = 3
STEP = np.log(2) / PER_OCTAVE
FRACTIONS = 2.0 ** (np.arange(PER_OCTAVE) / PER_OCTAVE)
LOWEST, HIGHEST = -16, 6  # powers of two of y, of a value
GAP = 12  # octaves
BELOW = 1 / 3  # what lies below the lowest octave, in parts of it
FAR = 64.0  # e^-64 is as good as 0, and some squares of it are still doubles
SQUARED = 3  # octaves for which an exponential serves, being squared from one to the next
AT_ONCE = 2**22  # doubles; bounds the memory


class Node(NamedTuple):
    """All values at one t."""

    values: Floats  # (n,), t a but for a factor
    weight: Floats  # (n,), e^(-t a)
    factor: float  # of the sums of (a - b)² with these values and weights


def ratio(pairable: Pairable, draws: Resamples) -> Sums:
    """δ² = ((a - b) / (a + b))²."""
    sums = started(pairable, draws)
    for moments, factors in _moments(pairable) if len(pairable.counts) else ():
        add_moments(sums, pairable, draws, moments, factors)
    return sums


def _moments(pairable: Pairable) -> Iterator[tuple[Floats, Floats]]:
    """The items' sums and the factors of the nodes, as `add_moments` takes them, some at a time."""
    items, starts = len(pairable.counts), pairable.starts
    most = max(AT_ONCE // max(3 * items, 1), 1)
    moments = np.empty((most, 3, items))
    powers = np.empty((3, len(pairable.values)))
    factors: list[float] = []
    for values, weight, factor in _nodes(pairable.values):
        powers[0] = weight
        off = values - np.multiply(weight, values, out=powers[1]).sum() / weight.sum()
        np.multiply(weight, off, out=powers[1])
        np.multiply(powers[1], off, out=powers[2])
        np.add.reduceat(powers, starts, axis=-1, out=moments[len(factors)])
        factors.append(factor)
        if len(factors) == most:
            yield moments, np.array(factors)
            factors = []
    if factors:
        yield moments[: len(factors)], np.array(factors)


def _nodes(values: Floats) -> Iterator[Node]:
    """All t at which some value's integrand is not as good as 0.

    Values are multiplied by powers of two alone, so that their differences stay exact, and in the
    exponent, so that nothing overflows on the way.
    """
    for first, number, factor in _octaves(values):
        with np.errstate(over="ignore"):
            octaves = [np.minimum(np.ldexp(values, first + n), FAR) for n in range(number)]
        for fraction in FRACTIONS:
            weight = np.exp(-fraction * octaves[0])
            for n, scaled in enumerate(octaves):
                if n:
                    np.square(weight, out=weight)
                yield Node(scaled, weight, STEP * fraction**2 * (1.0 if n else factor))


def _octaves(values: Floats) -> Iterator[tuple[int, int, float]]:
    """Octaves of t: the first of some that follow one another, their number, the first's factor.

    Far from all others, a value has octaves of its own, and what lies below them is added. A gap
    that is narrow is filled instead, or octaves beyond it would count some of that once more.
    """
    exponents = np.unique(np.frexp(values)[1])
    needed = np.unique(np.arange(LOWEST, HIGHEST + 1) - exponents[:, np.newaxis])
    for near in np.split(needed, np.flatnonzero(np.diff(needed) > GAP) + 1):
        run = range(near[0], near[-1] + 1)
        for at in range(0, len(run), SQUARED):
            yield run[at], len(run[at : at + SQUARED]), 1.0 if at else 1 + BELOW
