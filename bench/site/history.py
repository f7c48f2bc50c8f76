"""Years of work that is done: other studies like one, all completed, by set-based SQL."""

from django.db import connection

from bench.site import environment  # noqa: F401 - before any model
from judging.models import Study, StudyTopic

PLAN = (
    """
    CREATE TEMP TABLE copied AS
    SELECT t.id AS source, c.id AS topic, c.study_id AS study
    FROM judging_studytopic t JOIN judging_studytopic c USING (topic_id)
    WHERE t.study_id = %(study)s AND c.study_id = ANY(%(copies)s)
    """,
    """
    INSERT INTO judging_pooleddocument (study_topic_id, doc_id, document_id, code, role)
    SELECT topic, doc_id, document_id, code, role
    FROM copied JOIN judging_pooleddocument ON study_topic_id = source
    """,
    """
    INSERT INTO judging_unit (study_id, study_topic_id, number, free)
    SELECT study, topic, number, false FROM copied JOIN judging_unit ON study_topic_id = source
    """,
    "ANALYZE judging_pooleddocument, judging_unit, copied",
    """
    INSERT INTO judging_unitdocument (unit_id, document_id)
    SELECT u.id, p.id
    FROM copied
    JOIN judging_unit f ON f.study_topic_id = source
    JOIN judging_unit u ON u.study_topic_id = topic AND u.number = f.number
    JOIN judging_unitdocument d ON d.unit_id = f.id
    JOIN judging_pooleddocument o ON o.id = d.document_id
    JOIN judging_pooleddocument p ON p.study_topic_id = topic AND p.doc_id = o.doc_id
    """,
)
# Topics are mixed on the disk, as they are when workers come one by one. Every third unit was
# begun in vain as well, by a worker who completed one on the next topic: they failed the practice,
# or left.
WORK = (
    """
    CREATE TEMP TABLE work AS
    SELECT u.*, d.keys, row_number() OVER (ORDER BY hashint8(u.id)) AS turn,
           row_number() OVER (PARTITION BY u.study_topic_id ORDER BY u.id) AS place,
           dense_rank() OVER (PARTITION BY u.study_id ORDER BY u.study_topic_id) AS topic
    FROM judging_unit u JOIN (
        SELECT unit_id, array_agg(document_id ORDER BY hashint8(unit_id * 100003 + document_id))
            AS keys
        FROM judging_unitdocument GROUP BY unit_id
    ) d ON d.unit_id = u.id
    WHERE u.study_id = ANY(%(copies)s)
    """,
    """
    INSERT INTO judging_worker
        (study_id, pseudonym, simulated, consented_at, consent_version, practised, verified,
         resume_code)
    SELECT study_id, 'unit ' || id, true, now(), '', true, false, '' FROM work ORDER BY turn
    """,
    "ANALYZE judging_worker, work",
    """
    INSERT INTO judging_assignment
        (study_id, study_topic_id, unit_id, worker_id, token, state, lines, line_scores,
         practice_step, option_order, "order", position, furthest, back_steps, revise_steps,
         failed_finishes, wrong_answers, barred, started_at, active_at, deadline_at, finished_at,
         seconds, payment, completion_code)
    SELECT u.study_id, u.study_topic_id, u.id, w.id, state || '-' || u.id, state, '{50,120,220}',
           '{}', 3, '{0,1,2,3}', u.keys, page, page, 0, 0, 0, 0, page > 0, began, ended, ended,
           ended, CASE WHEN page = 0 THEN array_fill(0::float8, ARRAY[size])
           ELSE ARRAY(SELECT 20 + abs(hashint8(u.id * 11 + n) %% 70)::float8
                      FROM generate_series(1, size) n) END,
           0.2, CASE WHEN page > 0 THEN 'C' || u.id END
    FROM work u
    CROSS JOIN LATERAL (SELECT cardinality(u.keys) AS size) k
    CROSS JOIN LATERAL (
        VALUES ('completed', size, 0),
               (CASE WHEN u.id %% 2 = 0 THEN 'failed' ELSE 'left' END, 0, 1)
    ) a (state, page, other)
    JOIN work v ON v.study_id = u.study_id AND v.place = u.place
        AND v.topic = 1 + (u.topic - 1 + other) %% %(topics)s
    JOIN judging_worker w ON w.study_id = u.study_id AND w.pseudonym = 'unit ' || v.id
    CROSS JOIN LATERAL (SELECT now() - u.turn * interval '2 minutes' AS ended) e
    CROSS JOIN LATERAL (SELECT ended - interval '1 hour' AS began) b
    WHERE other = 0 OR u.id %% 3 = 0
    ORDER BY u.turn DESC
    """,
    """
    INSERT INTO judging_checkfailure (assignment_id, check_name, at, attempt)
    SELECT id, 'lines', finished_at, 1 FROM judging_assignment
    WHERE study_id = ANY(%(copies)s) AND state = 'failed' ORDER BY id
    """,
    """
    INSERT INTO judging_visit (assignment_id, position, opened_at, closed_at, visible_seconds)
    SELECT id, page, opened, opened + spent * interval '1 second', spent
    FROM judging_assignment CROSS JOIN unnest(seconds) WITH ORDINALITY s (spent, page)
    CROSS JOIN LATERAL (SELECT started_at + page * interval '2 minutes' AS opened) o
    WHERE study_id = ANY(%(copies)s) AND state = 'completed' ORDER BY id, page
    """,
    """
    INSERT INTO judging_judgment
        (assignment_id, position, document_id, score_text, score, justification, first_score,
         submitted_at)
    SELECT a.id, page, document, score::text, score,
           'Answers a good part of it, and names its source on line ' || a.id %% 1000 || '.', score,
           finished_at
    FROM judging_assignment a
    CROSS JOIN unnest(a."order") WITH ORDINALITY o (document, page)
    JOIN judging_pooleddocument p ON p.id = document
    CROSS JOIN LATERAL (
        SELECT CASE role WHEN 'h_k' THEN 900 WHEN 'n_k' THEN 1
               ELSE 2 + abs(hashint8(a.id * 100003 + document) %% 800) END::float8 AS score
    ) s
    WHERE study_id = ANY(%(copies)s) AND state = 'completed' ORDER BY a.id, page
    """,
    """
    UPDATE judging_studytopic t SET revision =
        (SELECT count(*) FROM judging_unit u WHERE u.study_topic_id = t.id)
    WHERE study_id = ANY(%(copies)s)
    """,
    "DROP TABLE copied, work",
)


def add_studies_like(study: Study, count: int) -> list[Study]:
    """So many other studies with the same plan, whose every unit was completed by one worker."""
    copies = [_copied(study, f"{study.slug}-{number}") for number in range(1, count + 1)]
    given = {
        "study": study.pk,
        "copies": [copy.pk for copy in copies],
        "topics": study.topics.count(),
    }
    with connection.cursor() as cursor:
        for statement in (*PLAN, *WORK):
            cursor.execute(statement, given)
    return copies


def _copied(study: Study, slug: str) -> Study:
    topics = list(study.topics.order_by("id"))
    copy = Study.objects.get(pk=study.pk)
    copy.pk, copy.slug, copy.crowd = None, slug, Study.Crowd.ARTIFICIAL
    copy.save()
    for topic in topics:
        topic.pk, topic.study, topic.revision = None, copy, 0
    StudyTopic.objects.bulk_create(topics)
    return copy


def settle() -> None:
    """What PostgreSQL does by itself a while later, so that it does not do it while we measure."""
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")
        cursor.execute("CHECKPOINT")
