"""Orders of systems by other definitions of gain, from the same judgments, and what changes."""

import numpy as np

from evaluation.analyses.analysis import OnProgress, tracked
from evaluation.presentation import two_orders
from evaluation.presentation.frame import Frame
from evaluation.presentation.parts import correlation, interval, listed, number, percent
from evaluation.publishing import named_gains
from evaluation.study import levels, scoring
from evaluation.study.data import StudyData
from magnitudes.comparison.compared import compare
from magnitudes.comparison.correlation import Tau
from magnitudes.files.words import count
from magnitudes.gains import GainError
from magnitudes.gains.disagreement import disagreement
from magnitudes.gains.level_weights import level_weights
from magnitudes.gains.scores import LEVELS
from magnitudes.scaling import ScalingError

SAME = 1 - 1e-12
LARGE_TOP_SET = 0.5  # of the systems: a larger top set overlaps with any other
NOTE = (
    "Tau: Kendall's tau-b with the order by the usual gains, on the same topics, with its "
    "95% interval. Overlap: the share of the usual top set that is in the other, which is "
    "the higher the larger the other. Top set: how many systems are in it. Documents: "
    "those that have such a gain. Worth nothing: the share of them whose gain is 0."
)
OF_MAGNITUDES = (
    f"linear, exponential, udm: normalised scores cut into {LEVELS} levels, in equal ratios "
    "between the gains of each topic's N_k and H_k. raw, weighted, unanimity: "
    "log(s / N_k) / log(H_k / N_k) as ratings from 0 to 1, of which Dmax is 1; what is better "
    "than H_k counts as H_k."
)


def compute(data: StudyData, on_progress: OnProgress) -> tuple[Frame, Frame, list[str]]:
    """Definitions, what orders of systems they give by each measure, and why others cannot be had.

    topics, documents: that have such a gain; worth_nothing: the share of documents with 0;
    overlap: the share of the usual top set that is in the other, which has so many systems;
    reason: why a number is NaN.
    """
    definitions, orders, faults = [], [], []
    usual = named_gains.usual(data.study)
    names = [name for name in named_gains.choices(data.study) if name != usual]
    for name in tracked(names, on_progress):
        try:
            gains = scoring.gains_by(data, named_gains.named(data.study, name))
            topics, others = scoring.with_gains(data, gains)
            for measure in scoring.measures(data.study):
                before = scoring.by_own_gains(topics, measure)
                after = scoring.measure(topics, others, measure).values
                compared = compare(before, after, (f"ranking by {usual}", f"ranking by {name}"))
                tau, low, high, _ = compared.tau
                # Of systems in no order all are on top, which says nothing of who is.
                overlap, top_set = np.nan if np.isnan(tau) else compared.overlap, compared.sizes[1]
                row = measure.name, name, tau, low, high, overlap, top_set, compared.reason
                orders.append(row)
            worths = gains[~np.isnan(gains)]
            worth_nothing = float((worths == 0).mean()) if worths.size else np.nan
            definitions.append((name, len(topics), len(worths), worth_nothing))
        except named_gains.NoSuchGains as fault:
            faults.append(str(fault))
    frame = Frame.of_rows("measure gain tau low high overlap top_set reason", orders)
    named = Frame.of_rows("gain topics documents worth_nothing", definitions)
    return named, two_orders.with_limits(frame, *two_orders.ENDS), faults


def weights_of_levels(data: StudyData) -> str:
    """Of levels, by the user disagreement model; empty where it gives none."""
    try:
        weights = level_weights(disagreement(levels.opinions(data)).p, 1, 3).tolist()
    except (GainError, ScalingError):
        return ""
    names = ", ".join("not known" if np.isnan(weight) else number(weight) for weight in weights)
    return f"udm:1/3: the weights of levels, lowest first, are {names}." if weights else ""


def with_tau(orders: Frame) -> Frame:
    """Those that have a tau."""
    return orders.where(~np.isnan(orders["tau"].astype(float)))


def title(orders: Frame) -> str:
    """Whether the order changes, and where the most."""
    known = with_tau(orders)
    if not known:
        return f"No two orders can be compared: {orders['reason'][0]}"
    least = min(known, key=lambda row: row.tau)
    if least.tau >= SAME:
        those = "" if len(known) == len(orders) else "that ranks systems "
        return f"No definition of gain {those}changes the order of systems"
    return (
        f"The order of systems changes most with the gains “{least.gain}” "
        f"({scoring.SHORT[least.measure]}: tau "
        f"{correlation(least.tau)})"
    )


def largest_change(orders: Frame, n_systems: int) -> str:
    known = with_tau(orders)
    if not known:
        return f"no two orders can be compared: {orders['reason'][0]}."
    least = min(known, key=lambda row: row.tau)
    if least.tau >= SAME:
        under = "all of them" if len(known) == len(orders) else listed(known["gain"].tolist())
        return f"the order of systems is the same under {under}."
    tau = two_orders.with_interval(Tau(least.tau, least.low, least.high, least.reason))
    return f"the order changes most with {least.gain}: {tau}.{_least_overlap(known, n_systems)}"


def _least_overlap(orders: Frame, n_systems: int) -> str:
    """Nothing where top sets are so large that any two of them would overlap."""
    known = orders.where(~np.isnan(orders["overlap"]))
    if not known:
        return ""
    sizes = [size or 0 for size in known["top_set"].tolist()]
    if max(sizes) > n_systems * LARGE_TOP_SET:
        many = interval(min(sizes), max(sizes)) if min(sizes) < max(sizes) else str(sizes[0])
        systems = count(n_systems, "system")
        return f" Top sets hold {many} of {systems}, so that their overlap is not informative."
    least = min(known, key=lambda row: row.overlap)
    if least.overlap == 1:
        return " Whoever is in the usual top set stays in it under all of them."
    return (
        f" Of the usual top set, {percent(least.overlap)} stay in it with {least.gain}, the fewest."
    )
