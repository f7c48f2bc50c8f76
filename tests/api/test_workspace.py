"""Collections, imports, costs, forecasts, rehearsals, releases and archives by REST."""

import io
import zipfile
from base64 import b64encode
from typing import Any

import pytest
from django.test import Client

from accounts.models import User
from evaluation.pipeline import evaluate
from judging.models import Study
from tests.api.test_verbs import Api
from tests.factory import make_study
from tests.factory.completed import complete
from workspace.imports.importing import import_next
from workspace.tasks import IMPORTS

pytestmark = pytest.mark.django_db
TOPICS = "".join(f"{number}\ttopic {number}\n" for number in (1, 2))
DOCUMENTS = "".join(f"d{number}\tText of document {number}.\n" for number in range(9))


@pytest.fixture
def rosa(db: None) -> User:
    return User.objects.create_user("rosa")


@pytest.fixture
def site(rosa: User) -> Any:
    """Requests to the site, as somebody with an account."""
    api = Api(rosa, "")

    def ask(method: str, path: str, status: int = 200, **sent: Any) -> Any:
        return api(method, path, status, site=True, **sent)

    ask.client = api.client  # type: ignore[attr-defined]
    return ask


@pytest.fixture
def api(rosa: User) -> Api:
    study = make_study()
    study.memberships.create(user=rosa, role="owner")
    return Api(rosa, study.slug)


def upload(client: Client, name: str, text: str | bytes) -> str:
    """Send a file by tus; returns the key of the upload."""
    tus = {"Tus-Resumable": "1.0.0"}
    about = {"Upload-Metadata": f"filename {b64encode(name.encode()).decode()}"}
    begun = client.post(
        "/api/v1/uploads/", headers={**tus, **about, "Upload-Length": str(len(text))}
    )
    assert begun.status_code == 201, begun.content
    sent = client.patch(
        begun["Location"],
        text,
        content_type="application/offset+octet-stream",
        headers={**tus, "Upload-Offset": "0"},
    )
    assert sent.status_code == 204, sent.content
    return str(begun["Location"]).rstrip("/").rsplit("/", 1)[1]


def test_files_become_a_collection_that_is_shared_renamed_and_deleted(
    site: Any, settings: Any, tmp_path: Any
) -> None:
    settings.UPLOAD_DIR = str(tmp_path)
    files = [
        {"upload": upload(site.client, "topics.tsv", TOPICS), "kind": "topics"},
        {"upload": upload(site.client, "documents.tsv", DOCUMENTS), "kind": "documents"},
    ]
    job = site("post", "imports/", 202, collection="mine", files=files)
    assert job["state"] == "waiting"
    import_next(IMPORTS)
    done = site("get", f"imports/{job['id']}/")
    assert (done["state"], done["fault"], done["progress"]) == ("done", "", 1)
    content = site("get", "collections/mine/")
    assert content["documents"] == 9
    assert [row["query_id"] for row in content["topics"]] == ["1", "2"]
    refused = site("post", "imports/", 400, collection="mine", files=files)
    assert [fault["pointer"] for fault in refused["faults"]] == ["#/files"]
    otto = User.objects.create_user("otto")
    other = Api(otto, "")
    other("get", "collections/mine/", 404, site=True)
    assert site("post", "collections/mine/share/", username="otto")["shared_with"] == ["otto"]
    assert other("get", "collections/mine/", site=True)["shared_with"] == []
    other("post", "collections/mine/rename/", 403, site=True, slug="yours")
    assert site("post", "collections/mine/rename/", slug="ours")["slug"] == "ours"
    assert site("post", "collections/ours/unshare/", username="otto")["shared_with"] == []
    assert "Type the name" in site("delete", "collections/ours/", 409)["detail"]
    assert site("delete", "collections/ours/?typed=ours")["deleted"]["document"] == 9


def test_what_a_study_costs_and_will_tell(api: Api) -> None:
    costs = api("get", "costs/")
    assert costs["units"] == Study.objects.get(slug=api.slug).units.count()
    assert float(costs["total"]) == pytest.approx(float(costs["paid"]) + float(costs["fee"]))
    api("get", "forecast/", 404)
    assert api("post", "forecast/", 202, replications=50)["state"] == "waiting"
    assert api("get", "forecast/")["replications"] == 50
    assert "expected a study" in api("post", "forecast/", 409, pilot="nowhere")["detail"]


def test_a_rehearsal_is_made_and_deleted(api: Api) -> None:
    made = api("post", "rehearsals/", 201, slug="try", units=1)
    assert (made["slug"], made["rehearsal_of"], made["stage"]) == ("try", api.slug, "open")
    assert [row["slug"] for row in api("get", "rehearsals/")["results"]] == ["try"]
    assert api.faults("post", "rehearsals/", topics=["999"]).keys() == {"#/topics"}
    api("delete", "rehearsals/try/", 204)
    api("delete", "rehearsals/try/", 404)


def names(response: Any) -> set[str]:
    assert response.status_code == 200
    assert response["Content-Type"] == "application/zip"
    packed = zipfile.ZipFile(io.BytesIO(b"".join(response)))
    assert packed.testzip() is None
    return set(packed.namelist())


def test_a_release_and_an_archive(api: Api, rosa: User) -> None:
    def taken(what: str, **body: Any) -> Any:
        address = f"/api/v1/studies/{api.slug}/{what}/"
        return api.client.post(address, body, content_type="application/json")

    assert "no judgments" in api("post", "release/", 409)["detail"]
    study = Study.objects.get(slug=api.slug)
    complete(study, "ada")
    evaluate(study)
    before = study.trail.count()
    for what in ("release/", "archive-file/"):
        api("get", what, 405)
    assert study.trail.count() == before
    released = names(taken("release", justifications=True, authors=["A", "B"]))
    assert f"{api.slug}/judgments.csv" in released
    assert study.trail.latest("id").action == "made a release"
    archived = names(taken("archive-file"))
    assert "judgments.jsonl" in archived
    assert study.trail.latest("id").action == "exported an archive"
    passphrase = "over the rosy hills and far away"
    assert taken("archive-file", passphrase=passphrase).status_code == 403
    rosa.memberships.update(sees_platform_ids=True)
    sealed = names(taken("archive-file", passphrase=passphrase))
    assert len(sealed - archived) == 1
    assert taken("archive-file", passphrase="x").json()["faults"][0]["pointer"] == "#/passphrase"
