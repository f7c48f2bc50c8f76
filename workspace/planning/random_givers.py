"""The share of workers giving random numbers who pass check (c), by simulation.

They are the artificial crowd's careless workers: their numbers do not depend on the documents, and
after a failed Finish they give fresh ones. Careful workers are reported as well, since a limit of
tries excludes some of them too. Both pass practice, question and seconds.

Independent numbers that are never equal would pass with probability 1/2 at each try, and 1 - 1/2^n
in n of them. People's are round, so that some are equal, which fails.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from crowd import model, vectorised
from crowd.vectorised import CrowdTraits
from judging.models import Study
from judging.monitoring.tries import Rate

WORKERS = 5000  # of either kind
LIMITS = (None, 3, 2, 1)
SEED = "random givers"


class PassRates(NamedTuple):
    """How many random givers, and careful workers, pass within a limit of tries.

    limit: of presses of Finish, None: there is none; is_own: it is the study's.
    """

    limit: int | None
    is_own: bool
    random: Rate
    careful: Rate

    @property
    def limit_in_words(self) -> str:
        if self.limit is None:
            return "as often as they like"
        return "once" if self.limit == 1 else f"{self.limit} times at most"


def pass_rates(study: Study) -> list[PassRates]:
    own_limit, levels = study.max_failed_finishes, len(study.levels)
    limits = sorted({*LIMITS, own_limit}, key=lambda limit: -(limit or np.inf))
    return [
        PassRates(
            limit,
            limit == own_limit,
            *(pass_rate(limit, tries_needed(careless, levels)) for careless in (1.0, 0.0)),
        )
        for limit in limits
    ]


def pass_rate(limit: int | None, tries: tuple[int, ...]) -> Rate:
    """tries: the press of Finish that passed, 0: none."""
    return Rate(sum(0 < press <= (limit or press) for press in tries), len(tries))


@lru_cache
def tries_needed(careless: float, levels: int) -> tuple[int, ...]:
    """The press of Finish that passes check (c), for each simulated worker; 0: none.

    careless: the share of them who give random numbers; levels: of the scale, 0 for magnitudes.
    """
    draw, traits = model.draws(SEED, careless, levels), CrowdTraits(careless=careless)
    workers = vectorised.people(draw, WORKERS, traits)
    anchors = np.tile([model.LEVELS[-1], model.LEVELS[0]], (WORKERS, 1))
    _, tries = vectorised.scores_and_tries(draw, workers, anchors, traits, levels)
    return tuple(tries.tolist())
