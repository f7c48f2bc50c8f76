"""Packed lists are stored out of line and uncompressed, so that their beginning is read alone."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("judging", "0001_initial")]

    operations = [
        migrations.RunSQL(
            f"ALTER TABLE judging_rankedlist ALTER COLUMN {column} SET STORAGE EXTERNAL",
            migrations.RunSQL.noop,
        )
        for column in ("codes", "ranks", "scores")
    ]
