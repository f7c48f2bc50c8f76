"""Two orders of the same systems: tau with its interval, top sets and their overlap, in words,
columns and marks.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from evaluation.presentation.frame import Column, Frame
from evaluation.presentation.parts import correlation, dashes, interval
from magnitudes.comparison.compared import FEW_TOPICS, Compared
from magnitudes.comparison.correlation import Tau
from magnitudes.comparison.top_set import LEAST_TOPICS
from magnitudes.files.words import count

ALIKE, IN_PART = 0.9, 0.5  # tau from which on two orders are usually taken for one, and half-way
TAU = -1.0, 1.0  # what tau can be
ENDS = "low", "high"
OF_TAU = (
    "tau: Kendall's tau-b of system means, with its 95% interval; none at 1 or -1, where it would "
    "have no width."
)
TOP_SET = (
    "Top set: the system with the highest mean, and all that do not differ from it significantly "
    "by a two-sided Wilcoxon signed-rank test over topics (p ≥ 0.05), each compared alone; they "
    "need not be equal."
)


def frame(orders: Sequence[Compared], first: str, second: str, **about: Any) -> Frame:
    """A row for each two orders; first, second: what columns of the sizes of top sets are called.

    about: the columns before.
    """
    rows = [(*of.tau[:3], *of.sizes, of.overlap) for of in orders]
    every = Frame.of_rows(("tau", *ENDS, first, second, "in_both", "overlap"), rows)
    return with_limits(Frame.of(**about).with_columns(**every.columns), *ENDS)


def with_limits(orders: Frame, *ends: str) -> Frame:
    """Ends of intervals are cut at what tau can be, where they are read."""
    return orders.with_columns(**{end: Column(orders[end], limits=TAU) for end in ends})


def cut(orders: Frame) -> Frame:
    """Ends of intervals cut at what tau can be, for a chart; NaN where there is none."""
    return orders.with_columns(**{end: np.clip(orders[end], *TAU) for end in ENDS})


def notes(
    orders: Iterable[Compared], top_set: str, *more: str, before: str = "", no_interval: str = ""
) -> list[str]:
    """What stands below a table of them; top_set: whose, of which a share is in both."""
    overlap = f"{TOP_SET} Overlap: the share of {top_set} that is in both."
    return [f"{before}{OF_TAU}", no_interval, overlap, *more, *dashes(of.reason for of in orders)]


def too_few(topics: int) -> list[str]:
    """What to say of top sets where no outcome of their test would be significant."""
    return [] if topics >= LEAST_TOPICS else [f"{FEW_TOPICS[0].upper()}{FEW_TOPICS[1:]}."]


def with_interval(tau: Tau) -> str:
    """Tau in a sentence; its interval is cut at -1 and 1."""
    if np.isnan(tau.tau):
        return "tau is not defined"
    if np.isnan(tau.low) or abs(tau.tau) == 1:
        return f"tau is {correlation(tau.tau, 3)}"
    low, high = np.clip(tau[1:3], *TAU).tolist()
    at = [f"{end:g}" for end, was in ((low, tau.low), (high, tau.high)) if end != was]
    cut_at = f", cut at {' and '.join(at)}" if at else ""
    return f"tau is {correlation(tau.tau, 3)} (95% interval {interval(low, high)}{cut_at})"


def tau_or_why(compared: Compared) -> str:
    """Tau with its interval, or why there is none."""
    is_known = np.isfinite(compared.tau.tau)
    return with_interval(compared.tau) if is_known else f"no tau, as {compared.reason}"


def how_alike(both: str, compared: Compared, measures: str = "") -> str:
    """A heading on two orders of systems; both: what makes them; measures: beside tau.

    It says that they are alike only where the interval of tau says so.
    """
    tau = compared.tau
    if np.isnan(tau.tau):
        return f"{both} cannot be compared: {compared.reason}"
    aside = f"({f'{measures}: ' if measures else ''}tau {correlation(tau.tau)})"
    few = compared.why == FEW_TOPICS
    if tau.low <= 0 or (tau.tau <= 0 and not few):
        return f"It cannot be said that {_within(both)} order systems alike {aside}"
    finding = f"{_within(both)} order systems {_degree(tau.tau)} {aside}"
    return f"So far {finding}" if few else finding[0].upper() + finding[1:]


def _within(both: str) -> str:
    """As it stands within a sentence: names of measures keep their capitals."""
    first = both.split()[0]
    return both[0].lower() + both[1:] if first.istitle() else both


def _degree(tau: float) -> str:
    if tau >= 1 - 1e-12:
        return "the same way"
    if tau >= ALIKE:
        return "nearly alike"
    return "alike only in part" if tau >= IN_PART else "hardly alike"


def top_sets(compared: Compared, first: str, second: str, before: str = "; ") -> str:
    """The sizes of two top sets at the end of a sentence; first, second: whose they are.

    Nothing where too few topics have none, which is said once.
    """
    if compared.why == FEW_TOPICS:
        return ""
    if np.isnan(compared.overlap):
        return f"{before}top sets cannot be compared"
    sizes = f"{compared.sizes[0]} by {first}, {compared.sizes[1]} by {second}"
    little = ", too many to be informative" if compared.says_little else ""
    of = count(len(compared.first), "system")
    return f"{before}top sets (of {of}): {sizes}, {compared.both} in both{little}"
