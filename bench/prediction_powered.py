"""How often prediction-powered intervals hold the true mean, and how narrow they are.

    python -m bench.prediction_powered

Of several populations of 10,000 topics each, whose true means are known, people's topics and others
are drawn 4,000 times, with replacement, for each number of both and each model. A row has the least
coverage over populations and quantities (differences of two systems, or single ones), by people
alone and with the model, the mean ratio of widths, and what the interval is worth. Only intervals
that are given count. Ends with 1 if a coverage is below 94%, or a useless model makes an interval
more than 1.03 times as wide as people's alone. Rows in brackets are of single systems, which
have no interval in the product; they show why, and do not count.
"""

import sys

import numpy as np

from bench.site.command import options
from tests.judged_topics import MAX_WIDTH, MIN_COVERED, failures, rows

OPTIONS = options(__doc__)


def main() -> int:
    OPTIONS.parse_args()
    failed = []
    print("of          measure   n    N  model          alone  least   mean  width   most  worth")
    for single in (False, True):
        found = rows(single)
        failed += [] if single else failures(found)
        for row, cells in found.items():
            name = "(system)" if single else "difference"
            every = np.array(cells)
            alone, covered, width = every[:, 1], every[:, 2], every[:, 3]
            print(
                f"{name:11} {row.measure:6}{row.n:5}{row.others:5}  {row.who:14}"
                f"{alone.min():6.1%} {covered.min():6.1%} {covered.mean():6.1%}"
                f"  {width.mean():.3f}  {width.max():.3f} {every[:, 4].mean():6.1f}"
            )
    print(f"{len(failed)} rows miss {MIN_COVERED:.0%}, or are useless and above {MAX_WIDTH}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
