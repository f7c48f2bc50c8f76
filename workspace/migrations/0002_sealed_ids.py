"""Prolific's ids of people may be sealed. The column keeps the name by which version 0.1 knows it."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("workspace", "0001_initial"), ("judging", "0003_sealed_ids")]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.RemoveIndex("prolificsubmission", "of_participant"),
                migrations.RenameField("prolificsubmission", "participant_id", "found_by"),
                migrations.AlterField(
                    "prolificsubmission",
                    "found_by",
                    models.CharField(
                        blank=True,
                        db_column="participant_id",
                        help_text="Empty: deleted on request.",
                        max_length=64,
                    ),
                ),
                migrations.AddIndex(
                    "prolificsubmission",
                    models.Index(fields=["recruiting", "found_by"], name="of_participant"),
                ),
            ],
        ),
        migrations.AddField(
            "prolificsubmission", "sealed", models.TextField(blank=True, db_default="", default="", editable=False)
        ),
    ]
