"""Prolific's ids of submissions may be sealed. Columns keep the names by which version 0.1 knows them."""

from django.db import migrations, models


def sealed():
    return models.TextField(blank=True, db_default="", default="", editable=False)


class Migration(migrations.Migration):
    dependencies = [("workspace", "0002_sealed_ids")]

    operations = [
        # Of the database nothing of this is wanted: the columns are there, with their constraints.
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.RenameField("prolificsubmission", "submission_id", "submission_found_by"),
                migrations.AlterField(
                    "prolificsubmission",
                    "submission_found_by",
                    models.CharField(db_column="submission_id", max_length=64, unique=True),
                ),
                migrations.RenameField("prolificevent", "submission_id", "found_by"),
                migrations.AlterField(
                    "prolificevent",
                    "found_by",
                    models.CharField(
                        blank=True,
                        db_column="submission_id",
                        help_text="Empty: handled.",
                        max_length=64,
                    ),
                ),
            ],
        ),
        migrations.AddField("prolificsubmission", "sealed_submission", sealed()),
        migrations.AddField("prolificevent", "sealed", sealed()),
    ]
