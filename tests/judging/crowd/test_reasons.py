"""What artificial workers say of a document fits the score beside it, and the text."""

import pytest

from crowd.behaviour import Behaviour, PageView, Unit
from crowd.model import LEVELS, Pair, person
from crowd.reasons import CARELESS, TONES, named_things, reason

WORDS = ("leaven", "froth", "brewer", "oven", "miller", "flour", "baker", "trough", "crumb")
GAINS = (1.61, 0.0, 0.69, 1.1, -0.8, 2.2, 0.3, 1.4)
PAIRS = [Pair("904", f"D{n}", gain, n < 2, 1.0, WORDS) for n, gain in enumerate(GAINS)]
UNIT = Unit("904", "", PAIRS)


def tone(said: str) -> int:
    """Of which tone a reason is: 0 is the best."""
    (found,) = (n for n, tone in enumerate(TONES) if said.startswith(tuple(tone.openings)))
    return found


@pytest.mark.parametrize("levels", [0, 4])
def test_a_higher_score_never_has_a_worse_reason(levels: int) -> None:
    for number in range(200):
        who = Behaviour(person(7, number, 12), levels=levels)
        acts = [who.act(PageView("document", position=n), UNIT) for n in range(1, 9)]
        said = [(float(act.score), act.justification) for act in acts if act]
        if who.person.is_careless:
            assert {words for _, words in said} <= set(CARELESS)
            continue
        tones = [tone(words) for _, words in sorted(said, reverse=True)]
        assert tones == sorted(tones)


def test_a_reason_names_the_text() -> None:
    one = next(found for n in range(9) if not (found := person(7, n, 12)).is_careless)
    said = reason(one, UNIT.pairs[0], LEVELS[-1])
    assert sum(word in said for word in WORDS) == 3
    assert named_things("The miller's flour, and about the trough") == ("miller", "flour", "trough")
    assert len(reason(one, Pair("1", "D1", 0.0, False, 1.0), 0.0)) > 40
