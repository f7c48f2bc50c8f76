"""The SQL of the document pages, which every worker passes through for every document."""

# The worker first, then the one assignment: joined, a plan could begin with all of the study's.
HOLD = """
    SELECT a.id, a.token, a.state, a.position, a.furthest, a."order", a.failed_finishes,
           a.study_topic_id, s.expiry_minutes, s.title, s.show_previous_score,
           s.crowd
    FROM judging_assignment a
    JOIN judging_study s ON s.id = a.study_id
    WHERE a.state IN ('judging', 'revising') AND a.worker_id = (
        SELECT w.id FROM judging_worker w
        WHERE w.study_id = (SELECT id FROM judging_study WHERE slug = %s) AND w.pseudonym = %s
    )
    FOR NO KEY UPDATE OF a
"""

# What is on the page: the document, what was given for it, and what was given before it.
READ = """
    SELECT t.title, t.description, t.narrative, d.title, d.text, d.is_html,
           coalesce(j.score_text, ''), coalesce(j.justification, ''), coalesce(b.score_text, ''),
           ARRAY(SELECT c.completion_code
                 FROM judging_assignment c JOIN judging_assignment a USING (worker_id)
                 WHERE a.id = %(assignment)s AND c.completion_code IS NOT NULL
                 ORDER BY c.finished_at)
    FROM judging_pooleddocument p
    JOIN judging_studytopic st ON st.id = p.study_topic_id
    JOIN judging_topic t ON t.id = st.topic_id
    JOIN judging_document d ON d.id = p.document_id
    LEFT JOIN judging_judgment j ON j.assignment_id = %(assignment)s AND j.position = %(position)s
    LEFT JOIN judging_judgment b ON b.assignment_id = %(assignment)s
        AND b.position = %(position)s - 1 AND b.score IS NOT NULL
    WHERE p.id = %(document)s
"""

# The page that they go to may be open already: then this form came before, and its visit goes on.
CLOSE_VISIT = """
    UPDATE judging_visit
    SET closed_at = greatest(%(now)s, opened_at),
        visible_seconds = CASE WHEN position = %(page)s::int THEN %(visible)s::float8 END
    WHERE assignment_id = %(assignment)s AND closed_at IS NULL AND position <> %(position)s
"""

# An open visit of the same page goes on: a reload is not a new visit.
OPEN_VISIT = """
    INSERT INTO judging_visit (assignment_id, position, opened_at)
    VALUES (%(assignment)s, %(position)s, %(now)s)
    ON CONFLICT (assignment_id) WHERE closed_at IS NULL DO NOTHING
"""

MOVE = """
    UPDATE judging_assignment
    SET position = %(position)s, furthest = greatest(furthest, %(position)s),
        back_steps = back_steps + (%(back)s AND failed_finishes = 0)::int,
        revise_steps = revise_steps + (%(back)s AND failed_finishes > 0)::int,
        active_at = %(now)s, deadline_at = %(deadline)s
    WHERE id = %(assignment)s
"""

# The last write wins; the same again changes nothing.
KEEP = """
    INSERT INTO judging_judgment AS j
        (assignment_id, position, document_id, score_text, score, justification, first_score,
         submitted_at)
    VALUES (%(assignment)s, %(page)s, %(document)s, %(score_text)s, %(score)s, %(justification)s,
            %(score)s, %(now)s)
    ON CONFLICT (assignment_id, position) DO UPDATE
    SET score_text = excluded.score_text, score = excluded.score,
        justification = excluded.justification, submitted_at = excluded.submitted_at,
        first_score = coalesce(j.first_score, excluded.first_score)
    WHERE (j.score_text, j.justification) IS DISTINCT FROM
          (excluded.score_text, excluded.justification)
"""

# What most requests are for takes one statement: its parts write to tables of their own.
KEEP_AND_MOVE = f"WITH closed AS ({CLOSE_VISIT}), moved AS ({MOVE}) {KEEP}"
OPEN_AND_READ = f"WITH opened AS ({OPEN_VISIT}), moved AS ({MOVE}) {READ}"
