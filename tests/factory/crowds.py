"""A study with a crowd at work, as large as a test asks for, written by a few statements of SQL."""

from datetime import datetime
from io import StringIO

from django.core.management import call_command
from django.db import connection, transaction
from django.db.models import Count

from judging.models import Study
from tests.factory import make_study

# `place` counts a topic's units from 1, `topic` the topics, `lot` all units in a mixed order.
PLACES = """
    CREATE TEMP TABLE places ON COMMIT DROP AS
    SELECT u.*, d.keys, dense_rank() OVER (ORDER BY u.study_topic_id) AS topic,
           row_number() OVER (PARTITION BY u.study_topic_id ORDER BY u.id) AS place,
           row_number() OVER (ORDER BY md5(u.id::text)) AS lot
    FROM judging_unit u CROSS JOIN LATERAL (
        SELECT array_agg(document_id ORDER BY hashint8(u.id * 100003 + document_id)) AS keys
        FROM judging_unitdocument WHERE unit_id = u.id
    ) d
    WHERE u.study_id = %(study)s
"""
WORKERS = """
    INSERT INTO judging_worker
        (study_id, pseudonym, simulated, consented_at, consent_version, practised, verified,
         resume_code)
    SELECT %(study)s, left(md5('worker ' || n), 16), false, %(now)s, '', true, false, ''
    FROM generate_series(0, %(crowd)s + %(live)s - 1) n
"""
NUMBERED = """
    CREATE TEMP TABLE numbered ON COMMIT DROP AS
    SELECT id, row_number() OVER (ORDER BY id) - 1 AS number
    FROM judging_worker WHERE study_id = %(study)s
"""
ATTEMPT = """
    INSERT INTO judging_assignment
        (study_id, study_topic_id, unit_id, worker_id, token, state, lines, line_scores,
         practice_step, wrong_answers, option_order, "order", position, furthest, back_steps,
         revise_steps, failed_finishes, barred, started_at, active_at, deadline_at, finished_at,
         seconds, payment, completion_code)
    SELECT study_id, study_topic_id, p.id, w.id, p.id || '-' || {kind}, {state}, '{{50,120,220}}',
           '{{}}', 3, {wrong}, '{{0,1,2,3}}', keys, {page}, {page}, 0, 0, {failed}, {barred},
           %(now)s - ago - interval '9 min', %(now)s - ago, %(now)s - ago + interval '1 hour',
           {finished}, {seconds}, 0.2, {code}
    FROM places p CROSS JOIN (SELECT random_normal()) once CROSS JOIN {kinds}
    CROSS JOIN LATERAL (SELECT random() * %(hours)s * interval '1 hour' + 0 * p.id * interval '1 s'
                        AS ago) a
    JOIN numbered w ON w.number = {worker}
    WHERE {lots}
"""
ENDED = "%(now)s - ago"
# Nobody works on a topic twice: a topic's units go to neighbours, each topic beginning elsewhere.
NEIGHBOUR = "(place + 97 * topic + {far}) %% %(crowd)s"
COMPLETED = ATTEMPT.format(
    kind=0,
    kinds="(SELECT 1) one",
    state="'completed'",
    page=8,
    failed="(p.id %% 5 = 0)::int + (p.id %% 35 = 0)::int",
    barred="true",
    wrong=0,
    finished=ENDED,
    seconds="ARRAY(SELECT ceil(%(minimum)s + exp(3 + 0.7 * random_normal()) + 0 * p.id)"
    " FROM generate_series(1, 8))",
    code="'C' || p.id",
    worker=NEIGHBOUR.format(far=0),
    lots="lot <= %(completed)s",
)
# Kinds 1 to 4: failed the practice, failed the question, left, expired.
GONE = ATTEMPT.format(
    kind="kind",
    kinds="generate_series(1, 4) kind",
    state="CASE kind WHEN 3 THEN 'left' WHEN 4 THEN 'expired' ELSE 'failed' END",
    page=0,
    failed=0,
    barred="kind = 2",
    wrong="(kind = 2)::int",
    finished=ENDED,
    seconds="'{0,0,0,0,0,0,0,0}'",
    code="NULL",
    worker=NEIGHBOUR.format(far="CASE kind WHEN 2 THEN %(crowd)s / 2 ELSE kind END"),
    lots="lot <= %(completed)s AND hashint8(p.id * 7 + kind) %% 6 = 0",
)
LIVE = ATTEMPT.format(
    kind=0,
    kinds="LATERAL (SELECT lot - %(completed)s AS n) one",
    state="(ARRAY['practice','instructions','topic','judging','revising'])[1 + n %% 5]",
    page="CASE WHEN n %% 5 > 2 THEN 1 + n %% 8 ELSE 0 END",
    failed="(n %% 5 = 4)::int",
    barred="n %% 5 > 2",
    wrong=0,
    finished="NULL",
    seconds="NULL",
    code="NULL",
    worker="%(crowd)s + n - 1",
    lots="lot > %(completed)s AND lot <= %(completed)s + %(live)s",
).replace("%(hours)s", "0.98")
HELD = """
    UPDATE judging_unit SET free = false
    WHERE id IN (SELECT unit_id FROM judging_assignment
                 WHERE state NOT IN ('failed', 'left', 'expired'))
"""
# What ended left its failure; a finish that failed did so for want of time, or at the anchors.
FAILURES = """
    INSERT INTO judging_checkfailure (assignment_id, check_name, at, attempt)
    SELECT id, CASE WHEN barred THEN 'question' ELSE 'lines' END, finished_at, 1
    FROM judging_assignment WHERE study_id = %(study)s AND state = 'failed'
    UNION ALL
    SELECT id, kind, active_at - interval '2 min', press
    FROM judging_assignment CROSS JOIN LATERAL generate_series(1, failed_finishes) press
    CROSS JOIN (VALUES ('anchors'), ('time')) kinds (kind)
    WHERE study_id = %(study)s AND (kind = 'time') = (id %% 3 = 0)
"""
VISITS = """
    INSERT INTO judging_visit (assignment_id, position, opened_at, closed_at)
    SELECT id, page, finished_at - (SELECT sum(s) FROM unnest(seconds[page:]) s) * interval '1 s',
           finished_at - (SELECT coalesce(sum(s), 0) FROM unnest(seconds[page + 1:]) s)
               * interval '1 s'
    FROM judging_assignment CROSS JOIN generate_series(1, 8) page
    WHERE study_id = %(study)s AND state = 'completed'
    UNION ALL
    SELECT id, page, active_at - (furthest - page + 1) * interval '20 s',
           CASE WHEN page < furthest THEN active_at - (furthest - page) * interval '20 s' END
    FROM judging_assignment CROSS JOIN LATERAL generate_series(1, furthest) page
    WHERE study_id = %(study)s AND state IN ('judging', 'revising')
"""
JUDGMENTS = """
    INSERT INTO judging_judgment
        (assignment_id, position, document_id, score_text, score, justification, first_score,
         submitted_at)
    SELECT a.id, page, document, score::text, score,
           'It names its source, and what is on page ' || (a.id * 8 + page) %% 40000 || '.',
           score, a.finished_at
    FROM judging_assignment a CROSS JOIN unnest(a."order") WITH ORDINALITY o (document, page)
    JOIN judging_pooleddocument p ON p.id = document
    CROSS JOIN LATERAL (
        SELECT CASE role WHEN 'h_k' THEN 900 WHEN 'n_k' THEN 1
               ELSE 2 + abs(hashint8(document) %% 400)
                   + abs(hashint8(a.id * 100003 + document) %% 400) END::float8 AS score
    ) s
    WHERE study_id = %(study)s AND state = 'completed'
"""
PAYMENTS = """
    INSERT INTO judging_payment
        (assignment_id, kind, amount, currency, state, state_at, category, reason, question)
    SELECT id, 'base', payment, 'USD', 'owed', finished_at, '', '', ''
    FROM judging_assignment WHERE study_id = %(study)s AND completion_code IS NOT NULL
"""
REVISIONS = """
    UPDATE judging_studytopic t SET revision =
        (SELECT count(*) FROM judging_assignment a
         WHERE a.study_topic_id = t.id AND state = 'completed')
    WHERE study_id = %(study)s
"""
STATEMENTS = (
    *("DROP TABLE IF EXISTS places, numbered", "SELECT setseed(0.5)", PLACES, WORKERS, NUMBERED),
    *("ANALYZE", GONE, COMPLETED, LIVE, HELD),
    *("ANALYZE", FAILURES, VISITS, JUDGMENTS, PAYMENTS, REVISIONS, "ANALYZE"),
)


def add_crowd(
    study: Study, now: datetime, *, completed: int, live: int = 0, crowd: int = 0
) -> None:
    """Units done over three days, some in progress; about as many attempts ended otherwise.

    crowd: workers of completed units, twice as many as a topic has units or more.
    """
    largest = max(study.topics.annotate(n=Count("units")).values_list("n", flat=True))
    given = {
        "study": study.pk,
        "now": now,
        "completed": completed,
        "live": live,
        "crowd": crowd or 2 * largest + 8,
        "hours": 72,
        "minimum": study.minimum_seconds,
    }
    with transaction.atomic(), connection.cursor() as cursor:
        for statement in STATEMENTS:
            cursor.execute(statement, given)
    Study.objects.filter(pk=study.pk).update(crowd=Study.Crowd.PEOPLE)


def crowded_study(
    now: datetime, *, topics: int = 2, documents: int = 26, live: int = 5, crowd: int = 100
) -> Study:
    """A study that was opened a year ago, with its last thirteenth of units free or in progress."""
    study = make_study(topics=topics, documents=documents, redundancy=10)
    completed = study.units.count() * 12 // 13 - live
    add_crowd(study, now, completed=completed, live=live, crowd=crowd)
    Study.objects.filter(pk=study.pk).update(opened_at=now.replace(year=now.year - 1))
    return study


def simulate(study: Study, **options: object) -> str:
    """Have artificial workers judge a study; what the command prints."""
    out = StringIO()
    given = {"workers": 5, "seed": 3, **options}
    call_command("simulate_crowd", study.slug, stdout=out, stderr=StringIO(), **given)
    return out.getvalue()
