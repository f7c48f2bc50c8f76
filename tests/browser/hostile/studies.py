"""Studies in which everything is hostile, made by tests/browser/backstage.py."""

import json

from tests.browser.hostile.payloads import PAYLOADS, filled
from tests.browser.hostile.words import hostile_text, hostile_word

LAST_WORDS = "the last words"
WORDS_FROM = 1000  # numbers of what are not documents
WORTH = "worth {} "  # in a title, as people go by it
H_K, N_K, OTHERS = 90, 2, 30
RIGHT = "This is right. "


def document(name: str, url: str) -> str:
    number = list(PAYLOADS).index(name)
    html = f"<p>the first words</p>{filled(PAYLOADS[name], number, url)}<p>{LAST_WORDS}</p>"
    return html.replace("\0", "\N{REPLACEMENT CHARACTER}")  # imports hold no zero bytes


def make(slug: str, url: str, names: str) -> None:
    """A study of one unit that holds the payloads of these names, as JSON; all else is hostile."""
    make_of_pages(slug, url, json.dumps([document(name, url) for name in json.loads(names)]))


def make_of_pages(slug: str, url: str, pages: str) -> None:
    from judging.models import Collection, Document, Topic
    from judging.studies.conduct.opening import open_study
    from judging.studies.configuration.settings import create_study
    from judging.studies.unit_plans import plan
    from tests.factory import make_document

    numbers = iter(range(WORDS_FROM, 2 * WORDS_FROM))

    def text() -> str:
        return hostile_text(next(numbers), url)

    def word(longest: int = 2000) -> str:
        return hostile_word(next(numbers), url, longest)

    collection = Collection.objects.create(slug=slug)
    documents = [
        make_document(
            collection,
            f"D{place}",
            html,
            title=WORTH.format({0: H_K, 1: N_K}.get(place, OTHERS)) + word(),
            is_html=True,
        )
        for place, html in enumerate(json.loads(pages))
    ]
    ids = [each.doc_id for each in documents]
    Document.objects.bulk_create(documents)
    Topic.objects.create(
        collection=collection, query_id="401", title=word(), description=text(), narrative=text()
    )
    options = [RIGHT + word(), *(f"Wrong. {word()}" for _ in range(3))]
    settings = {
        "title": word(200),
        "redundancy": 1,
        "unit_size": len(ids),
        "minimum_seconds": 0,
        "contact": word(500),
        "ethics_approval": word(500),
        "retention_days": 90,
        **{name: text() for name in ("introduction", "consent")},
        **{name: text() for name in ("practice_instructions", "instructions")},
        "topics": {
            "401": {
                "question": word(),
                "options": options,
                "answer": options[0],
                "h_k": ids[0],
                "n_k": ids[1],
                "documents": ids,
            }
        },
    }
    plan(create_study(slug, slug, settings), seed=1)
    open_study(slug)


def put_away(slug: str) -> None:
    """Close and archive a study, so that lists that others look at do not have it."""
    from judging.studies.conduct.closing import close_study
    from judging.studies.conduct.stages import archive

    archive(close_study(slug), None)


def migrate() -> None:
    from django.core.management import call_command

    call_command("migrate", interactive=False, verbosity=0)
