"""What must hold at every moment, asked of the database: each question finds what breaks it."""

from django.db import connection, transaction

from judging.states import LIVE, OCCUPYING, PAID

HOLDS, ALIVE, IS_PAID = (
    "(" + ", ".join(f"'{state}'" for state in states) + ")" for states in (OCCUPYING, LIVE, PAID)
)

QUESTIONS = {
    "a unit has more than one live assignment": f"""
        SELECT unit_id FROM judging_assignment WHERE state IN {ALIVE}
        GROUP BY unit_id HAVING count(*) > 1""",
    "a unit was completed more than once": """
        SELECT unit_id FROM judging_assignment WHERE state = 'completed'
        GROUP BY unit_id HAVING count(*) > 1""",
    "a unit is free although it is held, or held by nobody": f"""
        SELECT u.id FROM judging_unit u WHERE u.free = EXISTS (
            SELECT FROM judging_assignment a WHERE a.unit_id = u.id AND a.state IN {HOLDS})""",
    "a worker has more than one live assignment": f"""
        SELECT worker_id FROM judging_assignment WHERE state IN {ALIVE}
        GROUP BY worker_id HAVING count(*) > 1""",
    "a worker had a unit twice": """
        SELECT worker_id, unit_id FROM judging_assignment
        GROUP BY worker_id, unit_id HAVING count(*) > 1""",
    "a worker had an assignment on a topic after being barred from it": """
        SELECT b.id FROM judging_assignment a JOIN judging_assignment b USING (worker_id)
        WHERE a.study_topic_id = b.study_topic_id AND a.barred AND b.id > a.id""",
    "people and artificial workers are in one study, or not those it says": """
        SELECT w.id FROM judging_worker w JOIN judging_study s ON s.id = w.study_id
        WHERE s.crowd <> 'both'
        AND s.crowd <> CASE WHEN NOT w.simulated THEN 'people'
            WHEN s.crowd = 'model' THEN 'model' ELSE 'artificial' END""",
    "a worker was paid more often than the study allows": """
        SELECT a.worker_id FROM judging_assignment a JOIN judging_study s ON s.id = a.study_id
        WHERE a.completion_code IS NOT NULL AND s.max_units_per_worker IS NOT NULL
        GROUP BY a.worker_id, s.max_units_per_worker HAVING count(*) > s.max_units_per_worker""",
    "a code has no payment of what was promised, or a payment no code": """
        SELECT a.id FROM judging_assignment a JOIN judging_worker w ON w.id = a.worker_id
        WHERE (a.completion_code IS NOT NULL AND a.payment > 0 AND NOT w.simulated)::int <> (
            SELECT count(*) FROM judging_payment p WHERE p.assignment_id = a.id
            AND p.kind IN ('base', 'bonus'))
        OR EXISTS (SELECT FROM judging_payment p WHERE p.assignment_id = a.id
            AND p.kind IN ('base', 'bonus') AND p.amount <> a.payment)""",
    "more people have a place than the study takes": f"""
        SELECT s.id FROM judging_study s
        JOIN judging_assignment a ON a.study_id = s.id
            AND (a.state IN {ALIVE} OR a.completion_code IS NOT NULL)
        GROUP BY s.id HAVING count(DISTINCT a.worker_id) > s.most_workers""",
    "more people began within an hour or a day than the study takes": f"""
        WITH place AS (
            SELECT a.study_id, a.worker_id, min(a.started_at) AS since
            FROM judging_assignment a JOIN judging_worker w ON w.id = a.worker_id
            WHERE (a.state IN {ALIVE} OR a.completion_code IS NOT NULL) AND NOT w.simulated
            GROUP BY a.study_id, a.worker_id)
        SELECT DISTINCT s.id FROM judging_study s
        CROSS JOIN LATERAL (VALUES (s.newcomers_an_hour, interval '1 hour'),
                                   (s.newcomers_a_day, interval '1 day')) quota (most, span)
        JOIN place p ON p.study_id = s.id
        WHERE most < (SELECT count(*) FROM place q WHERE q.study_id = s.id
                      AND q.since > p.since - span AND q.since <= p.since)""",
    "a worker was paid for more than the one unit that a submission pays": """
        SELECT a.worker_id FROM judging_assignment a JOIN judging_study s ON s.id = a.study_id
        WHERE a.completion_code IS NOT NULL AND (s.further_units = 'none'
            OR s.further_units = '' AND s.platform IN ('prolific', 'connect', 'sona'))
        GROUP BY a.worker_id HAVING count(*) > 1""",
    "who saw documents or failed the question is not barred, or somebody else is": """
        SELECT a.id FROM judging_assignment a WHERE a.barred <> (a.furthest > 0 OR EXISTS (
            SELECT FROM judging_checkfailure f
            WHERE f.assignment_id = a.id AND f.check_name = 'question'))""",
    "wrong answers and their records differ, or are more than the study allows": """
        SELECT a.id FROM judging_assignment a JOIN judging_study s ON s.id = a.study_id
        CROSS JOIN LATERAL (
            SELECT count(*) AS n, coalesce(max(f.attempt), 0) AS last
            FROM judging_checkfailure f
            WHERE f.assignment_id = a.id AND f.check_name = 'question') failures
        WHERE a.wrong_answers <> n OR a.wrong_answers <> last OR a.wrong_answers > coalesce(
            s.question_tries, CASE s.platform WHEN 'prolific' THEN 2 ELSE 1 END)""",
    "a worker began another unit after failing as often as the study allows": """
        SELECT a.id FROM judging_assignment a JOIN judging_study s ON s.id = a.study_id
        WHERE s.attempts <= (
            SELECT count(*) FROM judging_assignment b
            WHERE b.worker_id = a.worker_id AND b.id < a.id AND b.state = 'failed')""",
    "an assignment shows other documents than its unit's": """
        SELECT a.id FROM judging_assignment a
        WHERE (SELECT array_agg(d ORDER BY d) FROM unnest(a."order") d) IS DISTINCT FROM
              (SELECT array_agg(document_id ORDER BY document_id)
               FROM judging_unitdocument u WHERE u.unit_id = a.unit_id)""",
    "a judgment is of another document than its page's, or beyond the furthest page": """
        SELECT j.id FROM judging_judgment j JOIN judging_assignment a ON a.id = j.assignment_id
        WHERE j.document_id IS DISTINCT FROM a."order"[j.position] OR j.position > a.furthest""",
    "a visit is beyond the furthest page": """
        SELECT v.id FROM judging_visit v JOIN judging_assignment a ON a.id = v.assignment_id
        WHERE v.position > a.furthest""",
    "an open visit is not of the page they are on": """
        SELECT v.id FROM judging_visit v JOIN judging_assignment a ON a.id = v.assignment_id
        WHERE v.closed_at IS NULL AND v.position <> a.position""",
    "there is an open visit of what is not live": f"""
        SELECT v.id FROM judging_visit v JOIN judging_assignment a ON a.id = v.assignment_id
        WHERE v.closed_at IS NULL AND a.state NOT IN {ALIVE}""",
    "visits of one assignment overlap": """
        SELECT v.id FROM judging_visit v JOIN judging_visit w USING (assignment_id)
        WHERE v.id < w.id AND v.closed_at > w.opened_at""",
    "data were kept of what failed, was left, expired or was withdrawn": f"""
        SELECT a.id FROM judging_assignment a
        WHERE a.state NOT IN {HOLDS} AND a.state <> 'exhausted' AND (
            EXISTS (SELECT FROM judging_judgment j WHERE j.assignment_id = a.id)
            OR EXISTS (SELECT FROM judging_visit v WHERE v.assignment_id = a.id)
            OR cardinality(a.line_scores) > 0 AND (a.state <> 'failed' OR a.barred))""",
    "a completed unit lacks a score or a reason": """
        SELECT a.id FROM judging_assignment a WHERE a.state = 'completed'
        AND cardinality(a."order") <> (
            SELECT count(*) FROM judging_judgment j
            WHERE j.assignment_id = a.id AND j.score IS NOT NULL
            AND (j.graded OR j.score > 0 AND j.first_score > 0)
            AND length(trim(j.justification)) BETWEEN 1 AND 2000)""",
    "a completed unit does not pass check (c)": """
        SELECT h.id FROM judging_judgment h
        JOIN judging_pooleddocument hd ON hd.id = h.document_id AND hd.role = 'h_k'
        JOIN judging_judgment n USING (assignment_id)
        JOIN judging_pooleddocument nd ON nd.id = n.document_id AND nd.role = 'n_k'
        JOIN judging_assignment a ON a.id = h.assignment_id
        WHERE a.state = 'completed' AND NOT h.score > n.score
        AND 'model' <> (SELECT crowd FROM judging_study s WHERE s.id = a.study_id)""",
    "a paid unit does not pass check (d)": f"""
        SELECT a.id FROM judging_assignment a JOIN judging_study s ON s.id = a.study_id
        WHERE a.state IN {IS_PAID} AND s.minimum_seconds > ANY (a.seconds)""",
    "seconds are not the sum of the visits": """
        SELECT a.id FROM judging_assignment a, unnest(a.seconds) WITH ORDINALITY AS s(spent, page)
        WHERE a.state = 'completed' AND a.lines <> '{}' AND abs(spent - coalesce((
            SELECT sum(extract(epoch FROM v.closed_at - v.opened_at)) FROM judging_visit v
            WHERE v.assignment_id = a.id AND v.position = s.page), 0)) > 1e-6""",
    "failed finishes and their records differ": """
        SELECT a.id FROM judging_assignment a WHERE a.failed_finishes <> (
            SELECT count(DISTINCT f.attempt) FROM judging_checkfailure f
            WHERE f.assignment_id = a.id AND f.check_name IN ('anchors', 'time'))""",
    "an assignment failed without a record, or is revising without one": """
        SELECT a.id FROM judging_assignment a WHERE a.state IN ('failed', 'revising')
        AND NOT EXISTS (SELECT FROM judging_checkfailure f WHERE f.assignment_id = a.id)""",
    "tries go beyond the limit, or an attempt ended before it or was paid against the rule": """
        SELECT a.id FROM judging_assignment a JOIN judging_study s ON s.id = a.study_id
        CROSS JOIN LATERAL (SELECT s.platform NOT IN ('', 'links') AS sends) p
        CROSS JOIN LATERAL (SELECT coalesce(
            s.most_failed_finishes, CASE WHEN p.sends THEN 3 END) AS most) m
        WHERE a.failed_finishes > most
        OR a.failed_finishes = most AND a.state <> 'exhausted'
        OR a.state = 'exhausted'
            AND NOT coalesce(a.failed_finishes = most, false)
            AND NOT (p.sends AND a.failed_finishes > 0)
        OR a.state = 'exhausted'
            AND (a.completion_code IS NOT NULL) <> (s.pay_after_limit OR p.sends)""",
    "more units are held before the first judgment than visitors may hold": """
        SELECT s.id FROM judging_study s
        JOIN judging_assignment a ON a.study_id = s.id AND a.furthest < 2
            AND a.state IN ('practice', 'instructions', 'topic', 'judging')
        JOIN judging_worker w ON w.id = a.worker_id AND NOT w.verified
        WHERE NOT EXISTS (SELECT FROM judging_assignment p
            WHERE p.worker_id = w.id AND p.completion_code IS NOT NULL)
        GROUP BY s.id HAVING count(*) > greatest(1, (
            SELECT count(*) / 2 FROM judging_unit u WHERE u.study_id = s.id))""",
    "steps were counted as revising before any failed finish": """
        SELECT id FROM judging_assignment WHERE failed_finishes = 0 AND revise_steps > 0""",
    "somebody judges without being on a page": """
        SELECT a.id FROM judging_assignment a JOIN judging_study s ON s.id = a.study_id
        WHERE position < 1 AND state IN ('judging', 'revising')
        OR position > cardinality("order") AND failed_finishes = 0 AND NOT s.check_before_finish""",
    "a topic's revision does not tell how often its data changed": """
        SELECT t.id FROM judging_studytopic t CROSS JOIN LATERAL (
            SELECT count(*) FILTER (WHERE a.state = 'completed')
                 + 2 * count(*) FILTER (WHERE a.state = 'withdrawn') AS n
            FROM judging_assignment a WHERE a.study_topic_id = t.id) changes
        WHERE t.revision < n OR t.revision > n AND NOT EXISTS (
            SELECT FROM judging_trailentry e WHERE e.study_id = t.study_id
            AND (e.action LIKE '%exclu%' OR e.action LIKE 'counted %'))""",
    "a score is not what its text says": """
        SELECT j.id FROM judging_judgment j JOIN judging_assignment a ON a.id = j.assignment_id
        JOIN judging_study s ON s.id = a.study_id
        WHERE j.graded <> (s.scale = 'graded') OR CASE WHEN j.graded
        THEN score_text <> coalesce(s.levels[j.score::int + 1], '')
        ELSE score_text ~ '^[1-9][0-9]*$' AND score IS DISTINCT FROM score_text::float8 END""",
}


# All in one, planned once: it is asked thousands of times.
_QUERY = " UNION ALL ".join(
    "SELECT '{}', json_agg(q)::text FROM ({}) q HAVING count(*) > 0".format(
        what.replace("'", "''"), question
    )
    for what, question in QUESTIONS.items()
)


def broken() -> list[str]:
    """Which of them do not hold now, with the rows that show it."""
    with transaction.atomic(), connection.cursor() as cursor:  # it may be a session for so long
        cursor.execute("SELECT FROM pg_prepared_statements WHERE name = 'broken'")
        if not cursor.rowcount:
            cursor.execute(f"PREPARE broken AS {_QUERY}")
        cursor.execute("EXECUTE broken")
        return [f"{what}: {rows}" for what, rows in cursor.fetchall()]
