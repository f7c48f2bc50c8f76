"""Who may do what with collections, uploads and imports, address by address."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from django.db import transaction
from django.test import Client, override_settings

from accounts.models import Token, User
from judging.collections import vocabulary
from judging.models import Collection
from tests.api.conftest import description
from tests.api.test_schema import patterns
from tests.database import there_for_all
from tests.desks import with_token
from web import clock
from workspace.imports import uploads
from workspace.models import ImportJob

pytestmark = pytest.mark.django_db
OWNER, COLLEAGUE, STRANGER, STAFF = "owner", "colleague", "stranger", "staff without rights"
ACCOUNTS = (OWNER, COLLEAGUE, STRANGER, STAFF)
# Who may: the others get 403 of what they see, and 404 of what they do not.
EVERYBODY, SEE, OWN = ACCOUNTS, ACCOUNTS[:2], ACCOUNTS[:1]
OF_COLLECTION = "collections/{slug}/"
MAY: dict[str, dict[str, tuple[str, ...]]] = {
    "collections/": {"get": EVERYBODY},
    OF_COLLECTION: {"get": SEE, "delete": OWN},
    **{
        f"{OF_COLLECTION}{verb}/": {"post": OWN}
        for verb in ("rename", "share", "unshare", "free-texts", "rename-labels", "delete-labels")
    },
    f"{OF_COLLECTION}rename-run/": {"post": OWN},
    f"{OF_COLLECTION}delete-run/": {"post": OWN},
    "datasets/": {"get": EVERYBODY},
    "imports/": {"get": EVERYBODY, "post": EVERYBODY},
    "imports/archive/": {"post": EVERYBODY},
    "imports/dataset/": {"post": EVERYBODY},
    "imports/opinions/": {"post": EVERYBODY},
    "imports/{key}/": {"get": OWN},
    "uploads/": {"get": EVERYBODY, "post": EVERYBODY},
    "uploads/{key}/": {"get": OWN, "head": OWN, "patch": OWN, "delete": OWN},
    "uploads/{key}/table/": {"get": OWN},
    "studies/": {"get": EVERYBODY, "post": EVERYBODY},
    # To the site, by admins alone; to a study, in the table of studies.
    "invitations/": {"get": (), "post": ()},
    "invitations/accept/": {"post": EVERYBODY},
    "invitations/{key}/": {"delete": ()},
}
HIDDEN = ("invitations/{key}/", "imports/{key}/", "uploads/{key}/", "uploads/{key}/table/")
PAGES: dict[str, dict[str, tuple[str, ...]]] = {
    "collections/": {"get": EVERYBODY},
    "collections/new/": {"get": EVERYBODY, "post": EVERYBODY},
    "collections/new/dataset/": {"get": EVERYBODY, "post": EVERYBODY},
    "collections/new/sample/": {"post": EVERYBODY},
    OF_COLLECTION: {"get": SEE},
    f"{OF_COLLECTION}documents/": {"get": SEE},
    f"{OF_COLLECTION}documents/{{doc_id}}/": {"get": SEE},
    f"{OF_COLLECTION}topics/{{query_id}}/": {"get": SEE},
    f"{OF_COLLECTION}topics/{{query_id}}/runs/{{tag}}/": {"get": SEE},
    f"{OF_COLLECTION}add/": {"get": OWN, "post": OWN},
    f"{OF_COLLECTION}change/": {"get": OWN, "post": OWN},
    "uploads/": {"post": EVERYBODY},
    "uploads/{key}/remove/": {"post": OWN},
    "imports/{key}/": {"get": OWN},
    "archives/new/": {"get": EVERYBODY, "post": EVERYBODY},
    "opinions/new/": {"get": EVERYBODY},
    "opinions/{key}/": {"get": OWN, "post": OWN},
}
HIDDEN_PAGES = ("uploads/{key}/remove/", "imports/{key}/", "opinions/{key}/")
TABLE = b"worker,topic,docno,label\nada,401,A,1\n"
TUS = {"Tus-Resumable": "1.0.0", "Upload-Offset": "0", "Upload-Length": "5"}


@pytest.fixture(scope="module")
def there(django_db_setup, django_db_blocker, tmp_path_factory):
    """A collection, an upload and an import of its owner, and everybody else."""
    folder: Path = tmp_path_factory.mktemp("uploads")
    with (
        override_settings(UPLOAD_DIR=str(folder), IR_DATASETS={"nowhere": "5"}),
        there_for_all(django_db_blocker),
    ):
        people = {role: User.objects.create_user(role, is_staff=role == STAFF) for role in ACCOUNTS}
        home = Collection.objects.create(slug="home", owner=people[OWNER])
        home.shared_with.add(people[COLLEAGUE])
        hold_something(home)
        upload = uploads.receive(people[OWNER], "t.csv", len(TABLE), [TABLE])
        job = ImportJob.objects.create(owner=people[OWNER], collection="x", asked_at=clock.now())
        yield SimpleNamespace(people=people, upload=upload, job=job)


def hold_something(collection: Collection) -> None:
    """A document, a topic with a label, and a run's list, to be looked into."""
    cleaned = {"cleaned": "<p>Hills.</p>", "cleaner": 1}
    collection.documents.create(doc_id="A", title="Hills", text="Hills.", words=2, **cleaned)
    topic = collection.topics.create(query_id="401", title="hills")
    labels = collection.label_sets.create(name="reference")
    labels.labels.create(topic=topic, doc_id="A", level=1)
    codes = vocabulary.extend(topic, ["A"])
    packed = (
        np.array([number], kind).tobytes()
        for number, kind in (
            (codes["A"], vocabulary.CODES),
            (1, vocabulary.RANKS),
            (1.0, vocabulary.SCORES),
        )
    )
    columns = dict(zip(("codes", "ranks", "scores"), packed, strict=True))
    collection.runs.create(tag="bm25").lists.create(topic=topic, **columns)


@pytest.fixture(autouse=True)
def bytes_are_there(there):
    """No rollback brings them back where a test has deleted them."""
    there.upload.path.write_bytes(TABLE)


def place(path: str, there: SimpleNamespace) -> str:
    of_upload = path.startswith(("uploads/", "opinions/"))
    key = (there.upload if of_upload else there.job).pk
    return path.format(slug="home", key=key, doc_id="A", query_id="401", tag="bm25")


def asked(client: Client, method: str, address: str) -> int:
    """The status of an answer; whatever was done is undone."""
    sent: dict[str, Any] = {} if method in ("get", "head") else {"content_type": "application/json"}
    if method == "patch":
        sent = {"data": b"x", "content_type": "application/offset+octet-stream"}
    with transaction.atomic():
        answer = getattr(client, method)(address, **sent, headers=TUS)
        transaction.set_rollback(True)
    return int(answer.status_code)


def refused(role: str, path: str, hidden: tuple[str, ...]) -> int:
    """How somebody is answered who may not: what they do not see is not there."""
    is_seen = not path.startswith(OF_COLLECTION) or role in SEE
    return 404 if path in hidden or not is_seen else 403


def test_the_table_has_every_address_of_no_study():
    below = "/api/v1/"
    described = {
        path.removeprefix(below): set(operations)
        for path, operations in description()["paths"].items()
        if not path.startswith(f"{below}studies/{{slug}}/")
    }
    assert {path: set(methods) for path, methods in MAY.items()} == described


def test_the_table_has_every_page_of_collections_and_files():
    rooms = ("/collections/", "/uploads/", "/imports/", "/archives/", "/opinions/")
    of_studies = {"/uploads/run/{slug}/"}
    there = {address for address in patterns() if address.startswith(rooms)} - of_studies
    assert there == {f"/{path}" for path in PAGES}


@pytest.mark.parametrize("role", [*ACCOUNTS, "anonymous"])
def test_who_may_do_what_by_rest(there, role):
    client = Client() if role == "anonymous" else with_token(there.people[role])
    for path, methods in MAY.items():
        for method, roles in methods.items():
            status = asked(client, method, f"/api/v1/{place(path, there)}")
            if role == "anonymous":
                assert status == 401, (method, path)
            elif role in roles:
                assert status < 300 or status in (400, 404, 409, 422), (method, path)
            else:
                assert status == refused(role, path, HIDDEN), (method, path)


def test_a_token_that_reads_changes_nothing(there):
    client = with_token(there.people[OWNER], Token.Scope.READ)
    for path, methods in MAY.items():
        for method, roles in methods.items():
            reads = method in ("get", "head") and OWNER in roles
            status = asked(client, method, f"/api/v1/{place(path, there)}")
            assert status == (200 if reads else 403), (method, path)


@pytest.mark.parametrize("role", [*ACCOUNTS, "anonymous"])
def test_who_sees_which_page(there, role):
    client = Client()
    if role != "anonymous":
        client.force_login(there.people[role])
    for path, methods in PAGES.items():
        for method, roles in methods.items():
            address = f"/{place(path, there)}"
            status = asked(client, method, address)
            if role == "anonymous":
                assert status == 302, (method, path)
            elif role in roles:
                assert status in (200, 302), (method, path)
            else:
                assert status == refused(role, path, HIDDEN_PAGES), (method, path)
