"""Units that are completed all at once, by one worker each: set-based SQL, the same each time.

The scores look like magnitudes. Every worker has a scale of their own, every document its worth,
and what comes of the two is rounded as people round: to one figure, or to a 1, 2 or 5 and noughts.
"""

from collections.abc import Iterable, Mapping

from django.db import connection

from bench.site import environment  # noqa: F401 - before any model
from judging.models import Study

# A deviate of the standard normal distribution, by Box and Muller; the same for the same key.
NORMAL = """
    CREATE OR REPLACE FUNCTION bench_normal(key bigint) RETURNS float8
    LANGUAGE sql IMMUTABLE RETURN
        sqrt(-2 * ln(((hashint8extended(key, 1) & 65535) + 1)::float8 / 65536))
        * cos(2 * pi() * (hashint8extended(key, 2) & 65535)::float8 / 65536)
"""
# A worker for each unit but the last few, who has completed it.
WORKERS = """
    INSERT INTO judging_worker
        (study_id, pseudonym, simulated, consented_at, consent_version, practised, verified,
         resume_code)
    SELECT study_id, 'of unit ' || id, false, now(), '', true, false, ''
    FROM judging_unit WHERE study_id = %(study)s ORDER BY id LIMIT %(units)s
"""
# Topics are mixed on the disk, as they are when workers come one by one.
ASSIGNMENTS = """
    INSERT INTO judging_assignment
        (study_id, study_topic_id, unit_id, worker_id, token, state, lines, line_scores,
         practice_step, option_order, "order", position, furthest, back_steps, revise_steps,
         failed_finishes, wrong_answers, barred, started_at, active_at, deadline_at, finished_at,
         seconds, payment, completion_code)
    SELECT u.study_id, u.study_topic_id, u.id, w.id, 'done-' || u.id, 'completed', '{50,120,220}',
         '{}', 3, '{0,1,2,3}', d.keys, size, size, 0, 0, 0, 0, true, now(), now(), now(),
         now() + u.id * interval '1 millisecond', array_fill(30::float8, ARRAY[size]), 0.2,
         'C' || u.id
    FROM judging_unit u
    JOIN judging_worker w ON w.study_id = u.study_id AND w.pseudonym = 'of unit ' || u.id
    CROSS JOIN LATERAL (
        SELECT array_agg(document_id ORDER BY hashint8(u.id * 100003 + document_id)) AS keys,
               count(*)::int AS size
        FROM judging_unitdocument WHERE unit_id = u.id
    ) d
    WHERE u.study_id = %(study)s
    ORDER BY hashint8(u.id)
"""
JUDGMENTS = """
    INSERT INTO judging_judgment
        (assignment_id, position, document_id, score_text, score, justification, first_score,
         submitted_at)
    SELECT a.id, page, document, score::text, score, 'It names its source.', score, a.finished_at
    FROM judging_assignment a
    CROSS JOIN unnest(a."order") WITH ORDINALITY o (document, page)
    JOIN judging_pooleddocument p ON p.id = document
    CROSS JOIN LATERAL (
        SELECT 1 + 1.35 * bench_normal(a.id) + 0.5 * bench_normal(a.id * 100003 + document)
            + CASE p.role WHEN 'h_k' THEN 1.6 WHEN 'n_k' THEN 0
              ELSE 0.7 * bench_normal(-document) END AS felt
    ) f
    CROSS JOIN LATERAL (SELECT 10 ^ floor(felt / ln(10)) AS power, exp(felt) AS exact) e
    CROSS JOIN LATERAL (
        SELECT (power * CASE
            WHEN hashint8(a.id * 7 + document) & 1 = 0 THEN round(exact / power)
            WHEN exact < 1.5 * power THEN 1 WHEN exact < 3.5 * power THEN 2 ELSE 5
        END)::float8 AS score
    ) s
    WHERE a.study_id = %(study)s
    ORDER BY a.id, page
"""
HELD = """
    UPDATE judging_unit u SET free = false FROM judging_assignment a
    WHERE a.unit_id = u.id AND a.study_id = %(study)s
"""
REVISIONS = """
    UPDATE judging_studytopic t SET revision =
        (SELECT count(*) FROM judging_assignment a WHERE a.study_topic_id = t.id)
    WHERE t.study_id = %(study)s
"""
# One visit to each document of each completed unit.
VISITS = """
    INSERT INTO judging_visit (assignment_id, position, opened_at, closed_at, visible_seconds)
    SELECT a.id, page, opened, opened + (20 + 20 * exp(bench_normal(a.id * 11 + page)))
        * interval '1 second', 30
    FROM judging_assignment a CROSS JOIN unnest(a.seconds) WITH ORDINALITY o (spent, page)
    CROSS JOIN LATERAL (SELECT a.started_at + page * interval '10 minutes' AS opened) v
    WHERE a.study_id = %(study)s
    ORDER BY a.id, page
"""


# Foreign keys hold by construction; to look each of them up takes as long as the rows.
UNCHECKED = """
    SELECT set_config('session_replication_role', %(role)s, false)
    FROM pg_roles WHERE rolname = current_user AND rolsuper
"""


def complete_units(study: Study, leaving: int = 0) -> None:
    """Complete all units of a study but the last `leaving`."""
    _execute(
        (NORMAL, WORKERS, ASSIGNMENTS, JUDGMENTS, HELD, REVISIONS),
        {"study": study.pk, "units": study.units.count() - leaving},
    )


def add_visits(study: Study) -> None:
    """Visits to the documents of completed units."""
    _execute([VISITS], {"study": study.pk})


def _execute(statements: Iterable[str], given: Mapping[str, int]) -> None:
    with connection.cursor() as cursor:
        cursor.execute(UNCHECKED, {"role": "replica"})
        for statement in statements:
            # As PostgreSQL does by itself, a minute later; plans without it take for ever.
            cursor.execute("ANALYZE judging_unit, judging_worker, judging_assignment")
            cursor.execute(statement, given)
        cursor.execute(UNCHECKED, {"role": "origin"})
        cursor.execute("ANALYZE")
