"""How PostgreSQL lays out two tables: what Django's models cannot say."""

from django.db import migrations

LISTS_UNCOMPRESSED = [
    f"ALTER TABLE judging_rankedlist ALTER COLUMN {column} SET STORAGE EXTERNAL"
    for column in ("codes", "ranks", "scores")
]
ROOM_IN_PAGES = ["ALTER TABLE judging_assignment SET (fillfactor = 60)"]


class Migration(migrations.Migration):
    dependencies = [("judging", "0001_initial")]

    operations = [
        # Packed lists are stored out of line and uncompressed: their beginning is read alone.
        migrations.RunSQL(LISTS_UNCOMPRESSED, migrations.RunSQL.noop),
        # Room for the next version of each row beside it, so that indexes need not follow.
        migrations.RunSQL(ROOM_IN_PAGES, migrations.RunSQL.noop),
    ]
