"""Everything that three studies show, a file each, so that versions of the code can be compared.

    PYTHONHASHSEED=0 SNAPSHOT=before python -m pytest tests/snapshot.py

writes every page of a worker and of the workspace, every export and every REST answer below the
folder `before`; `diff -r before after` shows what has changed. Times and draws are the same in
each run.
"""

import os
import random
import re
import secrets
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from accounts.models import User
from evaluation.analyses import of_study
from evaluation.cache import stored
from evaluation.publishing.exports import EXPORTS
from judging.models import Payment, PooledDocument, Study
from judging.states import State
from tests.api.conftest import client_of, description
from tests.database import drawn_by
from tests.factory.completed import busy_study, graded_study
from tests.judging.browsing import stopped_clock
from tests.judging.pages.states import PAID, SETTINGS, states_of
from tests.workspace_pages import addresses, routes

FOLDER = os.environ.get("SNAPSHOT")
pytestmark = [
    pytest.mark.django_db,
    pytest.mark.skipif(not FOLDER, reason="SNAPSHOT names no folder"),
]
PLATFORM = PAID | {"platform": "prolific", "completion_code": "C1DONE", "submission_minutes": 60}
DRAWN = re.compile(  # by the server or a library, anew in each answer
    r'(?<=name="csrfmiddlewaretoken" value=")\w+|(?<=nonce=")[^"]+|(?<=nonce-)[\w+/=]+'
    r'|(?<="seconds": )[\d.]+'
)


@pytest.fixture(autouse=True)
def _drawn(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    rng = random.Random(29)
    drawn = {
        "choice": rng.choice,
        "randbits": rng.getrandbits,
        "token_bytes": rng.randbytes,
        "token_hex": lambda size: rng.randbytes(size).hex(),
        "token_urlsafe": lambda size: urlsafe_b64encode(rng.randbytes(size)).rstrip(b"=").decode(),
    }
    for name, draw in drawn.items():
        monkeypatch.setattr(secrets, name, draw)
    with drawn_by(29), stopped_clock() as clock:
        monkeypatch.setattr("django.utils.timezone.now", lambda: clock.now)
        yield


def write(*names: str, text: str) -> None:
    path = Path(str(FOLDER), *(re.sub(r"[^\w.@=-]+", "_", name) or "_" for name in names))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(DRAWN.sub("*", text))


def shown(response: Any) -> str:
    """The status, where it leads, and the text of an answer; of a file only how long it is."""
    head = f"{response.status_code} {response.get('Location', '')}\n"
    body = b"".join(response) if response.streaming else response.content
    try:
        return head + body.decode()
    except UnicodeDecodeError:
        return f"{head}{response['Content-Type']}\n"


STUDIES = {
    "busy": lambda: busy_study(title="Busy"),
    "graded": lambda: graded_study()[0],
    "on a platform": lambda: busy_study(title="On a platform", **PLATFORM),
}


@pytest.mark.parametrize("name", STUDIES)
def test_what_a_study_shows(name: str) -> None:
    study = STUDIES[name]()
    desk, api = Client(), client_of("rosa", is_superuser=True)
    desk.force_login(User.objects.create_user("rita", is_superuser=True))
    places = places_of(study)
    pages = [page for route in routes() for page in addresses_of(route, places)]
    asked = [path for path in description()["paths"] if "get" in description()["paths"][path]]
    answers = [page for path in asked for page in addresses_of(path.lstrip("/"), places)]
    for address in (*pages, *answers):  # what is computed when it is asked for
        (api if address.startswith("/api/") else desk).get(address)
    while stored.bring_up_to_date():
        pass
    for address in pages:
        write(name, "pages", f"{address}.html", text=shown(desk.get(address)))
    for address in answers:
        write(name, "rest", f"{address}.json", text=shown(api.get(address)))
    for table in EXPORTS:
        out = StringIO()
        call_command("export", study.slug, table, stdout=out)
        write(name, "exports", table, text=out.getvalue())


@pytest.mark.parametrize("name", SETTINGS)
def test_pages_of_workers(name: str) -> None:
    with stopped_clock() as clock:
        for number, state in enumerate(states_of(name, clock)):
            write("workers", name, f"{number:03} {state.name}.html", text=state.page.html)


def places_of(study: Study) -> dict[str, list[str]]:
    """What stands in the places of addresses: one or two of each kind."""
    topic = study.topics.order_by("pk")[0]
    done = study.assignments.filter(state=State.COMPLETED).order_by("pk")[0]
    pooled = PooledDocument.objects.filter(study_topic=topic).order_by("pk")[0]
    runs = list(study.collection.runs.order_by("tag").values_list("tag", flat=True))
    payment = Payment.objects.filter(assignment__study=study).order_by("pk").first()
    return {
        "slug": [study.slug],
        "collections/slug": [study.collection.slug],
        "query_id": [topic.topic.query_id],
        "doc_id": [pooled.doc_id],
        "pseudonym": [done.worker.pseudonym],
        "run": runs[:1],
        "other": runs[1:2],
        "tag": runs[:1],
        "name": ["welcome", "document-3"],
        "analysis": list(of_study(study)),
        "api/name": list(of_study(study)),
        "studies/key": [str(payment.pk)] if payment else [],
    }


def addresses_of(route: str, places: dict[str, list[str]]) -> list[str]:
    """Of a route some of whose places nothing stands in here, none."""
    plain = route.replace("{", "<").replace("}", ">")
    try:
        return addresses(plain, places)
    except KeyError:
        return []
