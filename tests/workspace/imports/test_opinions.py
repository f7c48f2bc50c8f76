"""A table of opinions: looked at, mapped by hand, imported as a study in the background."""

import pytest

from judging.collections.access import NotYours
from judging.collections.opinion_files import Reading, read_files
from judging.collections.opinions import import_opinions
from judging.models import Collection, Opinion, Role, Study, TrailEntry
from tests.factory import make_study
from tests.workspace.imports.test_importing import uploaded
from workspace.models import ImportJob
from workspace.tasks import import_files

LEVELS = "rater,topic,docno,verdict\nada,401,A,good\nben,401,A,bad\nada,401,B,bad\n"
SLIDER = "worker,topic,docno,score,unit\nada,401,A,30,1\nada,401,B,0,1\nben,401,A,2,2\n"


def sent(**more: str) -> dict[str, str]:
    columns = {"worker": "rater", "query_id": "topic", "doc_id": "docno", "label": "verdict"}
    named = {"study": "elsewhere", "collection": "home", "scale": "graded", "levels": "bad\ngood"}
    return named | {f"column-{name}": column for name, column in columns.items()} | more


def test_a_table_is_mapped_by_hand_and_becomes_a_study(desk, rosa, files):
    file = uploaded(rosa, files.write("labels.csv", LEVELS), "table")
    assert "labels.csv" in desk.get("/opinions/new/").content.decode()
    address = f"/opinions/{file.upload}/"
    page = desk.get(address).content.decode()
    assert "<td>ben</td>" in page
    assert '<option value="docno" selected>' in page
    assert '<option value="topic" selected>' in page
    faulty = desk.post(address, sent(levels="", zero="3")).content.decode()
    assert "Name the levels" in faulty
    assert "This is of magnitudes" in faulty
    both = desk.post(address, sent(values="1")).content.decode()
    assert "1 value; expected 2" in both
    job = desk.post(address, sent())
    assert import_files() == 1
    page = desk.get(job.url).content.decode()
    assert "3 rows" in page
    assert "worker is rater" in page
    study = Study.objects.get(slug="elsewhere")
    assert (study.is_imported, study.levels) == (True, ["bad", "good"])
    assert study.memberships.get().user == rosa
    assert study.memberships.get().role == Role.OWNER
    assert TrailEntry.objects.get(study=study).by == rosa
    assert desk.get("/studies/elsewhere/").status_code == 200


def test_columns_of_other_names_are_guessed_also_by_ids_of_a_collection(desk, rosa, files):
    home = make_study(topics=1).collection
    home.owner = rosa
    home.save()
    rows = "".join(f"p{n},401,D401-00{n},x,{n}.5\n" for n in range(4))
    file = uploaded(
        rosa, files.write("ratings.csv", f"participant,prompt,seen,note,rating\n{rows}")
    )
    form = desk.get(f"/opinions/{file.upload}/").context["form"]
    names = ("worker", "query_id", "doc_id", "label", "aspect")
    columns = [form[f"column-{name}"].value() or "" for name in names]
    assert columns == ["participant", "prompt", "seen", "rating", ""]
    assert (form["collection"].value(), form["scale"].value()) == (home.slug, "magnitude")


def test_a_slider_is_read_as_magnitudes(desk, rosa, files):
    file = uploaded(rosa, files.write("slider.csv", SLIDER))
    assert file.kind == "opinions"
    address = f"/opinions/{file.upload}/"
    assert '<option value="unit" selected>' in desk.get(address).content.decode()
    columns = {"column-worker": "worker", "column-label": "score", "group": "unit"}
    magnitudes = sent(scale="magnitude", levels="", **columns)
    job = desk.post(address, magnitudes)
    import_files()
    page = desk.get(job.url).content.decode()
    assert "slider.csv, line 3: the score 0" in page
    desk.post(address, magnitudes | {"zero": "0.5"})
    import_files()
    assert ImportJob.objects.latest("id").result["groups"] == 2
    assert sorted(Opinion.objects.values_list("score", flat=True)) == [0.5, 2, 30]


def test_nobody_else_takes_their_names(rosa, otto, files):
    reading = Reading(["bad", "good"], columns={"worker": "rater", "label": "verdict"})
    path = files.write("labels.csv", LEVELS)
    read = read_files([path], reading)
    import_opinions("elsewhere", "home", read.opinions, read.levels, by=rosa)
    with pytest.raises(NotYours, match="name home is taken"):
        import_opinions("elsewhere", "home", read.opinions, read.levels, by=otto)
    with pytest.raises(NotYours, match="name elsewhere is taken"):
        import_opinions("elsewhere", "ottos", read.opinions, read.levels, by=otto)
    assert [home.slug for home in Collection.objects.all()] == ["home"]


def test_other_peoples_tables_are_not_there(desk, otto, files):
    file = uploaded(otto, files.write("labels.csv", LEVELS), "table")
    assert desk.get(f"/opinions/{file.upload}/").status_code == 404
    assert "labels.csv" not in desk.get("/opinions/new/").content.decode()


def test_the_command_reads_other_encodings(files):
    path = files.write("labels.csv", LEVELS.replace("ada", "Zoë").encode("latin-1"))
    reading = Reading(
        ["bad", "good"], columns={"worker": "rater", "label": "verdict"}, encoding="latin-1"
    )
    assert read_files([path], reading).opinions.workers == ["Zoë", "ben"]
