"""Pages of workers in studies with levels: the functions that open a page and keep a form."""

from importlib import import_module

from django.db import migrations

pages = import_module("judging.migrations.0004_pages")

# The live assignment of a worker who judges, locked until the transaction ends.
HOLD = """
    SELECT a.id, a.token, a.state, a.position, a.furthest, a."order", a.failed_finishes,
           cardinality(a."order") AS last,
           greatest(moment, a.active_at) AS now,
           greatest(moment, a.active_at) + s.expiry_minutes * interval '1 minute' AS deadline,
           s.title, s.crowd, s.show_previous_score, s.levels::text[] AS levels
    INTO held
    FROM judging_assignment a
    JOIN judging_study s ON s.id = a.study_id
    WHERE a.state IN ('judging', 'revising') AND a.worker_id = (
        SELECT w.id FROM judging_worker w
        WHERE w.study_id = (SELECT id FROM judging_study WHERE slug = the_slug)
        AND w.pseudonym = the_pseudonym
    )
    FOR NO KEY UPDATE OF a;
    -- A request may have waited while later ones were dealt with: its time is then theirs.
    moment := held.now;
"""

# As before, and the names of the levels, none where scores are magnitudes.
OPEN_PAGE = f"""
CREATE FUNCTION judging_open_page(
    the_slug text, the_pseudonym text, to_page int, moment timestamptz
)
RETURNS TABLE (
    token text, last int, furthest smallint, revising boolean, study_title text, crowd text,
    levels text[], topic_title text, description text, narrative text, title text, body text,
    is_html boolean, score_text text, justification text, previous_score text, codes text[]
)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    held record;
    from_page int;
    visible float8;
BEGIN
    {HOLD}
    IF NOT FOUND OR to_page NOT BETWEEN 1 AND held.furthest THEN
        RETURN;
    END IF;
    IF to_page <> held.position THEN
        {pages.CLOSE_VISIT}
    END IF;
    INSERT INTO judging_visit (assignment_id, position, opened_at)
    VALUES (held.id, to_page, moment)
    ON CONFLICT (assignment_id) WHERE closed_at IS NULL DO NOTHING;
    {pages.MOVE}
    RETURN QUERY
    SELECT held.token::text, held.last, held.furthest, held.state = 'revising', held.title::text,
           held.crowd::text, held.levels, t.title, t.description, t.narrative, d.title, d.text,
           d.is_html, coalesce(j.score_text, ''), coalesce(j.justification, ''),
           CASE WHEN held.show_previous_score THEN coalesce(b.score_text, '') ELSE '' END,
           ARRAY(SELECT c.completion_code::text
                 FROM judging_assignment c JOIN judging_assignment a USING (worker_id)
                 WHERE a.id = held.id AND c.completion_code IS NOT NULL
                 ORDER BY c.finished_at)
    FROM judging_pooleddocument p
    JOIN judging_studytopic st ON st.id = p.study_topic_id
    JOIN judging_topic t ON t.id = st.topic_id
    JOIN judging_document d ON d.id = p.document_id
    LEFT JOIN judging_judgment j ON j.assignment_id = held.id AND j.position = to_page
    LEFT JOIN judging_judgment b ON b.assignment_id = held.id AND b.position = to_page - 1
        AND b.score IS NOT NULL
    WHERE p.id = held."order"[to_page];
END $$
"""

# A judgment: the last write wins; the same again changes nothing.
KEEP = """
    INSERT INTO judging_judgment AS j
        (assignment_id, position, document_id, score_text, score, graded, justification,
         first_score, submitted_at)
    VALUES (held.id, from_page, held."order"[from_page], typed, number, held.levels <> '{}', words,
            number, moment)
    ON CONFLICT (assignment_id, position) DO UPDATE
    SET score_text = excluded.score_text, score = excluded.score,
        justification = excluded.justification, submitted_at = excluded.submitted_at,
        first_score = coalesce(j.first_score, excluded.first_score)
    WHERE (j.score_text, j.justification) IS DISTINCT FROM
          (excluded.score_text, excluded.justification);
"""

# The page that a form leads to, and the study's levels; none: it is not of this unit, or of a page
# not reached yet. `number` and `level` are what was given as a magnitude and as a level; which of
# them counts, the study says. Whoever goes on without a score, or without words, stays.
JUDGE = f"""
CREATE FUNCTION judging_judge(
    the_slug text, the_pseudonym text, the_token text, from_page int, typed text, number float8,
    level int, words text, visible float8, step int, wordless boolean, moment timestamptz
)
RETURNS TABLE (page int, levels text[])
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    held record;
    to_page int;
BEGIN
    {HOLD}
    IF NOT FOUND OR the_token <> held.token OR from_page NOT BETWEEN 1 AND held.furthest THEN
        RETURN;
    END IF;
    IF held.levels <> '{{}}' THEN
        typed := coalesce(held.levels[level + 1], '');
        number := CASE WHEN typed <> '' THEN level END;
    END IF;
    {KEEP}
    page := from_page;
    levels := held.levels;
    IF step > 0 AND (wordless OR number IS NULL) THEN
        RETURN NEXT;
        RETURN;
    END IF;
    to_page := greatest(1, least(from_page + step, held.last));
    {pages.CLOSE_VISIT}
    {pages.MOVE}
    page := to_page;
    RETURN NEXT;
END $$
"""

DROP_OLD = """
DROP FUNCTION judging_open_page(text, text, int, timestamptz);
DROP FUNCTION judging_judge(
    text, text, text, int, text, float8, text, float8, int, boolean, timestamptz
);
"""
DROP = """
DROP FUNCTION judging_open_page(text, text, int, timestamptz);
DROP FUNCTION judging_judge(
    text, text, text, int, text, float8, int, text, float8, int, boolean, timestamptz
);
"""


class Migration(migrations.Migration):

    dependencies = [
        ('judging', '0008_graded_and_imported'),
    ]

    operations = [
        migrations.RunSQL(
            [DROP_OLD, OPEN_PAGE, JUDGE], [DROP, pages.OPEN_PAGE, pages.JUDGE]
        ),
    ]
