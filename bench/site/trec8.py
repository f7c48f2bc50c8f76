"""The study of the TREC-8 pool that was published, judged to its end, with all that its pages show.

Maddalena, Mizzaro, Scholer and Turpin (ACM TOIS 35(3), 2017): 18 topics, 4,269 documents, 7,059
units. Documents have made-up texts, as those of the collection are licensed, and made-up judgments.
"""

import csv
from pathlib import Path
from typing import Any

from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.db import connection
from django.utils import timezone
from tqdm import tqdm

from bench.site import (
    environment,  # noqa: F401 - before any model
    history,
    making,
)
from evaluation import pipeline
from evaluation.analyses import of_study
from evaluation.cache import keeping
from judging.models import Collection, Membership, Payment, PooledDocument, Role, Study, Worker
from judging.states import State
from judging.studies import rehearsal, trail, unit_plans
from judging.studies.conduct import batches, exclusion, opening
from judging.studies.configuration import settings
from judging.studies.configuration.cloning import clone
from magnitudes.files.kinds import Kind
from workspace.imports import importing, uploads
from workspace.planning import forecast_jobs
from workspace.tasks import import_files

STUDY, DRAFT, PLANNED, OWNER = "trec8", "trec8-draft", "trec8-planned", "rosa"
TOPIC, WORKER, COLLEAGUE = "403", "worker-7", "colleague-1"
SEED, WORDS, WORKERS = 2, 400, 1000
OPINIONS = b"worker,query_id,doc_id,label\n" + b"ada,403,D1,2\n" * 1000
STUDIES, ENTRIES, COLLEAGUES = 20, 200, 5
# Workers judge several topics each, and none of them twice.
FEWER_WORKERS = """
    UPDATE judging_assignment a SET worker_id = (%(crowd)s)[1 + turn %% cardinality(%(crowd)s)]
    FROM (
        SELECT id, row_number() OVER (PARTITION BY study_topic_id ORDER BY id)
            + 331 * dense_rank() OVER (ORDER BY study_topic_id) AS turn
        FROM judging_assignment WHERE study_id = %(study)s
    ) work
    WHERE a.id = work.id
"""


def make(data: Path) -> None:
    """Make the study and its surroundings from the folder that holds TREC-8."""
    owner = get_user_model().objects.create_user(OWNER)
    call_command(
        *("import_collection", STUDY, "--topics", str(data / "topics.401-450.txt")),
        *("--qrels", str(data / "qrels.trec8.adhoc.txt")),
        *("--runs", str(data / "runs_129_18topics_depth1000.tar.xz")),
    )
    Collection.objects.update(owner=owner)
    study = _judged(data, owner)
    _surround(study, owner)
    _upload(data, owner)
    _run_on(study, owner)
    pipeline.evaluate(study)
    _analyse(study)
    forecast_jobs.request_forecast(study, owner, pilot=STUDY)
    forecast_jobs.run_pending_forecasts()
    history.settle()


def _judged(data: Path, owner: Any) -> Study:
    """The study, with every unit completed; beside it one with the same plan, and nobody in it."""
    with (data / "table1.tsv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    question = {"question": "Which?", "options": making.OPTIONS, "answer": making.OPTIONS[0]}
    topics = {row["topic"]: {"h_k": row["H_k"], "n_k": row["N_k"], **question} for row in rows}
    content = {"title": "As published", "payment": 0.2, "topics": topics}
    study = settings.create_study(PLANNED, STUDY, content, by=owner)
    unit_plans.plan(study, seed=SEED)
    ids = PooledDocument.objects.order_by("doc_id").values_list("doc_id", flat=True).distinct()
    making.add_documents(study.collection, tqdm(ids, desc="documents"), WORDS)
    opening.open_study(PLANNED, owner)
    (judged,) = history.add_studies_like(study, 1)
    judged.slug = STUDY
    judged.save()
    Membership.objects.create(study=judged, user=owner, role=Role.OWNER)
    alone = judged.workers.all()[0]
    crowd = Worker.objects.bulk_create(
        Worker(
            study=judged,
            pseudonym=f"worker-{number}",
            simulated=True,
            consented_at=alone.consented_at,
            practised=True,
        )
        for number in range(WORKERS)
    )
    with connection.cursor() as cursor:
        keys = [worker.pk for worker in crowd]
        cursor.execute(FEWER_WORKERS, {"study": judged.pk, "crowd": keys})
    judged.workers.filter(assignments=None).delete()
    return judged


def _surround(study: Study, owner: Any) -> None:
    """Other studies, a rehearsal, colleagues, and a trail that fills more than a page."""
    for number in range(STUDIES):
        clone(study, f"other-{number}", f"Another study, {number}", owner)
    draft = clone(study, DRAFT, "A draft", owner)
    unit_plans.plan(draft, seed=SEED)
    rehearsal.rehearse(study, owner, topics=[TOPIC])
    colleagues = [get_user_model()(username=f"colleague-{number}") for number in range(COLLEAGUES)]
    Membership.objects.bulk_create(
        Membership(study=study, user=user, role=Role.VIEWER)
        for user in get_user_model().objects.bulk_create(colleagues)
    )
    for number in range(ENTRIES):
        trail.record(study, owner, "asked for a forecast", pilot="", replications=number)


def _upload(data: Path, owner: Any) -> None:
    """An import that has ended, and a table that waits to be one."""
    topics = (data / "topics.401-450.txt").read_bytes()
    upload = uploads.receive(owner, "topics.txt", len(topics), [topics])
    importing.request_import(owner, "imported", [importing.Chosen(upload.key, Kind.TOPICS)])
    import_files()
    uploads.receive(owner, "opinions.csv", len(OPINIONS), [OPINIONS])


def _run_on(study: Study, owner: Any) -> None:
    """Workers who are excluded, a batch that makes up for them, and what some are owed."""
    for worker in study.workers.order_by("pk")[:3]:
        exclusion.exclude(worker, "Gave the same score to every document.", owner)
    batches.add_batch(study, batches.short_of_judgments(study), 1, owner)
    Payment.objects.bulk_create(
        Payment(
            assignment=done,
            kind=Payment.Kind.BASE,
            amount=done.payment,
            currency=study.currency,
            state_at=timezone.now(),
        )
        for done in study.assignments.filter(state=State.COMPLETED).order_by("pk")[:50]
    )


def _analyse(study: Study) -> None:
    """Have all analyses computed, as by somebody who opened every page of results."""
    keeping.look(study, of_study(study), study.labels, timezone.now())
    keeping.bring_up_to_date()
