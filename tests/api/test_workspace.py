"""Files, runs, opinions, data sets and archives brought by REST; costs, rehearsals, releases."""

import io
import zipfile
from base64 import b64encode
from typing import Any

import pytest
from django.test import Client

from accounts.models import User
from evaluation.pipeline import evaluate
from judging.models import Collection, Run, Study
from tests.desks import Api, body_of, member
from tests.factory import make_study
from tests.factory.completed import complete, judged_study
from tests.workspace.leaving.conftest import archive_of
from workspace.models import Upload
from workspace.tasks import import_files

pytestmark = pytest.mark.django_db
TOPICS = "".join(f"{number}\ttopic {number}\n" for number in (1, 2))
DOCUMENTS = "".join(f"d{number}\tText of document {number}.\n" for number in range(9))
RUN = "401 Q0 D401-003 1 9 mine\n401 Q0 D401-001 2 8 mine\n999 Q0 x 1 1 mine\n"
LEVELS = "rater,topic,docno,verdict\nada,401,A,good\nben,401,A,bad\nada,401,B,bad\n"
COLUMNS = {"worker": "rater", "label": "verdict"}


@pytest.fixture(autouse=True)
def _upload_dir(settings, tmp_path):
    settings.UPLOAD_DIR = str(tmp_path / "uploads")


@pytest.fixture
def rosa(db):
    return User.objects.create_user("rosa")


@pytest.fixture
def api(rosa):
    return Api(rosa)


@pytest.fixture
def owner(db):
    """The owner of an open study."""
    study = make_study()
    return Api(member(study, name="olga"), study.slug)


def upload(client: Client, name: str, text: str | bytes) -> str:
    """Send a file by tus; returns the key of the upload."""
    tus = {"Tus-Resumable": "1.0.0"}
    about = {"Upload-Metadata": f"filename {b64encode(name.encode()).decode()}"}
    length = {"Upload-Length": str(len(text))}
    begun = client.post("/api/v1/uploads/", headers=tus | about | length)
    assert begun.status_code == 201, begun.content
    sent = client.patch(
        begun["Location"],
        text,
        content_type="application/offset+octet-stream",
        headers=tus | {"Upload-Offset": "0"},
    )
    assert sent.status_code == 204, sent.content
    return str(begun["Location"]).rstrip("/").rsplit("/", 1)[1]


def ended(api: Api, job: dict[str, Any]) -> Any:
    """An import that was asked for, once it is over."""
    assert job["state"] == "waiting"
    assert import_files() == 1
    return api.site("get", f"imports/{job['id']}/")


def test_files_become_a_collection_that_is_shared_renamed_and_deleted(api):
    files = [
        {"upload": upload(api.client, "topics.tsv", TOPICS), "kind": "topics"},
        {"upload": upload(api.client, "documents.tsv", DOCUMENTS), "kind": "documents"},
    ]
    done = ended(api, api.site("post", "imports/", 202, collection="mine", files=files))
    assert (done["state"], done["fault"], done["progress"]) == ("done", "", 1)
    content = api.site("get", "collections/mine/")
    assert content["documents"] == 9
    assert [row["query_id"] for row in content["topics"]] == ["1", "2"]
    refused = api.faults("post", "imports/", site=True, collection="mine", files=files)
    assert refused.keys() == {"#/files"}
    other = Api(User.objects.create_user("otto"))
    other.site("get", "collections/mine/", 404)
    assert api.site("post", "collections/mine/share/", username="otto")["shared_with"] == ["otto"]
    assert other.site("get", "collections/mine/")["shared_with"] == []
    other.site("post", "collections/mine/rename/", 403, slug="yours")
    assert api.site("post", "collections/mine/rename/", slug="ours")["slug"] == "ours"
    assert api.site("post", "collections/ours/unshare/", username="otto")["shared_with"] == []
    assert "Type the name" in api.site("delete", "collections/ours/", 409)["detail"]
    assert api.site("delete", "collections/ours/?typed=ours")["deleted"]["document"] == 9


def test_ones_files_are_listed_with_what_they_look_like(api):
    key = upload(api.client, "mine.run", RUN)
    (listed,) = api.site("get", "uploads/")["results"]
    assert (listed["key"], listed["kind"], listed["size"]) == (key, "runs", len(RUN))
    assert api.site("get", f"uploads/{key}/") == listed
    upload(api.client, "other.run", RUN)
    first = api.site("get", "uploads/?page_size=1")
    assert first["results"] == [listed]
    (second,) = api.client.get(first["next"]).json()["results"]
    assert second["name"] == "other.run"
    Api(User.objects.create_user("otto")).site("get", f"uploads/{key}/", 404)


def test_an_upload_is_begun_once_for_each_key_and_file(api):
    def begin(length):
        headers = {"Tus-Resumable": "1.0.0", "Upload-Length": str(length)}
        named = {"Upload-Metadata": "filename YQ==", "Idempotency-Key": "one"}
        return api.client.post("/api/v1/uploads/", headers=headers | named)

    first, again = begin(9), begin(9)
    assert (first.status_code, again["Location"]) == (201, first["Location"])
    assert Upload.objects.count() == 1
    assert begin(8).status_code == 422, "another file"


def test_a_run_is_ranked_and_kept_if_its_owner_asks(api, rosa):
    study, _ = judged_study(3, topics=2, units=4, runs=3)
    evaluate(study)
    study.memberships.create(user=rosa, role="viewer")
    api.slug, key = study.slug, upload(api.client, "mine.run", RUN)
    dropped = api("post", "dropped-run/", upload=key, measure="nDCG@5")
    assert (dropped["name"], dropped["missing_topics"]) == ("mine", 1)
    assert (dropped["other_topics"], dropped["kept_by"]) == (["999"], None)
    runs = {system["run"] for system in dropped["ranking"]["results"]}
    assert runs == {"mine", *Run.objects.values_list("tag", flat=True)}
    other = upload(api.client, "other.run", RUN.replace("40", "90"))
    topics = upload(api.client, "topics.tsv", "1\tone\n2\ttwo\n")
    for sent, pointer, why in (
        ({"upload": key, "measure": "nGDC@5"}, "#/measure", ""),
        ({"upload": key, "gains": "gold"}, "#/gains", ""),
        ({"upload": key, "keep": True}, "#/keep", "owner"),
        ({"upload": other}, "#/upload", "none that are judged"),
        ({"upload": topics}, "#/upload", "topics.tsv"),
    ):
        faults = api.faults("post", "dropped-run/", **sent)
        assert why in faults[pointer]
    Collection.objects.filter(pk=study.collection_id).update(owner=rosa)
    kept = api("post", "dropped-run/", upload=key, keep=True)["kept_by"]
    assert import_files() == 1
    assert api.site("get", f"imports/{kept}/")["state"] == "done"
    assert study.collection.runs.filter(tag="mine").exists()
    assert "There is no upload" in api.faults("post", "dropped-run/", upload=key)["#/upload"]
    study.memberships.all().delete()
    api("post", "dropped-run/", 404, upload=key)


def test_a_table_is_looked_at_and_becomes_a_study(api):
    key = upload(api.client, "labels.csv", LEVELS)
    table = api.site("get", f"uploads/{key}/table/")
    assert table["columns"] == ["rater", "topic", "docno", "verdict"]
    assert table["guessed"] == {"query_id": "topic", "doc_id": "docno"}
    assert table["rows"][0] == ["ada", "401", "A", "good"]
    wanted = {"upload": key, "study": "elsewhere", "collection": "home", "columns": COLUMNS}
    levels = {"levels": ["bad", "good"]}
    no_column = "labels.csv has no column nobody; there are rater, topic, docno, verdict."
    for sent, pointer, why in (
        ({**levels, "zero": 0.5}, "#/zero", ""),
        ({"values": ["1"]}, "#/values", ""),
        ({**levels, "columns": COLUMNS | {"worker": "nobody"}}, "#/columns", no_column),
        ({"columns": {"who": "x"}}, "#/columns/who", ""),
    ):
        faults = api.faults("post", "imports/opinions/", site=True, **wanted | sent)
        assert faults.keys() == {pointer}
        assert why in faults[pointer]
    job = api.site("post", "imports/opinions/", 202, **wanted, **levels, title="Of old")
    done = ended(api, job)
    assert (done["what"], done["fault"], done["result"]["rows"]) == ("opinions", "", 3)
    study = Study.objects.get(slug="elsewhere")
    assert (study.title, study.levels, study.is_imported) == ("Of old", ["bad", "good"], True)
    gone = api.faults("post", "imports/opinions/", site=True, **wanted)
    assert "There is no upload" in gone["#/upload"]


def test_data_sets_on_offer(api, settings):
    assert api.site("get", "datasets/") == []
    settings.IR_DATASETS = {"nowhere": "5"}
    (offered,) = api.site("get", "datasets/")
    assert (offered["name"], offered["most"], offered["documents"]) == ("nowhere", 5, None)
    address, asked = "imports/dataset/", {"collection": "home", "dataset": "nowhere"}
    for wrong in ({"dataset": "elsewhere"}, {"collection": "new"}):
        faults = api.faults("post", address, site=True, **asked | wrong)
        assert faults.keys() == {f"#/{name}" for name in wrong}
    sent = {"content_type": "application/json", "headers": {"Idempotency-Key": "one data set"}}
    job, again = (api.client.post(f"/api/v1/{address}", asked, **sent) for _ in range(2))
    assert (job.status_code, again.content) == (202, job.content)
    assert job.json()["what"] == "dataset"
    assert ended(api, job.json())["state"] == "failed"


def test_an_archive_is_imported_under_other_names(api, tmp_path):
    study, _ = judged_study(3, topics=1, units=2, runs=1)
    packed = archive_of(study, tmp_path / "a.zip").read_bytes()
    named: dict[str, str] = {"upload": upload(api.client, "a.zip", packed)}
    for lacks in ("study", "collection"):
        faults = api.faults("post", "imports/archive/", site=True, **named)
        assert faults.keys() == {f"#/{lacks}"}
        named[lacks] = "moved"
    done = ended(api, api.site("post", "imports/archive/", 202, **named))
    assert (done["state"], done["result"]["study"]) == ("done", "moved")
    assert api.site("get", "studies/moved/")["collection"] == "moved"
    text = upload(api.client, "mine.run", RUN)
    refused = api.faults("post", "imports/archive/", site=True, upload=text)
    assert "damaged" in refused["#/upload"]


# --- a study --------------------------------------------------------------------------------------
def test_what_a_study_costs_and_will_tell(owner):
    costs = owner("get", "costs/")
    assert costs["units"] == Study.objects.get(slug=owner.slug).units.count()
    assert float(costs["total"]) == pytest.approx(float(costs["paid"]) + float(costs["fee"]))
    owner("get", "forecast/", 404)
    assert owner("post", "forecast/", 202, replications=50)["state"] == "waiting"
    assert owner("get", "forecast/")["replications"] == 50
    assert "expected a study" in owner("post", "forecast/", 409, pilot="nowhere")["detail"]


def test_a_rehearsal_is_made_and_deleted(owner):
    made = owner("post", "rehearsals/", 201, slug="try", units=1)
    assert (made["slug"], made["rehearsal_of"], made["stage"]) == ("try", owner.slug, "open")
    assert [row["slug"] for row in owner("get", "rehearsals/")["results"]] == ["try"]
    assert owner.faults("post", "rehearsals/", topics=["999"]).keys() == {"#/topics"}
    owner("delete", "rehearsals/try/", 204)
    owner("delete", "rehearsals/try/", 404)


def names(response: Any) -> set[str]:
    assert response.status_code == 200
    assert response["Content-Type"] == "application/zip"
    packed = zipfile.ZipFile(io.BytesIO(body_of(response)))
    assert packed.testzip() is None
    return set(packed.namelist())


def test_a_release_and_an_archive(owner):
    def taken(what, **body):
        address = f"/api/v1/studies/{owner.slug}/{what}/"
        return owner.client.post(address, body, content_type="application/json")

    assert "no judgments" in owner("post", "release/", 409)["detail"]
    study = Study.objects.get(slug=owner.slug)
    complete(study, "ada")
    evaluate(study)
    before = study.trail.count()
    for what in ("release/", "archive-file/"):
        owner("get", what, 405)
    assert study.trail.count() == before
    released = names(taken("release", justifications=True, authors=["A", "B"]))
    assert f"{owner.slug}/judgments.csv" in released
    assert study.trail.latest("id").action == "made a release"
    assert taken("release", authors=["A"] * 501).status_code == 400
    archived = names(taken("archive-file"))
    assert "judgments.jsonl" in archived
    assert study.trail.latest("id").action == "exported an archive"
    passphrase = "over the rosy hills and far away"
    assert taken("archive-file", passphrase=passphrase).status_code == 403
    study.memberships.update(sees_platform_ids=True)
    sealed = names(taken("archive-file", passphrase=passphrase))
    assert len(sealed - archived) == 1
    assert taken("archive-file", passphrase="x").json()["faults"][0]["pointer"] == "#/passphrase"
