"""A study moved to another site by an archive: the same exports there, byte by byte."""

import json
import zipfile
from pathlib import Path

import pytest
from django.apps import apps
from django.core.management import CommandError, call_command

from accounts.models import User
from evaluation.pipeline import evaluate
from judging.collections.opinions import import_opinions
from judging.models import (
    Assignment,
    Collection,
    Document,
    Participant,
    PlatformAccount,
    Study,
    Unit,
)
from judging.states import LIVE
from judging.studies.configuration.cloning import config_of
from magnitudes.files.containers.archives import open_members
from magnitudes.files.labels.opinions import read_opinions
from magnitudes.files.labels.scales import Scale
from tests.factory.completed import EXTERNAL_ID, PLATFORM_IDS, graded_study
from tests.workspace.leaving.conftest import (
    OWNER,
    PASSPHRASE,
    analysed,
    archive_of,
    exported,
)
from workspace.archive.encryption import BadPassphrase
from workspace.archive.exporting import export_archive
from workspace.archive.importing import import_archive
from workspace.archive.study_tables import TABLES
from workspace.archive.table import Scope

# Models of which an archive holds nothing, and why.
LEFT_OUT = {
    "judging.PlatformAccount": "personal data: sealed, where somebody asks for it",
    "judging.Participant": "personal data: sealed, where somebody asks for it",
    "judging.FormerSlug": "leads here from links to this site",
    "judging.WrongResumeCode": "guards secrets that are not archived",
    "judging.Comment": "is of a rehearsal, which is not archived",
    "judging.StagedDocument": "is of an import under way",
    "judging.Tick": "is of the site",
    "judging.RecordEntry": "is of the site, and of its backups",
    "web.Lease": "is of the site",
    "judging.Membership": "users stay where they are",
    "judging.Invitation": "users stay where they are",
    "workspace.ImportJob": "is of the site",
    "workspace.PublishedPage": "has an address of the site",
    "workspace.Upload": "is of the site",
    "workspace.Alert": "is of the site that watched",
    "workspace.AlertMessage": "is of the site that watched",
    "workspace.AlertSettings": "users and secrets stay where they are",
    "workspace.Forecast": "computed anew",
    "judging.PlanJob": "the plan itself is there",
    "workspace.ProlificConnection": "secrets stay where they are",
    "workspace.ProlificStudy": "is of the site, and of its connection",
    "workspace.ProlificSubmission": "personal data, read anew from the platform",
    "workspace.ProlificEvent": "is of the site",
    "workspace.ProlificBonus": "is of the site; payments are kept",
    "workspace.ProlificBonusPart": "is of the site; payments are kept",
    "crowd.ModelRun": "is of the site, and of its endpoints",
    "crowd.StoredAnswer": "is of the site; judgments are kept",
    "evaluation.Evaluation": "computed anew",
    "evaluation.TopicEvaluation": "computed anew",
    "evaluation.Ranking": "computed anew",
    "evaluation.CachedAnalysis": "computed anew",
    "evaluation.WrittenReport": "written anew",
}
# Fields of the others that it does not hold.
LEFT_OUT_FIELDS: dict[str, dict[str, str]] = {
    "judging.Collection": {
        "slug": "stands in the manifest",
        "owner": "has an account",
        "free_to_share": "is for whoever answers for it on a site to say",
        "shared_with": "have accounts",
        "revision": "counts changes on one site",
        "created_at": "is that of the site it stands on",
    },
    "judging.Study": {
        "slug": "stands in the manifest",
        "version": "counts changes on one site",
        "rehearsal_of": "rehearsals are not archived",
        "pilot": "is another study of the site",
        "about": "is another study of the site",
        "placeholder_came_at": "is about links to one site",
        "archived_at": "each site archives its studies by itself",
        "created_at": "is that of the site it stands on",
    },
    "judging.Assignment": dict.fromkeys(
        ("version", "progressed_at"), "is of an attempt in progress, which ends where it is read"
    ),
    "judging.Judgment": dict.fromkeys(
        ("version", "draft_score_text", "draft_justification"),
        "is for the worker's page, which they cannot come back to elsewhere",
    ),
    "judging.Payment": {"decided_by": "is somebody with an account"},
    "evaluation.Verdict": {"by": "is somebody with an account"},
    "judging.TrailEntry": {"by": "is somebody with an account"},
}

pytestmark = pytest.mark.django_db
OPINIONS = (
    "worker,query_id,doc_id,label,aspect,occasion\n"
    "anna,401,D1,2,page,\nben,401,D1,-2,page,\nanna,402,D1,0,snippet,\n"
    "zoe,401,D1,1,page,again\nben,401,D2,1,page,\nanna,401,D2,0,page,\n"
)


def judged_elsewhere(folder: Path) -> Study:
    file = folder / "opinions.csv"
    file.write_text(OPINIONS)
    levels = ["Non", "Rel", "HRel"]
    read = read_opinions(open_members([file]), Scale(levels))
    import_opinions("opinions", "web", read, levels)
    study = Study.objects.get(slug="opinions")
    evaluate(study)
    return study


def test_everything_that_happened_moves(busy, elsewhere, tmp_path):
    path = archive_of(busy, tmp_path / "busy.zip")
    before, findings = exported(busy), analysed(busy)
    rows = {table.name: table.rows(Scope(busy.collection, busy)) for table in TABLES}
    counts = {name: of_table.count() for name, of_table in rows.items()}
    assert min(counts[name] for name in counts.keys() - {"opinions"}) > 0
    with elsewhere():
        assert not Study.objects.exists()
        imported = import_archive(path, by=None)
        study = imported.study
        assert exported(study) == before
        assert analysed(study) == findings
        assert {**imported.rows, "study": 1} == counts
        assert study.stage == "paused"
        assert (imported.ended, Assignment.objects.filter(state__in=LIVE).count()) == (1, 0)
        held = Assignment.objects.completed().values_list("unit")
        assert not Unit.objects.filter(free=True, pk__in=held).exists()
        assert Unit.objects.filter(free=True).count() == Unit.objects.count() - len(held)
        assert not Document.objects.filter(cleaned="").exists()
        assert study.trail.values_list("action", flat=True).latest("id") == "imported an archive"
        # It moves on from there as it came.
        again = archive_of(study, tmp_path / "again.zip")
        assert exported(import_archive(again, by=None, slug="b", collection="b").study) == before
        study.delete()


def test_levels_and_labels_from_elsewhere_move(elsewhere, tmp_path):
    graded = graded_study()[0]
    graded.level_descriptions = [f"It is {name}." for name in graded.levels]
    graded.instructions, graded.consent_by = "Judge.\n\n<b>Gently.", "checkbox"
    graded.save()
    graded.topics.update(answer_sentence="It stands here.")
    for number, study in enumerate((graded, judged_elsewhere(tmp_path))):
        path = archive_of(study, tmp_path / f"{number}.zip")
        before, config = exported(study), config_of(study)
        with elsewhere():
            moved = import_archive(path, by=None, slug=f"s{number}", collection=f"c{number}").study
            assert exported(moved) == before
            assert config_of(moved) == config


def test_no_person_and_no_secret_leaves(busy, tmp_path):
    path = archive_of(busy, tmp_path / "busy.zip", PASSPHRASE)
    with zipfile.ZipFile(path) as archive:
        content = b"".join(archive.read(name) for name in archive.namelist()).decode("latin-1")
    assert "did not read" in content
    secrets = [*busy.assignments.values_list("token", flat=True), *busy.assignments.all().codes()]
    secrets += busy.workers.values_list("resume_code", flat=True)
    people = [OWNER, "olga@example.org", EXTERNAL_ID, "participant-of-the-list"]
    for text in [*secrets, *people, *PLATFORM_IDS.values()]:
        assert text, "an empty text is everywhere"
        assert text not in content


def test_platforms_ids_come_back_by_the_passphrase(busy, elsewhere, tmp_path):
    path = archive_of(busy, tmp_path / "busy.zip", PASSPHRASE)
    codes = busy.assignments.all().codes()
    with elsewhere():
        olga = User.objects.create_user(OWNER)
        with pytest.raises(BadPassphrase, match="not the passphrase"):
            import_archive(
                path, by=olga, slug="x", collection="x", passphrase="wrong horse battery"
            )
        assert not Study.objects.filter(slug="x").exists()
        without = import_archive(path, by=None, slug="x", collection="x")
        assert without.ids_left_out
        assert not PlatformAccount.objects.filter(study=without.study).exists()
        assert not set(without.study.assignments.all().codes()) & set(codes)
        study = import_archive(path, by=olga, slug="y", collection="y", passphrase=PASSPHRASE).study
        account = PlatformAccount.objects.get(study=study)
        assert (account.external_id, account.ids) == (EXTERNAL_ID, PLATFORM_IDS)
        assert account.worker.pseudonym == "dora"
        assert Participant.objects.get(study=study).external_id == "participant-of-the-list"
        assert sorted(study.assignments.all().codes()) == sorted(codes)
        assert study.memberships.get().sees_platform_ids
        assert (study.collection.owner, study.memberships.get().role) == (olga, "owner")
    with pytest.raises(BadPassphrase, match="at least 12"):
        export_archive(busy, by=None, passphrase="short")


def test_every_field_is_kept_or_left_out_for_a_reason():
    archived = {table.model: table for table in TABLES}
    for app in ("judging", "evaluation", "workspace"):
        for model in apps.get_app_config(app).get_models():
            if (label := model._meta.label) in LEFT_OUT:
                assert model not in archived
                continue
            fields = {field.name for field in model._meta.get_fields() if not field.auto_created}
            if model is Collection:
                assert fields == set(LEFT_OUT_FIELDS["judging.Collection"])
                continue
            assert model in archived, f"{label}: archive it, or say why not"
            table = archived[model]
            columns = {column.name for column in table.columns} | {table.owner} - {""}
            through = {field.name for field in model._meta.many_to_many}
            assert fields - through == columns | set(LEFT_OUT_FIELDS.get(label, ())) - {"id"}, label
    for label in LEFT_OUT:
        apps.get_model(label)


def test_the_commands(busy, tmp_path, capsys):
    file, secret = tmp_path / "busy.zip", tmp_path / "passphrase"
    secret.write_text(f"{PASSPHRASE}\n")
    call_command("export_archive", busy.slug, str(file), "--passphrase-file", str(secret))
    with pytest.raises(CommandError, match="is there already"):
        call_command("export_archive", busy.slug, str(file))
    with pytest.raises(CommandError, match="There is a collection"):
        call_command("import_archive", str(file))
    call_command("import_archive", str(file), "--study", "moved", "--collection", "moved")
    captured = capsys.readouterr()
    assert "study moved: 4 topics" in captured.out
    assert "1 attempt ended" in captured.err
    assert "sealed with a passphrase" in captured.err
    with zipfile.ZipFile(file) as archive:
        manifest = json.loads(archive.read("manifest.json"))
    assert manifest["study"] == busy.slug
    assert manifest["files"]["judgments.jsonl"]["rows"] > 0
