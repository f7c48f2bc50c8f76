from crowd.model import Pair, Person, draws

CARELESS = ("ok", "good text", "I think so", "it is about the topic", "read it")
# From this true log gain on: how such a reason begins.
OPENINGS = (
    (1.35, ("Answers the question in full", "Exactly what was asked for", "The best I have seen")),
    (0.90, ("Answers a good part of it", "Most of it is on the topic", "Helps a lot")),
    (0.35, ("Touches the topic", "A little of it is useful", "Says something near the point")),
    (float("-inf"), ("Not on the topic", "Of no use here", "Shares words with it, no more")),
)
MIDDLES = (
    "and the rest is about other things",
    "as the first lines show",
    "going by the middle part",
    "when I compare it with the text before",
    "though I had to read it twice",
    "and it is easy to read",
    "with names and places",
    "but it gives no source",
    "and I know a little about this",
    "from what I understand",
)


# What they name of a document, so that hardly any two give the same reason.
NAMED = (
    *("harbour", "treaty", "winter", "budget", "patients", "engine", "village", "court", "export"),
    *("school", "river", "strike", "vaccine", "bridge", "harvest", "satellite", "museum", "prison"),
    *("election", "copper", "insurance", "glacier", "airline", "novel", "pension", "forest", "tax"),
    *("refinery", "orchestra", "border", "laboratory", "fishery", "cathedral", "railway", "merger"),
)


def reason(person: Person, pair: Pair) -> str:
    draw = draws(person.seed, person.number, pair.query_id, pair.doc_id, "reason")
    if person.is_careless:
        return str(draw.choice(CARELESS))
    opening = next(words for min_gain, words in OPENINGS if pair.log_gain >= min_gain)
    words = f"{draw.choice(opening)}, {draw.choice(MIDDLES)}"
    named = draw.choice(NAMED, size=3, replace=False)
    return f"{words}: {named[0]}, {named[1]} and {named[2]}, around word {draw.integers(20, 900)}."
