"""The studies that the browser tests visit, made by tests/browser/backstage.py."""

from typing import Any

RESEARCHER, PASSWORD = "rosa", "over the rosy hills"
QUESTION = "Which of these documents would be highly relevant to this topic?"
RIGHT = "One that explains how the light was made to reach further out to sea"
OPTIONS = [
    RIGHT,
    "One that lists the names of lighthouse keepers",
    "One that describes a picture of a lighthouse",
    "One that sells small lighthouses for the garden",
]
TOPIC = {
    "title": "how lighthouses were made visible from further away",
    "description": "How did people make the light of a lighthouse reach further out to sea?",
    "narrative": "A relevant document says by what means the light itself was made stronger, or "
    "was better gathered and sent out: fuels and burners, mirrors, lenses, electric lamps, and "
    "the height at which they stood.\n\n"
    + "A highly relevant document makes clear how the means works and what was gained by it. "
    "A document that only names a means, without a word on its effect, is less relevant. "
    * 4
    + "\n\nNot relevant: the life of the keepers, paintings and postcards, fog horns, and the "
    "buildings as such.",
}
LONG_WORD = "Leuchtturmwärterhäuschenfensterladenfarbe" * 2
HTML = (
    "<h1>Burners compared</h1><p>Each trial ran for <em>three nights</em>.</p>"
    "<table><caption>What was seen from the boat</caption><thead><tr>"
    + "".join(
        f"<th>{name}</th>"
        for name in ("Burner", "Fuel used in a night", "Greatest distance", "Remark of the crew")
    )
    + "</tr></thead><tbody>"
    + "<tr><td>Argand</td><td>two pints of colza oil</td><td>eleven nautical miles</td>"
    "<td>steady, somewhat yellow</td></tr>"
    * 3
    + "</tbody></table><h2>What it meant</h2><ul><li>More air, more light.</li>"
    "<li>A chimney of glass kept the flame still.</li></ul>"
    "<pre>distance   brightness   oil\n" + "near       plenty       little    " * 4 + "</pre>"
    "<script>document.title = 'taken over'</script><img src='https://elsewhere.example/a.png'>"
)
PROSE = (
    "The lamp had burned in the same tower for as long as anybody could remember, and for as long "
    "the ships had complained of it. On clear nights it was seen from the harbour and from little "
    "else. The new keeper wrote to the board every spring, and every autumn the board replied "
    "that the matter was being looked into.\n\n"
    "Then a box came, as heavy as a cow. In it, wrapped in straw, lay rings of glass, each cut so "
    "that it bent the light a little more than the one inside it. Put together they stood taller "
    "than a man, and what had gone up to the sky and down to the rocks now went out to sea."
)
# Title of a document, and how relevant it is. The first is H_k, the second N_k.
RELEVANCE = {
    "Rings of glass": 40.0,
    "Paint for the shutters of a keeper’s house": 0.5,
    "A taller tower": 20.0,
    "Burners, compared on three nights": 30.0,
    "The keeper’s garden": 1.0,
    "Minutes of the harbour board, in which the question of the light was raised again and again "
    "put off until the next meeting": 5.0,
    "Whale oil and its price": 8.0,
    "": 2.0,
}
# The levels of a graded study; the last name is as long as one may be.
LEVELS = [
    "Not relevant",
    "Touches the topic",
    "Relevant",
    "Tells how the light was made to go far",
]
TEXTS = {
    "Paint for the shutters of a keeper’s house": f"Catalogue word: {LONG_WORD}. Comes in green.",
    "A taller tower": PROSE + "\n\n" + "\n\n".join([PROSE] * 3),
    "The keeper’s garden": "Cabbages do well near the sea. <b>Salt</b> & wind they do not mind.",
    "": "A note without a title: the light was seen from the ferry last night.",
}
CONSENT = (
    "This study asks how well people can say with numbers how relevant a text is.\n\n"
    "It is run by the Institute of Lamps."
)


def make(
    slug: str,
    *,
    redundancy: int = 40,
    topics: int = 2,
    **settings: Any,
) -> None:
    """A planned study; every unit has the same eight documents, so that every test sees them."""
    from judging.models import Collection, Document, Topic
    from judging.studies.configuration.settings import create_study
    from judging.studies.unit_plans import plan
    from tests.factory import make_document

    collection = Collection.objects.create(slug=slug)
    ids = [f"D{n}" for n in range(len(RELEVANCE))]
    Document.objects.bulk_create(
        make_document(
            collection,
            doc_id,
            HTML if title.startswith("Burners") else TEXTS.get(title, PROSE),
            title=title,
            is_html=title.startswith("Burners"),
        )
        for doc_id, title in zip(ids, RELEVANCE, strict=True)
    )
    given = {}
    for number in range(401, 401 + topics):
        Topic.objects.create(collection=collection, query_id=str(number), **TOPIC)
        given[str(number)] = {
            "question": QUESTION,
            "options": OPTIONS,
            "answer": RIGHT,
            "h_k": ids[0],
            "n_k": ids[1],
            "documents": ids,
        }
    settings = {
        "title": "How well do search engines answer?",
        "redundancy": redundancy,
        "minimum_seconds": 0,
        "consent": CONSENT,
        "contact": "lamps@institute.example",
        "ethics_approval": "Board of the Institute, no objection",
        "retention_days": 90,
        "topics": given,
        **settings,
    }
    study = create_study(slug, slug, settings)
    plan(study, seed=1)


def make_all() -> None:
    """The database, a researcher, and every study in the state in which the tests expect it."""
    from django.contrib.auth import get_user_model
    from django.core.management import call_command

    from judging.studies.conduct.closing import close_study
    from judging.studies.conduct.opening import open_study

    call_command("migrate", interactive=False, verbosity=0)
    get_user_model().objects.create_user(RESEARCHER, password=PASSWORD, is_superuser=True)
    make("lamps", redundancy=60)
    make("small", redundancy=1, topics=1)
    make("draft", redundancy=1, topics=1)
    make("ended", redundancy=1, topics=1)
    nothing = {"consent": "", "contact": "", "ethics_approval": ""}
    make("plain", redundancy=1, topics=1, demo=True, **nothing)
    make("levels", scale="graded", levels=LEVELS, record_pasting=True)
    for slug in ("lamps", "small", "ended", "plain", "levels"):
        open_study(slug)
    close_study("ended")


def make_colleague(name: str) -> None:
    """Somebody who logs in, and may do nothing that others have not let them."""
    from django.contrib.auth import get_user_model

    get_user_model().objects.create_user(name, password=PASSWORD)
