"""From files to a study and through its life, by the client: what the site then has."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import httpx
import pandas as pd
import pytest
from django.test import override_settings
from hypothesis import given
from hypothesis import strategies as st

from accounts.models import Token, User
from accounts.tokens import make_token
from evaluation.pipeline import evaluate
from evaluation.publishing import exports
from judging.models import Label, Study, TrailEntry
from magnitudes.client import ImportFailed, Refused, Site, uploads
from magnitudes.client.part import in_address
from magnitudes.client.tables import topic_tables
from tests.database import there_for_all
from tests.factory.completed import complete
from tests.magnitudes.client.inside import Answer, Broken, answered
from web.urls import IdConverter
from workspace.models import Upload

pytestmark = pytest.mark.django_db
DEMO = Path(__file__).parents[3] / "demo"
FILES = {"topics": DEMO / "topics.trec", "documents": DEMO / "documents.trec"}
QRELS = {"experts": DEMO / "qrels.txt"}
RUNS = [DEMO / "runs" / name for name in ("grams.run", "latent.run", "reader-small.run")]


def at(token: str, answer: Answer = answered) -> Site:
    return Site("http://localhost", token, transport=httpx.MockTransport(answer))


@pytest.fixture(scope="module", autouse=True)
def upload_dir(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with override_settings(UPLOAD_DIR=str(tmp_path_factory.mktemp("uploads"))):
        yield


@pytest.fixture(scope="module")
def token(django_db_setup: None, django_db_blocker: Any) -> Iterator[str]:
    """Of Rosa, who is no admin and has a collection."""
    with there_for_all(django_db_blocker):
        rosa = User.objects.create_user("rosa")
        secret = make_token(rosa, "script", Token.Scope.WRITE, days=1)
        at(secret).import_collection("bread", **FILES, qrels=QRELS, runs=RUNS)
        yield secret


@pytest.fixture
def site(token: str) -> Site:
    return at(token)


@pytest.fixture
def draft(site: Site) -> Any:
    settings = {"demo": False, "redundancy": 1, "labels": "experts"}
    return site.make_study("mine", "bread", DEMO / "study.toml", **settings)


def test_files_and_frames_become_a_collection(site: Site) -> None:
    content = site.get("collections/bread/")
    assert (len(content["topics"]), len(content["runs"])) == (12, 3)
    assert [labels["name"] for labels in content["label_sets"]] == ["experts"]
    sentences: list[str] = []
    labels = pd.read_csv(
        DEMO / "qrels.txt", sep=" ", names=["query_id", "_", "doc_id", "relevance"], dtype=str
    )
    brought = site.import_collection(
        "bread", qrels={"again": labels.drop(columns="_")}, progress=sentences.append
    )
    assert brought["labels"] == {"again": len(labels)}
    assert sentences == ["labels.csv: sent 100%", "bread: done, 100%"]
    rows = Label.objects.values_list("topic__query_id", "doc_id", "level")
    of_set = {name: set(rows.filter(label_set__name=name)) for name in ("experts", "again")}
    assert of_set["again"] == of_set["experts"] != set()


def test_a_fault_is_told_by_file_and_line(site: Site, tmp_path: Path) -> None:
    bad = tmp_path / "bad.run"
    bad.write_text("901 Q0 D001 1 9.5 x\n901 Q0 D002 2 high x\n")
    with pytest.raises(ImportFailed, match=r"bad\.run, line 2: .*expected") as failed:
        site.import_collection("fresh", topics=FILES["topics"], runs=bad)
    assert (failed.value.file, failed.value.line) == ("bad.run", 2)
    assert list(site.collections().index) == ["bread"]
    picture = tmp_path / "picture.png"
    picture.write_bytes(b"\x89PNG\r\n\x1a\n\x00\x00")
    with pytest.raises(Refused, match=r"422 .*picture\.png") as refused:
        site.import_collection("fresh", runs=picture)
    assert refused.value.status == 422


def test_a_broken_upload_goes_on_where_it_stopped(
    token: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uploads, "PIECE", 45_000)
    broken = Broken("PATCH", "/")
    key = uploads.upload(at(token, broken), FILES["documents"], "documents")
    whole = Upload.objects.get(key=key)
    assert whole.path.read_bytes() == FILES["documents"].read_bytes()
    assert broken.sent == 3, "no piece was sent again"


def test_what_is_done_is_done_once(token: str, draft: Any) -> None:
    broken = Broken("POST", "/clone/")
    at(token, broken).study("mine").clone("copy", "A copy")
    assert broken.sent == 2
    assert TrailEntry.objects.filter(study__slug="copy", action="cloned").count() == 1


def test_the_client_waits_where_the_site_asks_to(token: str, tmp_path: Path) -> None:
    answers = iter([429, 503, 200])

    def busy(request: httpx.Request) -> httpx.Response:
        status = next(answers, 429)
        return httpx.Response(status, headers={"Retry-After": "0"}, text="late")

    assert at(token, busy).save("files/x.csv", tmp_path / "x.csv").read_text() == "late"
    with pytest.raises(Refused, match="429"):
        at(token, busy).get("studies/")


def test_a_study_from_draft_to_end(site: Site, draft: Any) -> None:
    draft.choose_topics(["901", "902"])
    draft.change(title="Bread", payment="0.30", pool_depth=8)
    assert list(draft.missing()["step"]) == ["plan", "plan"]
    with pytest.raises(Refused, match="Topic 902 has no units"):
        draft.open(draft.terms()["confirm"])
    plan = draft.plan(seed=7)
    assert plan["units"] == draft.costs()["units"] == Study.objects.get().units.count()
    draft.discard_plan()
    assert draft.plan(seed=7).equals(plan)
    assert draft.missing().empty
    draft.open(draft.terms()["confirm"], low_pay_reason="As in the demonstration.")
    study = Study.objects.get(slug="mine")
    complete(study, "ada")
    ben = complete(study, "ben")
    evaluate(study)
    draft.pause()
    draft.resume()
    draft.raise_payment(0.40)
    judged = draft.judgments().query("role == 'other'").head(2)
    batch = draft.add_batch(2, judged, seed=1)
    assert sum(map(len, batch["documents"].values())) == 2
    assert list(draft.batches().index) == [1]
    draft.exclude(ben.worker.pseudonym, "The same text in every field.")
    assert list(draft.exclusions().index) == [ben.worker.pseudonym]
    draft.take_back_exclusion(ben.worker.pseudonym)
    assert draft.exclusions().empty
    draft.count_judgments(all_judgments=True)
    assert draft.withdraw(ben.assignment.completion_code)["state"] == "withdrawn"
    pays_of_people(draft)
    with pytest.raises(Refused, match="final"):
        draft.close(final=False)
    draft.close(final=True)
    draft.archive()
    draft.unarchive()
    actions = list(draft.trail()["action"])
    assert actions == list(TrailEntry.objects.order_by("id").values_list("action", flat=True))
    assert "closed" in actions


def pays_of_people(draft: Any) -> None:
    """Two payments of 0.30: one is paid, the other refused, owed again and approved."""
    first, second = draft.payments().index
    assert draft.mark_paid([first])["changed"] == 1
    draft.refuse_payment(second, "other", "No unit of theirs is about the topic.")
    assert list(draft.payments(state="refused").index) == [second]
    assert draft.owe_again([second])["changed"] == 1
    assert draft.approve_payments(names="FFFF")["unknown"] == ["FFFF"]
    assert draft.approve_payments([second])["changed"] == 1
    sums = draft.pay().set_index("state")
    assert dict(sums["amount"]) == {"owed": 0, "approved": 0.3, "paid": 0.3, "refused": 0}


def test_pools_and_anchors_are_proposed(draft: Any) -> None:
    before = draft.topics()
    pools = draft.pools(1, 5)
    assert list(pools.index) == [1, 5]
    assert pools["documents"].is_monotonic_increasing
    assert pools.loc[5, "unjudged@5"] == 0 < pools.loc[1, "unjudged@5"]
    draft.change_topics(before[["h_k", "n_k"]].loc[["901"]].assign(h_k="", n_k=""))
    proposals = draft.proposals("901")
    assert draft.take_anchors() == []
    first = proposals.drop_duplicates("anchor").set_index("anchor")["doc_id"]
    assert draft.topics().loc["901", ["h_k", "n_k"]].tolist() == first[["h_k", "n_k"]].tolist()
    draft.change_topics(before.rename(columns={"h_k": "n_k", "n_k": "h_k"})[["h_k", "n_k"]])
    assert "labelled" in draft.warnings()["what"].iloc[0]
    reason = "Read by Rosa: the labels are wrong."
    draft.accept_anchors("901", reason)
    assert draft.topics().loc["901", "anchors_reason"] == reason


def test_questions_and_anchors_come_as_a_table(site: Site, draft: Any) -> None:
    before = draft.topics()
    options = {f"option_{number}": [f"{number}"] for number in range(1, 5)}
    table = pd.DataFrame({"query_id": ["902"], "question": ["Why?"], "answer": ["3"], **options})
    draft.change_topics(table)
    after = draft.topics()
    assert after.loc["902", ["question", "options", "answer"]].tolist() == [
        "Why?",
        ["1", "2", "3", "4"],
        "3",
    ]
    assert after.loc["902", "h_k"] == before.loc["902", "h_k"]
    assert after.drop("902").equals(before.drop("902"))
    draft.change_topics(before)
    assert draft.topics().equals(before)
    swapped = before.rename(columns={"h_k": "n_k", "n_k": "h_k"})[["h_k", "n_k"]]
    swapped.loc["903", "h_k"] = "nowhere"
    with pytest.raises(Refused, match="nowhere stands in neither") as refused:
        draft.change_topics(swapped)
    assert [fault["pointer"] for fault in refused.value.faults] == ["#/topics/903"]
    assert draft.topics().equals(before), "nothing half done"
    draft.plan()
    draft.change_topics(before[["question"]] + "!")
    assert draft.topics()["question"].equals(before["question"] + "!")
    with pytest.raises(Refused, match="discard the plan"):
        draft.change_topics(before.rename(columns={"h_k": "n_k", "n_k": "h_k"})[["h_k", "n_k"]])


@pytest.mark.parametrize(
    ("columns", "fault"),
    [
        ({"question": ["?"]}, "expected query_id"),
        ({"query_id": ["1"], "level": [2]}, r"\['level'\]; expected some of"),
        ({"query_id": ["1", "1"], "question": ["?", "!"]}, r"twice: \['1'\]"),
    ],
)
def test_other_tables_are_refused(columns: dict[str, list[Any]], fault: str) -> None:
    with pytest.raises(ValueError, match=fault):
        topic_tables(pd.DataFrame(columns))


def test_settings_that_are_wrong_are_pointed_at(site: Site, draft: Any) -> None:
    with pytest.raises(Refused) as refused:
        draft.change(unit_size=1, pool_by="luck")
    assert {fault["pointer"] for fault in refused.value.faults} == {"#/unit_size", "#/pool_by"}
    config = draft.config()
    draft.configure(config | {"title": "Other"})
    assert draft.config() == config | {"title": "Other"}
    draft.rename("yours")
    assert draft.settings()["title"] == "Other"
    draft.delete()
    assert site.studies().empty


def test_files_are_saved_whole_or_not_at_all(site: Site, draft: Any, tmp_path: Path) -> None:
    draft.plan()
    draft.change(payment=3)
    draft.open(draft.terms()["confirm"])
    study = Study.objects.get()
    complete(study, "ada")
    evaluate(study)
    for name in ("judgments.csv", "qrels.trec"):
        assert name in draft.files()
        to = draft.save_file(name, tmp_path / name)
        assert to.read_text() == "".join(exports.lines(study, *name.split(".")))
    with pytest.raises(Refused, match="measure"):
        draft.save_file("rankings.csv", tmp_path / "rankings.csv", measure="nGDC@10")
    assert draft.save_archive(tmp_path / "mine.zip").read_bytes()[:2] == b"PK"
    release = draft.save_release(tmp_path / "release.zip", authors=["Ada", "Ben"])
    with ZipFile(release) as folder:
        (citation,) = (name for name in folder.namelist() if name.endswith("CITATION.cff"))
        assert "Ben" in folder.read(citation).decode()
    site.import_archive(tmp_path / "mine.zip", study="moved", collection="moved")
    assert site.study("moved").judgments()["score"].equals(draft.judgments()["score"])
    run = tmp_path / "own.run"
    query_id = draft.judgments()["query_id"].iloc[0]
    run.write_text(f"{query_id} Q0 D001 1 9 own\n")
    assert site.collections().loc["bread", "runs"].count("own") == 0
    ranking = draft.rank_run(run, "nDCG@5", keep=True)
    assert (ranking.attrs["name"], "own" in ranking.index) == ("own", True)
    assert site.datasets().empty
    run.unlink()
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {"judgments.csv", "qrels.trec", "mine.zip", "release.zip"}


@given(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1))
def test_names_stand_in_addresses_as_the_site_reads_them(name: str) -> None:
    assert IdConverter().to_python(in_address(name)) == name
    assert not set(in_address(name)) & set("/%.?#")
