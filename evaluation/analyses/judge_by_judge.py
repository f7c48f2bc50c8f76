"""One judge's order of documents, measured by another's labels.

Demeester and others (WSDM 2014), section 6.1.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from evaluation.analyses import in_levels
from evaluation.comparison import ComparisonError
from evaluation.comparison.judge_robustness import Robustness, judge_robustness
from evaluation.gains.opinions import Opinions

PAIR, FIRST = "two judges", "two labels"


class Judged(NamedTuple):
    """One judge's order by another's labels."""

    found: Robustness
    shared: float  # documents of both, in the mean over topics
    empty: int  # topics in which the reference has no document of the top level

    def means(self) -> dict[str, float]:
        return dict(zip(self.found.names, self.found.mean.tolist(), strict=True))

    def rows(self) -> Iterator[tuple[str, float, float]]:
        """Measure, mean, deviation."""
        of = self.found
        yield from zip(of.names, of.mean.tolist(), of.sd.tolist(), strict=True)


def judge_by_judge(said: Opinions) -> tuple[dict[str, Judged], str]:
    """By whose the two labels are; and why there is nothing to be had, or empty."""
    if in_levels.why_not(said):
        return {}, "without the anchors no document has the opinions of two judges"
    found, fault = {}, ""
    pairs = {PAIR: in_levels.best_two(said).opinions, FIRST: in_levels.first_two(said)}
    for name, both in pairs.items():
        items = in_levels.two_judges(both)
        topics = np.unique(both.topic_of_item[items])
        reference = both.of_judge(0) == both.n_levels - 1
        empty = len(topics) - len(np.unique(both.topic_of_item[items & reference]))
        try:
            of = judge_robustness(both, 0, 1)
        except ComparisonError:
            fault = "weights come from other topics than the measured one, and there is but one"
            continue
        found[name] = Judged(of, float(items.sum() / len(topics)), empty)
    return found, fault
