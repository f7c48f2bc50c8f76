"""Platforms' ids may be sealed. Columns keep the names by which version 0.1 knows them."""

from django.conf import settings
from django.db import migrations, models
from django.db.models import Q

from web.sealed_ids import name_of


def note_whether_there_was_a_version_before(apps, schema_editor):
    """A database with a study may have processes of version 0.1, which read ids as they are."""
    apps.get_model("judging", "IdKeys").objects.create(
        pk=1,
        sealing=name_of(settings.PLATFORM_ID_KEYS[0]),
        lookup=name_of(settings.PLATFORM_ID_LOOKUP_KEYS[0]),
        seals=not apps.get_model("judging", "Study").objects.exists(),
    )


def id_column():
    return models.CharField(db_collation="C", db_column="external_id", max_length=255)


class Migration(migrations.Migration):
    dependencies = [("judging", "0002_storage")]

    operations = [
        # Of the database nothing of this is wanted: the columns are there, with their constraints.
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.RemoveConstraint("platformaccount", "account_once"),
                migrations.RemoveConstraint("platformaccount", "account_has_an_id"),
                migrations.RemoveConstraint("participant", "participant_once"),
                migrations.RemoveConstraint("participant", "participant_has_an_id"),
                migrations.RenameField("platformaccount", "external_id", "found_by"),
                migrations.RenameField("platformaccount", "ids", "plain_ids"),
                migrations.RenameField("participant", "external_id", "found_by"),
                migrations.AlterField("platformaccount", "found_by", id_column()),
                migrations.AlterField(
                    "platformaccount",
                    "plain_ids",
                    models.JSONField(db_column="ids", default=dict, help_text="Where none is sealed."),
                ),
                migrations.AlterField("participant", "found_by", id_column()),
                migrations.AddConstraint(
                    "platformaccount",
                    models.UniqueConstraint(
                        fields=["study", "platform", "found_by"], name="account_once"
                    ),
                ),
                migrations.AddConstraint(
                    "platformaccount",
                    models.CheckConstraint(condition=~Q(found_by=""), name="account_has_an_id"),
                ),
                migrations.AddConstraint(
                    "participant",
                    models.UniqueConstraint(fields=["study", "found_by"], name="participant_once"),
                ),
                migrations.AddConstraint(
                    "participant",
                    models.CheckConstraint(condition=~Q(found_by=""), name="participant_has_an_id"),
                ),
            ],
        ),
        migrations.AddField(
            "platformaccount", "sealed", models.TextField(blank=True, db_default="", default="", editable=False)
        ),
        migrations.AddField("participant", "sealed", models.TextField(blank=True, db_default="", default="", editable=False)),
        migrations.CreateModel(
            "IdKeys",
            [
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("sealing", models.CharField(max_length=8)),
                ("lookup", models.CharField(max_length=8)),
                (
                    "seals",
                    models.BooleanField(
                        help_text="No process of version 0.1 reads these tables any more."
                    ),
                ),
            ],
        ),
        migrations.RunPython(note_whether_there_was_a_version_before, migrations.RunPython.noop),
    ]
