"""The offer of units as functions, whose plans PostgreSQL keeps."""

from django.db import migrations

# What a worker had, and the units, free or not, that are neither that nor of a barred topic.
MINE = """
    WITH mine AS (
        SELECT coalesce(array_agg(unit_id), ARRAY[]::bigint[]) AS had,
               coalesce(array_agg(study_topic_id) FILTER (WHERE barred), ARRAY[]::bigint[])
                   AS barred,
               count(*) FILTER (WHERE completion_code IS NOT NULL) AS paid
        FROM judging_assignment WHERE worker_id = the_worker
    )
"""
OFFERED = """
    judging_unit u, mine
    WHERE u.study_id = the_study AND u.id <> ALL(mine.had) AND u.study_topic_id <> ALL(mine.barred)
"""

# How many units they were paid for; whether one is free for them; if not, whether one may be.
OFFER = f"""
CREATE FUNCTION judging_offer(the_study bigint, the_worker bigint)
RETURNS TABLE (paid bigint, is_free boolean, may_come_back boolean)
LANGUAGE plpgsql STABLE AS $$
#variable_conflict use_column
BEGIN
    {MINE} SELECT mine.paid, EXISTS (SELECT FROM {OFFERED} AND u.free) INTO paid, is_free FROM mine;
    IF NOT is_free THEN
        {MINE} SELECT EXISTS (
            SELECT FROM {OFFERED} AND NOT EXISTS (
                SELECT FROM judging_assignment a
                WHERE a.unit_id = u.id AND a.state = 'completed'
            )
        ) INTO may_come_back;
    END IF;
    RETURN NEXT;
END $$
"""

# Each unit has the same chance to be hit first. Where few are free the darts may all miss; to sort
# all units of a large study every time would take long.
CLAIM = f"""
CREATE FUNCTION judging_claim(the_study bigint, the_worker bigint, darts int)
RETURNS TABLE (unit bigint, study_topic bigint, documents bigint[])
LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
    {MINE}, aims AS (
        SELECT turn, floor(low + random() * (high - low + 1))::bigint AS aim
        FROM (SELECT min(id) AS low, max(id) AS high FROM judging_unit
              WHERE study_id = the_study) ids,
             generate_series(1, darts) turn
    )
    SELECT u.id, u.study_topic_id INTO unit, study_topic
    FROM aims CROSS JOIN {OFFERED} AND u.free AND u.id = aims.aim
    ORDER BY aims.turn LIMIT 1 FOR NO KEY UPDATE OF u SKIP LOCKED;
    IF unit IS NULL THEN
        {MINE} SELECT u.id, u.study_topic_id INTO unit, study_topic
        FROM {OFFERED} AND u.free
        ORDER BY random() LIMIT 1 FOR NO KEY UPDATE OF u SKIP LOCKED;
    END IF;
    IF unit IS NULL THEN
        RETURN;
    END IF;
    UPDATE judging_unit SET free = false WHERE id = unit;
    documents := ARRAY(SELECT document_id FROM judging_unitdocument WHERE unit_id = unit);
    RETURN NEXT;
END $$
"""

DROP = """
DROP FUNCTION judging_offer(bigint, bigint);
DROP FUNCTION judging_claim(bigint, bigint, int);
"""


class Migration(migrations.Migration):

    dependencies = [
        ('judging', '0005_indexes'),
    ]

    operations = [
        migrations.RunSQL([OFFER, CLAIM], DROP),
    ]
