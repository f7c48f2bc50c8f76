"""The reasons that artificial workers give: each fits the score beside it, and names the text."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from crowd.model import Pair, Person, draws

CARELESS = ("ok", "good text", "I think so", "it is about the topic", "read it")


class Tone(NamedTuple):
    """What is said of documents that seem at least so relevant, in log gain."""

    at_least: float
    openings: Sequence[str]
    middles: Sequence[str]


TONES = (
    Tone(
        1.35,
        ("Answers the question in full", "Exactly what was asked for", "The best I have seen"),
        (
            *("and it is easy to read", "from the first lines on", "with names and places"),
            *("far better than the text before", "and I know a little about this"),
        ),
    ),
    Tone(
        0.90,
        ("Answers a good part of it", "Most of it is on the topic", "Helps a lot"),
        (
            *("though it gives no source", "though not all of it belongs here"),
            *("above all the middle part", "from what I understand", "and it is easy to read"),
        ),
    ),
    Tone(
        0.35,
        ("Touches the topic", "A little of it is useful", "Says something near the point"),
        (
            *("but it leaves out most of the question", "and then it goes on to other things"),
            *("though I had to read it twice", "in a sentence or two", "from what I understand"),
        ),
    ),
    Tone(
        float("-inf"),
        ("Not on the topic", "Of no use here", "Shares words with it, no more"),
        (
            *("as the first lines show", "though I read it to the end", "as far as I can see"),
            *("when I compare it with the text before", "however pleasant to read"),
        ),
    ),
)
TELLS = ("it tells of", "I read of", "it speaks of", "it is about")
# What they name of a document without a text, so that hardly any two give the same reason.
NAMED = (
    *("harbour", "treaty", "winter", "budget", "patients", "engine", "village", "court", "export"),
    *("school", "river", "strike", "vaccine", "bridge", "harvest", "satellite", "museum", "prison"),
    *("election", "copper", "insurance", "glacier", "airline", "novel", "pension", "forest", "tax"),
    *("refinery", "orchestra", "border", "laboratory", "fishery", "cathedral", "railway", "merger"),
)
MOST_NAMED = 3
MAX_WORDS = 24  # of a text that somebody may name
_LONG = re.compile(r"\b[^\W\d_]{5,16}\b")
OF_ANY_TEXT = frozenset(
    "about above after again against almost along alone already also although always among "
    "another anybody anything around because become before began behind being below beside "
    "better between beyond called cannot could doing during early either enough every everybody "
    "everything except first found given gives going great having hardly herself himself "
    "however instead itself known large later least little longer makes maybe might mostly "
    "myself nearly never nobody none nothing often other others ought perhaps please quite "
    "rather really several shall should since small somebody something still taken takes "
    "themselves their there these thing things think those though three through today together "
    "toward towards under until usually wants wanted whatever where whether which while whole "
    "whose within without would years yourself".split()
)


def reason(person: Person, pair: Pair, felt: float) -> str:
    """felt: the log gain that they found in the document, by the score they give."""
    draw = draws(person.seed, person.number, pair.query_id, pair.doc_id, "reason")
    if person.is_careless:
        return str(draw.choice(CARELESS))
    tone = next(tone for tone in TONES if felt >= tone.at_least)
    of = pair.words if len(pair.words) >= MOST_NAMED else NAMED
    *first, last = draw.choice(of, size=MOST_NAMED, replace=False)
    tells = f"{draw.choice(TELLS)} {', '.join(first)} and {last}"
    return f"{draw.choice(tone.openings)}, {draw.choice(tone.middles)}: {tells}."


def named_things(text: str) -> tuple[str, ...]:
    """The first words of a text that are likely to name something, each once.

    >>> named_things("However, the octopus quickly opened three jars with its suckers.")
    ('octopus', 'suckers')
    """
    lower_words = (word for word in _LONG.findall(text) if word.islower())
    things = (w for w in lower_words if w not in OF_ANY_TEXT and not w.endswith(("ed", "ly")))
    return tuple(dict.fromkeys(things))[:MAX_WORDS]
