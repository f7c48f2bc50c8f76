"""Orders of systems by gains that count unanimity, and by the plain sum of ratings.

Sakai (EVIA 2017), Tables 2 and 3. What `unanimity_orders` shows.
"""

from typing import Any

import numpy as np

from evaluation.analyses.analysis import OnProgress, tracked
from evaluation.analyses.disagreement.ratings import DRAWS, P, Rated
from evaluation.presentation import two_orders
from evaluation.presentation.frame import Frame
from evaluation.study import scoring
from evaluation.study.data import Floats, StudyData
from judging.models import Study
from magnitudes.comparison.compared import compare_definitions, with_ends_where_known
from magnitudes.comparison.correlation import Tau, tau_b
from magnitudes.comparison.discrimination import discriminative_power
from magnitudes.gains.unanimity import P as P_PAPER
from magnitudes.measures.names import Measure, parse

FIRST_RANK = parse("nG@1")
UG = f"UG, p = {P_PAPER:g}"
NOBODY = "UG, nobody agrees"
ORDERS = "measure gain tau low high raw_pairs gain_pairs discrepancies"
PAIRS = "measure system other p_raw difference_raw effect_raw p_ug difference_ug effect_ug"
HEADS = {"raw_pairs": "pairs by RawG", "gain_pairs": "pairs by this gain"}
HEADS_OF_PAIRS = {
    f"{quantity}_{name}": f"{quantity} by {gain}"
    for name, gain in (("raw", "RawG"), ("ug", "UG"))
    for quantity in ("p", "difference", "effect")
}


def measures(study: Study) -> list[Measure]:
    """Those of the paper, to the study's cutoff where they are not of the first rank alone."""
    return [FIRST_RANK, *(scoring.to_cutoff(name, study) for name in ("P+", "nERR", "nDCG"))]


def compared(
    data: StudyData, rated: Rated, on_progress: OnProgress
) -> tuple[Frame, Frame, list[str]]:
    """Orders by measure, then by gain; pairs of UG that differ; why numbers are not there.

    raw_pairs, gain_pairs: pairs of systems that differ by RawG and by this gain; discrepancies:
    those that differ by one of the two alone, None if that cannot be said. Where gains are drawn
    there are none of them, and tau is the median of all draws.
    """
    orders: list[tuple[Any, ...]] = []
    pairs: list[tuple[Any, ...]] = []
    reasons = []
    aware = {f"UG, p = {p:g}": rated.gains_at(p).aware for p in P}
    for by in tracked(measures(data.study), on_progress):
        raw, gains = _values(data, rated.gains.raw, by), {"WG": rated.gains.weighted, **aware}
        others = {gain: _values(data, of_gain, by) for gain, of_gain in gains.items()}
        for gain, of in compare_definitions(raw, others, seed=data.seed).items():
            tau, differ = with_ends_where_known(of.tau, len(raw)), of.discrepancies
            discrepant = None if differ.reason else len(differ.pairs)
            significant = [discriminative_power(test.p).significant for test in of[1:3]]
            orders.append((str(by), gain, *tau[:3], *significant, discrepant))
            reasons += [tau.reason, differ.reason]
            if gain == UG:
                sides = np.stack([differ.p, differ.difference, differ.effect], axis=-1)
                numbers = sides.reshape(-1, 6).tolist()  # of the first gain, then of the second
                for (first, second), row in zip(differ.pairs.tolist(), numbers, strict=True):
                    pairs.append((str(by), data.runs[first], data.runs[second], *row))
        drawn = _drawn_tau(data, rated, by)
        orders.append((str(by), NOBODY, *drawn[:3], None, None, None))
        reasons.append(drawn.reason)
    by_gain = Frame.of_rows(ORDERS, orders).with_heads(**HEADS)
    by_gain = two_orders.with_limits(by_gain, *two_orders.ENDS)
    return by_gain, Frame.of_rows(PAIRS, pairs).with_heads(**HEADS_OF_PAIRS), reasons


def _drawn_tau(data: StudyData, rated: Rated, by: Measure) -> Tau:
    """Of ratings that do not agree at all: the median tau of UG with RawG, and 95% of them."""
    taus = []
    for draw in range(DRAWS):
        gains = rated.simulated(draw)
        taus.append(tau_b(*(_values(data, of, by).mean(axis=0) for of in (gains.raw, gains.aware))))
    if np.isnan(taus).all():
        return Tau(np.nan, np.nan, np.nan, "no draw orders systems")
    low, middle, high = np.nanquantile(taus, (0.025, 0.5, 0.975)).tolist()
    return Tau(middle, low, high, "")


def _values(data: StudyData, gains: Floats, by: Measure) -> Floats:
    """Every run by some gains, (topics, runs), of the topics with a rating."""
    return scoring.measure(*scoring.with_gains(data, gains), by).values
