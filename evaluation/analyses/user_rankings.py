"""Systems ranked with chances that users find documents best as gains.

Demeester and others (WSDM 2014), section 5.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from evaluation.analyses import chance_orders, in_levels, systems, user_rankings_shown
from evaluation.analyses.chance_orders import DEFAULT, LABELS, OWN, SHORT, SHOWN, USERS, Ranked
from evaluation.analyses.data import StudyData
from evaluation.analyses.parts import Analysed, Tell, number, percent
from evaluation.gains.opinions import Opinions
from trec.words import count

KEYS = {DEFAULT: "own", LABELS: "labels"}


def analyse(data: StudyData, tell: Tell) -> Analysed:
    """Tau and top sets of weights P(1/2), P(1/3), P(1/4) with other gains."""
    said = in_levels.opinions(data)
    if reason := in_levels.why_no_chances(said, in_levels.names(data)[-1]):
        return Analysed([reason, *in_levels.left_out(data)])
    if not data.runs:
        return Analysed(["The collection has no run: there is no system to rank."])
    found = [*chance_orders.of_own(data)]
    for done, users in enumerate(USERS, 1):
        found += chance_orders.of_chances(data, said, users)
        tell(done / len(USERS))
    return Analysed(
        [*_says(data, found), *_left_out(said), *in_levels.told(data, each=False)],
        user_rankings_shown.parts(data, found),
        {f"tau {SHORT[one.measure]}, {one.users}, {KEYS[one.against]}": one.tau for one in found},
    )


def _says(data: StudyData, found: Sequence[Ranked]) -> Iterator[str]:
    topics = len(data.topics)
    yield (
        f"{count(len(data.runs), 'system')} on {count(topics, 'topic')}, by the chance that at "
        "least one of N users finds a document best in the place of the study's own gains"
        f"{'' if data.study.is_graded else ', which are magnitudes'}."
    )
    for against in (DEFAULT, LABELS):
        said = [
            f"by {one.measure}, {systems.with_interval(one.compared.tau)}{_tops(one.compared)}"
            for one in found
            if (one.users, one.against) == (SHOWN, against) and not np.isnan(one.tau)
        ]
        if said:
            yield f"P({SHOWN}) against {against}: {'; '.join(said)}."
    own = {one.measure: one.tau for one in found if one.users == OWN}
    chances = {one.measure: one.tau for one in found if one[1:3] == (SHOWN, LABELS)}
    if closer := [
        f"by {by}, {number(own[by])} and {number(chances[by])}"
        for by in own
        if not np.isnan(own[by] + chances[by])
    ]:
        yield (
            f"Tau with reference labels of the study's own gains, and of P({SHOWN}): "
            f"{'; '.join(closer)}."
        )
    if all(np.isnan(one.tau) for one in found):
        yield "No two orders of systems can be compared."
    if LABELS not in {one.against for one in found}:
        yield "No topic has a reference label to compare with."
    yield from systems.too_few(topics)


def _tops(of: systems.Compared) -> str:
    if np.isnan(of.overlap):
        return ""
    return (
        f", top sets have {int(of.first.sum())} and {int(of.second.sum())} systems, {of.both} of "
        f"them in both ({percent(of.overlap)} of the former)"
    )


def _left_out(said: Opinions) -> list[str]:
    gains = chance_orders.gains(said, SHOWN)
    lost = int((np.isnan(gains) & (said.counts.sum(axis=1) > 0)).sum())
    if not lost:
        return []
    return [
        f"{count(lost, 'document')} with a level that nobody gave beside another judge "
        f"{'counts' if lost == 1 else 'count'} as unjudged."
    ]
