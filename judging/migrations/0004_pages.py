"""What the pages of workers ask of the database, as functions, whose plans PostgreSQL keeps.

Each is one round trip and one transaction. Statements in a function see what was committed before
each of them, so that whoever waited for a row's lock finds what its last holder has done.
"""

from django.db import migrations

PLACE = """
CREATE FUNCTION judging_place(the_slug text, the_pseudonym text)
RETURNS TABLE (
    study bigint, study_version text, worker bigint, earned text[], id bigint, study_topic bigint,
    token text, state text, lines smallint[], line_scores float8[], practice_step smallint,
    option_order smallint[], "position" smallint, last int, barred boolean, payment numeric,
    completion_code text
)
LANGUAGE plpgsql STABLE AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    SELECT s.id, s.xmin::text || s.ctid::text, w.id,
           ARRAY(SELECT c.completion_code::text FROM judging_assignment c
                 WHERE c.worker_id = w.id AND c.completion_code IS NOT NULL
                 ORDER BY c.finished_at),
           a.id, a.study_topic_id, a.token::text, a.state::text, a.lines, a.line_scores,
           a.practice_step, a.option_order, a.position, cardinality(a."order"), a.barred,
           a.payment, a.completion_code::text
    FROM judging_study s
    LEFT JOIN judging_worker w ON w.study_id = s.id AND w.pseudonym = the_pseudonym
    LEFT JOIN LATERAL (
        SELECT * FROM judging_assignment l WHERE l.worker_id = w.id ORDER BY l.id DESC LIMIT 1
    ) a ON true
    WHERE s.slug = the_slug;
END $$
"""

# The live assignment of a worker who judges, locked until the transaction ends.
HOLD = """
    SELECT a.id, a.token, a.state, a.position, a.furthest, a."order", a.failed_finishes,
           cardinality(a."order") AS last,
           greatest(moment, a.active_at) AS now,
           greatest(moment, a.active_at) + s.expiry_minutes * interval '1 minute' AS deadline,
           s.title, s.crowd, s.show_previous_score
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

# The page that they go to may be open already: then this form came before, and its visit goes on.
CLOSE_VISIT = """
    UPDATE judging_visit
    SET closed_at = greatest(moment, opened_at),
        visible_seconds = CASE WHEN position = from_page THEN visible END
    WHERE assignment_id = held.id AND closed_at IS NULL AND position <> to_page;
"""

# To go to an earlier page is a step back.
MOVE = """
    UPDATE judging_assignment
    SET position = to_page, furthest = greatest(furthest, to_page),
        back_steps = back_steps + (to_page < held.position AND failed_finishes = 0)::int,
        revise_steps = revise_steps + (to_page < held.position AND failed_finishes > 0)::int,
        active_at = moment, deadline_at = held.deadline
    WHERE id = held.id;
"""

# An open visit of the same page goes on: a reload is not a new visit.
OPEN_PAGE = f"""
CREATE FUNCTION judging_open_page(
    the_slug text, the_pseudonym text, to_page int, moment timestamptz
)
RETURNS TABLE (
    token text, last int, furthest smallint, revising boolean, study_title text, crowd text,
    topic_title text, description text, narrative text, title text, body text, is_html boolean,
    score_text text, justification text, previous_score text, codes text[]
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
        {CLOSE_VISIT}
    END IF;
    INSERT INTO judging_visit (assignment_id, position, opened_at)
    VALUES (held.id, to_page, moment)
    ON CONFLICT (assignment_id) WHERE closed_at IS NULL DO NOTHING;
    {MOVE}
    RETURN QUERY
    SELECT held.token::text, held.last, held.furthest, held.state = 'revising', held.title::text,
           held.crowd::text, t.title, t.description, t.narrative, d.title, d.text, d.is_html,
           coalesce(j.score_text, ''), coalesce(j.justification, ''),
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
        (assignment_id, position, document_id, score_text, score, justification, first_score,
         submitted_at)
    VALUES (held.id, from_page, held."order"[from_page], typed, number, words, number, moment)
    ON CONFLICT (assignment_id, position) DO UPDATE
    SET score_text = excluded.score_text, score = excluded.score,
        justification = excluded.justification, submitted_at = excluded.submitted_at,
        first_score = coalesce(j.first_score, excluded.first_score)
    WHERE (j.score_text, j.justification) IS DISTINCT FROM
          (excluded.score_text, excluded.justification);
"""

# The page that a form leads to; none: it is not of this unit, or of a page not reached yet. What
# has to be corrected before they go on is kept, and they stay.
JUDGE = f"""
CREATE FUNCTION judging_judge(
    the_slug text, the_pseudonym text, the_token text, from_page int, typed text, number float8,
    words text, visible float8, step int, stays boolean, moment timestamptz
)
RETURNS int
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    held record;
    to_page int;
BEGIN
    {HOLD}
    IF NOT FOUND OR the_token <> held.token OR from_page NOT BETWEEN 1 AND held.furthest THEN
        RETURN NULL;
    END IF;
    {KEEP}
    IF stays THEN
        RETURN from_page;
    END IF;
    to_page := greatest(1, least(from_page + step, held.last));
    {CLOSE_VISIT}
    {MOVE}
    RETURN to_page;
END $$
"""

DROP = """
DROP FUNCTION judging_place(text, text);
DROP FUNCTION judging_open_page(text, text, int, timestamptz);
DROP FUNCTION judging_judge(
    text, text, text, int, text, float8, text, float8, int, boolean, timestamptz
);
"""


class Migration(migrations.Migration):

    dependencies = [
        ('judging', '0003_crowd'),
    ]

    operations = [
        migrations.RunSQL([PLACE, OPEN_PAGE, JUDGE], DROP),
    ]
