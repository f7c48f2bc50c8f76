"""Labels given elsewhere as a study: all or nothing, again, in the place of others, at once."""

import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from judging.collections import opinion_counts, vocabulary
from judging.collections.importing import import_collection
from judging.collections.opinions import CannotImport, Imported, import_opinions
from judging.models import Collection, Opinion, PooledDocument, Study, Topic, Worker
from judging.studies.conduct.closing import close_study
from judging.studies.conduct.opening import open_study
from judging.studies.configuration.settings import BadStudy
from judging.studies.unit_plans import CannotPlan, plan
from magnitudes.files.containers.archives import open_members
from magnitudes.files.labels.opinions import read_opinions
from magnitudes.files.labels.scales import Scale
from tests.database import at_once
from tests.factory import make_study
from tests.judging.importing.files import Files

pytestmark = pytest.mark.django_db
LEVELS = ["Non", "Rel", "HRel"]
HEAD = "worker,query_id,doc_id,label,aspect,occasion\n"
ROWS = (
    "anna,401,D1,2,page,\n"
    "ben,401,D1,-2,page,\n"
    "anna,402,D1,0,snippet,\n"
    "anna,401,D1,1,page,again\n"
    "cleo,401,D2,1,,\n"
)


@pytest.fixture
def bring(tmp_path: Path) -> Callable[..., Imported]:
    """Import rows, as the command does."""

    def bring(rows: str = ROWS, slug: str = "elsewhere", collection: str = "web", **how):
        levels = how.pop("levels", LEVELS)
        file = tmp_path / f"{slug}-{collection}.csv"
        file.write_text(HEAD + rows)
        read = read_opinions(open_members([file]), Scale(levels))
        return import_opinions(slug, collection, read, levels, **how)

    return bring


def held(slug: str = "elsewhere") -> list[tuple]:
    of = Opinion.objects.filter(study_topic__study__slug=slug).order_by("id")
    names = ("worker__pseudonym", "study_topic__topic__query_id", "document__doc_id")
    return list(of.values_list(*names, "level", "aspect", "occasion"))


HELD = [
    ("anna", "401", "D1", 2, "page", ""),
    ("ben", "401", "D1", None, "page", ""),
    ("anna", "402", "D1", 0, "snippet", ""),
    ("anna", "401", "D1", 1, "page", "again"),
    ("cleo", "401", "D2", 1, "", ""),
]


def test_labels_become_a_study(bring):
    done = bring(title="Crowd of 2010")
    study = Study.objects.get(slug="elsewhere")
    assert held() == HELD
    assert (study.title, study.crowd, study.stage) == ("Crowd of 2010", "imported", "closed")
    assert (study.scale, study.levels, study.is_imported) == ("graded", LEVELS, True)
    assert study.mark == "imported"
    assert [topic.revision for topic in study.topics.all()] == [1, 1]
    assert (done.rows, done.golds, done.workers, done.topics, done.pairs) == (5, 0, 3, 2, 3)
    assert (done.shared, done.missing, done.unused) == (0, {"-2": 1}, [])
    assert not done.unchanged
    assert Worker.objects.filter(consented_at=None, simulated=False).count() == 3
    topic = Topic.objects.get(query_id="401")
    assert (topic.title, vocabulary.read(topic)) == ("", ["D1", "D2"])
    codes = PooledDocument.objects.filter(study_topic__topic=topic).order_by("code")
    assert list(codes.values_list("doc_id", "code", "document", "role")) == [
        ("D1", 0, None, "other"),
        ("D2", 1, None, "other"),
    ]


def test_a_document_is_shared_if_two_workers_gave_it_a_level_on_the_main_aspect(bring):
    rows = (
        "a,1,shared,2,page,\nb,1,shared,0,page,\n"
        "a,1,twice by one,1,page,\na,1,twice by one,1,page,again\n"
        "a,1,one missing,1,page,\nb,1,one missing,-2,page,\n"
        "a,1,snippets,1,snippet,\nb,1,snippets,1,snippet,\n"
    ).replace(" ", "-")
    done = bring(rows)
    assert (done.pairs, done.main_aspect, done.shared) == (4, "page", 1)
    assert opinion_counts.totals(Study.objects.get()).shared == 1


def test_the_same_again_changes_nothing(bring):
    bring()
    keys = set(Opinion.objects.values_list("pk", flat=True))
    assert bring().unchanged
    assert set(Opinion.objects.values_list("pk", flat=True)) == keys
    assert bring(replace=True).unchanged


@pytest.mark.parametrize(
    "rows", [ROWS + "dora,403,D9,0,,\n", "".join(reversed(ROWS.splitlines(1)))]
)
def test_other_labels_are_refused_unless_they_are_to_replace(bring, rows):
    bring()
    with pytest.raises(CannotImport, match=r"has other opinions.*with --replace"):
        bring(rows)
    assert held() == HELD
    bring(rows, replace=True)
    assert len(held()) == rows.count("\n")
    assert held() != HELD


def test_what_is_replaced_is_gone_and_what_stays_keeps_its_key(bring):
    bring()
    study = Study.objects.get(slug="elsewhere")
    before = dict(PooledDocument.objects.values_list("study_topic__topic__query_id", "id"))
    kept = PooledDocument.objects.get(study_topic__topic__query_id="401", doc_id="D1").pk
    total = sum(study.topics.values_list("revision", flat=True))
    bring("anna,401,D1,0,,\nemil,404,D7,2,,\n", replace=True, levels=["no", "maybe", "yes"])
    study.refresh_from_db()
    assert study.levels == ["no", "maybe", "yes"]
    assert held() == [("anna", "401", "D1", 0, "", ""), ("emil", "404", "D7", 2, "", "")]
    assert set(study.workers.values_list("pseudonym", flat=True)) == {"anna", "emil"}
    assert set(study.topics.values_list("topic__query_id", flat=True)) == {"401", "404"}
    assert PooledDocument.objects.get(study_topic__topic__query_id="401").pk == kept
    assert not PooledDocument.objects.filter(pk=before["402"]).exists()
    assert sum(study.topics.values_list("revision", flat=True)) > total
    assert min(study.topics.values_list("revision", flat=True)) > total


def test_nothing_is_imported_if_anything_is_wrong(bring, monkeypatch):
    bring()

    def fail(*args):
        list(args[2])
        raise CannotImport("no")

    monkeypatch.setattr("judging.collections.opinions.copy_rows", fail)
    with pytest.raises(CannotImport):
        bring("emil,404,D7,2,,\n", replace=True)
    with pytest.raises(CannotImport):
        bring(slug="new", collection="new")
    assert held() == HELD
    assert not Collection.objects.filter(slug="new").exists()
    assert not Worker.objects.filter(pseudonym="emil").exists()
    assert not Topic.objects.filter(query_id="404").exists()


def test_a_study_of_another_kind_or_collection_is_left_alone(bring):
    judged = make_study(opened=False)
    with pytest.raises(
        CannotImport, match="is judged here; opinions from elsewhere are a study of"
    ):
        bring(slug=judged.slug, collection=judged.collection.slug)
    bring()
    with pytest.raises(CannotImport, match="is on the collection web, not on other: name that"):
        bring(collection="other")
    assert not Collection.objects.filter(slug="other").exists()


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"slug": "a b"}, "Study 'a b' cannot be made. slug: "),
        ({"collection": "a b"}, "'a b' cannot be the name of a collection"),
        ({"title": "t" * 201}, "title: "),
    ],
)
def test_names_are_names(bring, how, message):
    with pytest.raises(CannotImport, match=message):
        bring(**how)


def test_nobody_judges_it_here(bring):
    bring()
    study = Study.objects.get(slug="elsewhere")
    for course in (open_study, close_study):
        with pytest.raises(BadStudy, match="was judged elsewhere: it neither opens nor closes"):
            course("elsewhere")
    with pytest.raises(CannotPlan, match="was judged elsewhere: it has no units"):
        plan(study)
    with pytest.raises(CommandError, match="nobody judges it here"):
        call_command("simulate_crowd", "elsewhere", "--workers", "1", "--seed", "1")


def test_topics_documents_and_runs_may_come_before_and_after(bring, files):
    files.bring(slug="web", documents="2")
    bring(ROWS.replace("D2", "2"))
    assert PooledDocument.objects.get(doc_id="2").document.words == 5
    import_collection("web", documents=[files.documents("D1")])
    assert [one.document.doc_id for one in PooledDocument.objects.filter(doc_id="D1")] == ["D1"] * 2
    done = files.bring("401", slug="web", tag="92")
    assert (done.topics, done.lists, done.unknown_topics) == (1, 1, set())
    topic = Topic.objects.get(query_id="401")
    assert (topic.title, vocabulary.read(topic)) == ("topic 401", ["D1", "2", "9"])
    files.bring("401", slug="web", title="boats")  # nobody judged by its text here
    assert bring(ROWS.replace("D2", "2")).unchanged


def test_an_open_study_keeps_its_texts_beside_an_imported_one(bring, files):
    home = make_study().collection.slug
    bring("anna,900,D1,2,,\n", collection=home)
    assert files.bring("900", slug=home, title="ships").topics == 1


def test_two_studies_on_one_collection(bring):
    bring()
    bring("zoe,401,D3,2,,\n", slug="another")
    assert vocabulary.read(Topic.objects.get(query_id="401")) == ["D1", "D2", "D3"]
    assert held() == HELD
    assert len(held("another")) == 1


def command(*arguments: object) -> tuple[str, str]:
    out, err = io.StringIO(), io.StringIO()
    call_command("import_opinions", *map(str, arguments), stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


def test_the_command_tells_what_came(files):
    rows = "topicID\tworkerID\tdocID\tgold\tlabel\n1\ta\tD\t2\t0\n1\tb\tD\t2\t-2\n2\ta\tD\t-1\t0\n"
    file = files.write("labels.tsv", rows)
    output, warned = command(
        *("s", file, "--collection", "c", "--levels", "Non", "Rel", "HRel", "--gold", "gold")
    )
    assert output == (
        "3 rows and 1 gold label, 3 workers, 2 topics, 2 pairs of topic and document, 1 of them "
        "with labels by two workers or more\n"
        "1 label is missing, being no level: 1 × '-2'\n"
        "columns: worker is workerid, query_id is topicid, doc_id is docid, label is label\n"
    )
    assert warned == "warning: nobody gave the level Rel\n"
    assert held("s")[-1] == ("gold", "1", "D", 2, "", "")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--levels", "one"], "--levels, --values, --missing: 1 name; expected 2 to 10"),
        (["--levels", "2", "1", "0"], "--missing: level 2 stands before level 1; expected the low"),
        (["--levels", "a", "b", "--values", "1"], "1 value; expected 2, one for each level"),
        (["--levels", "a", "b", "--columns", "who=x"], "--columns who=x: expected FIELD=COLUMN"),
        (["--levels", "a", "b", "--columns", "worker=x"], "no column x in 'worker, query_id"),
        (["--levels", "a", "b", "--values", "8", "9"], "No label is a level: "),
        (["--levels", "a", "b", "--missing", "-1"], "line 2: the label '2'; expected one of a, b"),
    ],
)
def test_the_command_says_what_is_wrong(files, arguments, message):
    file = files.write("labels.csv", HEAD + ROWS)
    with pytest.raises(CommandError, match=re.escape(message)):
        command("s", file, "--collection", "c", *arguments)
    assert not Study.objects.exists()
    assert not Collection.objects.exists()


FIELDS = {"worker": "a", "topic": "1", "docid": "D"}


@pytest.mark.parametrize(
    ("labels", "options", "taken"),
    [
        ({"relevance": "0"}, [], "relevance"),
        ({"relevance": "1", "label": "0"}, [], "label (not relevance)"),
        ({"rel": "1", "relevance": "0"}, ["--columns", "label=relevance"], "relevance (not rel)"),
        ({"rel": "1", "relevance": "0"}, ["--gold", "rel"], "relevance"),
    ],
)
@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_the_command_tells_which_columns_it_took(files, labels, options, taken, ending):
    row = FIELDS | labels
    lines = {"csv": f"{','.join(row)}\n{','.join(row.values())}\n", "jsonl": json.dumps(row)}
    file = files.write(f"labels.{ending}", lines[ending])
    output, _ = command("s", file, "--collection", "c", "--levels", "no", "yes", *options)
    assert output.splitlines()[-1] == (
        f"columns: worker is worker, query_id is topic, doc_id is docid, label is {taken}"
    )
    assert held("s")[0][3] == 0


def test_two_columns_that_may_be_the_label_are_refused(files):
    """One might be an expert's, the other the crowd's."""
    file = files.write("labels.csv", "worker,topic,docid,relevance,rel\na,1,D,0,1\n")
    said = "2 columns may be the label: relevance, rel; expected one of them named by"
    with pytest.raises(CommandError, match=said):
        command("s", file, "--collection", "c", "--levels", "no", "yes")
    assert not Study.objects.exists()


def read(files: Files, rows: str, name: str = "rows") -> Any:
    return read_opinions(open_members([files.write(name, HEAD + rows)]), Scale(LEVELS))


@pytest.mark.django_db(transaction=True)
def test_the_same_imports_at_once_make_one_study(files):
    rows = read(files, ROWS)
    done = at_once(*[lambda: import_opinions("elsewhere", "web", rows, LEVELS)] * 3)
    assert sorted(one.unchanged for one in done) == [False, True, True]
    assert held() == HELD
    assert Study.objects.count() == Collection.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_other_imports_at_once_leave_one_of_them_whole(files):
    def bring(who: str) -> Callable[[], Imported]:
        rows = "".join(f"{who},40{n % 3},D{n},{n % 3},,\n" for n in range(200))
        given = read(files, rows, who)
        return lambda: import_opinions("elsewhere", "web", given, LEVELS, replace=True)

    at_once(*map(bring, "abc"))
    assert len(held()) == 200
    assert len({row[0] for row in held()}) == Worker.objects.count() == 1


def test_documents_that_nobody_gave_a_level_are_not_judged(bring):
    bring("a,1,D1,2,page,\nb,1,D1,-2,page,\na,1,D2,-2,page,\nb,2,D1,0,snippet,\n")
    totals = opinion_counts.totals(Study.objects.get())
    assert (totals.pairs, totals.judged) == (3, 2)
