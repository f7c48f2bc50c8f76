"""How often a claim is made where it is false, and where it is true.

Of 200 studies without the effect at most 23 may claim it, of 200 with it at least 160 must; where a
cell fails, it is drawn once more with 1,000, and that decides. On every change a handful is drawn.
"""

import pytest

from tests.claims.drawing import Drawn
from tests.claims.registry import CLAIMS, NOTHING, Claim, in_abstract, listed

MOST, LEAST = 23 / 200, 160 / 200
HANDFUL = 3
by_claim = pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.name)


def share(claim: Claim, model: Drawn, seeds: range) -> float:
    return sum(claim.claimed(model.study(seed)) for seed in seeds) / len(seeds)


def test_everything_that_may_claim_something_has_a_pair_or_claims_nothing() -> None:
    paired = {claim.of for claim in CLAIMS}
    assert listed() == paired | NOTHING.keys()
    assert not paired & NOTHING.keys()
    assert in_abstract() <= listed()


@by_claim
def test_a_handful(claim: Claim) -> None:
    seeds = range(HANDFUL)
    assert share(claim, claim.null, seeds) <= 1 / HANDFUL
    assert share(claim, claim.planted, seeds) >= 1 - 1 / HANDFUL


@pytest.mark.whole
@by_claim
def test_what_is_false_is_hardly_ever_claimed(claim: Claim) -> None:
    seen = share(claim, claim.null, range(200))
    if seen > MOST:
        seen = share(claim, claim.null, range(1000, 2000))
    assert seen <= MOST


@pytest.mark.whole
@by_claim
def test_what_is_true_is_claimed(claim: Claim) -> None:
    seen = share(claim, claim.planted, range(200))
    if seen < LEAST:
        seen = share(claim, claim.planted, range(1000, 2000))
    assert seen >= LEAST
