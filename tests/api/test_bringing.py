"""Files, runs, opinions, data sets and archives brought by REST."""

from pathlib import Path
from typing import Any

import pytest

from accounts.models import User
from evaluation.pipeline import evaluate
from judging.models import Collection, Run, Study
from tests.api.test_verbs import Api
from tests.api.test_workspace import upload
from tests.factory.completed import judged_study
from tests.workspace.leaving.conftest import archive_of
from workspace.models import Upload
from workspace.tasks import import_files

RUN = "401 Q0 D401-003 1 9 mine\n401 Q0 D401-001 2 8 mine\n999 Q0 x 1 1 mine\n"
LEVELS = "rater,topic,docno,verdict\nada,401,A,good\nben,401,A,bad\nada,401,B,bad\n"
COLUMNS = {"worker": "rater", "label": "verdict"}


@pytest.fixture(autouse=True)
def upload_dir(settings: Any, tmp_path: Path) -> None:
    settings.UPLOAD_DIR = str(tmp_path / "uploads")


@pytest.fixture
def rosa(db: None) -> User:
    return User.objects.create_user("rosa")


@pytest.fixture
def api(rosa: User) -> Api:
    return Api(rosa, "")


@pytest.fixture
def site(api: Api) -> Any:
    """Requests below /api/v1/."""
    return lambda *asked, **sent: api(*asked, site=True, **sent)


def ended(site: Any, job: dict[str, Any]) -> Any:
    """An import that was asked for, once it is over."""
    assert job["state"] == "waiting"
    assert import_files() == 1
    return site("get", f"imports/{job['id']}/")


def faults(site: Any, path: str, **sent: Any) -> dict[str, str]:
    problem = site("post", path, 400, **sent)
    return {fault["pointer"]: fault["detail"] for fault in problem["faults"]}


def test_ones_files_are_listed_with_what_they_look_like(api: Api, site: Any) -> None:
    key = upload(api.client, "mine.run", RUN)
    (listed,) = site("get", "uploads/")["results"]
    assert (listed["key"], listed["kind"], listed["size"]) == (key, "runs", len(RUN))
    assert site("get", f"uploads/{key}/") == listed
    upload(api.client, "other.run", RUN)
    first = site("get", "uploads/?page_size=1")
    assert first["results"] == [listed]
    (second,) = api.client.get(first["next"]).json()["results"]
    assert second["name"] == "other.run"
    Api(User.objects.create_user("otto"), "")("get", f"uploads/{key}/", 404, site=True)


def test_an_upload_is_begun_once_for_each_key_and_file(api: Api) -> None:
    def begin(length: int) -> Any:
        headers = {"Tus-Resumable": "1.0.0", "Upload-Length": str(length)}
        named = {"Upload-Metadata": "filename YQ==", "Idempotency-Key": "one"}
        return api.client.post("/api/v1/uploads/", headers=headers | named)

    first, again = begin(9), begin(9)
    assert (first.status_code, again["Location"]) == (201, first["Location"])
    assert Upload.objects.count() == 1
    assert begin(8).status_code == 422, "another file"


def test_a_run_is_ranked_and_kept_if_its_owner_asks(api: Api, rosa: User) -> None:
    study, _ = judged_study(3, topics=2, units=4, runs=3)
    evaluate(study)
    member = study.memberships.create(user=rosa, role="viewer")
    api.slug, key = study.slug, upload(api.client, "mine.run", RUN)
    dropped = api("post", "dropped-run/", upload=key, measure="nDCG@5")
    assert (dropped["name"], dropped["missing_topics"]) == ("mine", 1)
    assert (dropped["other_topics"], dropped["kept_by"]) == (["999"], None)
    runs = {system["run"] for system in dropped["ranking"]["results"]}
    assert runs == {"mine", *Run.objects.values_list("tag", flat=True)}
    assert api.faults("post", "dropped-run/", upload=key, measure="nGDC@5").keys() == {"#/measure"}
    assert api.faults("post", "dropped-run/", upload=key, gains="gold").keys() == {"#/gains"}
    assert "owner" in api.faults("post", "dropped-run/", upload=key, keep=True)["#/keep"]
    other = upload(api.client, "other.run", RUN.replace("40", "90"))
    assert "none that are judged" in api.faults("post", "dropped-run/", upload=other)["#/upload"]
    topics = upload(api.client, "topics.tsv", "1\tone\n2\ttwo\n")
    assert "topics.tsv" in api.faults("post", "dropped-run/", upload=topics)["#/upload"]
    Collection.objects.filter(pk=study.collection_id).update(owner=rosa)
    kept = api("post", "dropped-run/", upload=key, keep=True)["kept_by"]
    assert import_files() == 1
    assert api("get", f"imports/{kept}/", site=True)["state"] == "done"
    assert study.collection.runs.filter(tag="mine").exists()
    assert "There is no upload" in api.faults("post", "dropped-run/", upload=key)["#/upload"]
    member.delete()
    api("post", "dropped-run/", 404, upload=key)


def test_a_table_is_looked_at_and_becomes_a_study(api: Api, site: Any) -> None:
    key = upload(api.client, "labels.csv", LEVELS)
    table = site("get", f"uploads/{key}/table/")
    assert table["columns"] == ["rater", "topic", "docno", "verdict"]
    assert table["guessed"] == {"query_id": "topic", "doc_id": "docno"}
    assert table["rows"][0] == ["ada", "401", "A", "good"]
    wanted = {"upload": key, "study": "elsewhere", "collection": "home", "columns": COLUMNS}
    refused = faults(site, "imports/opinions/", **wanted, levels=["bad", "good"], zero=0.5)
    assert refused.keys() == {"#/zero"}
    assert faults(site, "imports/opinions/", **wanted, values=["1"]).keys() == {"#/values"}
    other = {**wanted, "columns": {"worker": "nobody", "label": "verdict"}}
    assert faults(site, "imports/opinions/", **other, levels=["bad", "good"]) == {
        "#/columns": "labels.csv has no column nobody; there are rater, topic, docno, verdict."
    }
    assert faults(site, "imports/opinions/", **{**wanted, "columns": {"who": "x"}}).keys() == {
        "#/columns/who"
    }
    job = site("post", "imports/opinions/", 202, **wanted, levels=["bad", "good"], title="Of old")
    done = ended(site, job)
    assert (done["what"], done["fault"], done["result"]["rows"]) == ("opinions", "", 3)
    study = Study.objects.get(slug="elsewhere")
    assert (study.title, study.levels, study.is_imported) == ("Of old", ["bad", "good"], True)
    assert "There is no upload" in faults(site, "imports/opinions/", **wanted)["#/upload"]


def test_data_sets_on_offer(api: Api, site: Any, settings: Any) -> None:
    assert site("get", "datasets/") == []
    settings.IR_DATASETS = {"nowhere": "5"}
    (offered,) = site("get", "datasets/")
    assert (offered["name"], offered["most"], offered["documents"]) == ("nowhere", 5, None)
    asked = {"collection": "home", "dataset": "elsewhere"}
    assert faults(site, "imports/dataset/", **asked).keys() == {"#/dataset"}
    assert faults(site, "imports/dataset/", **(asked | {"collection": "new"})).keys() == {
        "#/collection"
    }
    asked["dataset"], once = "nowhere", {"Idempotency-Key": "one data set"}
    job, again = (
        api.client.post(
            "/api/v1/imports/dataset/", asked, content_type="application/json", headers=once
        )
        for _ in range(2)
    )
    assert (job.status_code, again.content) == (202, job.content)
    job = job.json()
    assert (job["what"], job["state"]) == ("dataset", "waiting")
    assert ended(site, job)["state"] == "failed"


def test_an_archive_is_imported_under_other_names(api: Api, site: Any, tmp_path: Path) -> None:
    study, _ = judged_study(3, topics=1, units=2, runs=1)
    packed = archive_of(study, tmp_path / "a.zip").read_bytes()
    key = upload(api.client, "a.zip", packed)
    assert faults(site, "imports/archive/", upload=key).keys() == {"#/study"}
    named = {"upload": key, "study": "moved"}
    assert faults(site, "imports/archive/", **named).keys() == {"#/collection"}
    done = ended(site, site("post", "imports/archive/", 202, **named, collection="moved"))
    assert (done["state"], done["result"]["study"]) == ("done", "moved")
    assert site("get", "studies/moved/")["collection"] == "moved"
    text = upload(api.client, "mine.run", RUN)
    assert "damaged" in faults(site, "imports/archive/", upload=text)["#/upload"]
