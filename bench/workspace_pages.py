"""How long each page of the workspace takes on the published study of TREC-8, judged to its end.

    python -m bench.workspace_pages DATA

DATA is the folder that holds trec8/. The study has 7,059 units on 18 topics, 129 runs and 86,830
labels; beside it stand a draft with a plan and 20 others. To make all that takes a minute or two.
Documents have made-up texts, as those of the collection are licensed, and made-up judgments.

The study's owner asks gunicorn, which runs as it always does, for every page of the URLconf, one
after the other, and so 50 times, in a session of theirs. Printed are the median and the 95th
percentile of each page, in milliseconds, and how many times the median of the fastest page that
percentile is. Ends with 1 when this is above 50 for any page, and at once when a page answers
other than 200.
"""

import csv
import http.client
import sys
from collections import defaultdict
from collections.abc import Sequence
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.utils import timezone

from bench.site.command import options, seconds, verdict
from bench.site.running import HOST, fetch, scratch_database, session, settle, web_server
from evaluation import analyses, pipeline
from evaluation.analyses import of_study
from evaluation.cache import stored
from judging.models import Collection, Membership, Payment, PooledDocument, Role, Run, Study, Worker
from judging.studies import rehearsal, trail, unit_plans
from judging.studies.conduct import batches, exclusion, opening
from judging.studies.configuration.cloning import clone
from judging.studies.configuration.settings import create_study
from magnitudes.files.kinds import Kind
from tests.factory import OPTIONS as ANSWERS
from tests.factory.crowds import add_crowd
from tests.factory.studies import add_documents
from tests.workspace_pages import addresses, routes
from workspace.imports import importing, uploads
from workspace.models import ImportJob, Upload
from workspace.planning import forecast_jobs
from workspace.tasks import import_files

OPTIONS = options(__doc__)
TURNS = 50
HIGH = 0.95
LIMIT = 50
STUDY, DRAFT, OWNER, TOPIC = "trec8", "trec8-draft", "rosa", "403"
SEED, WORDS = 2, 408
OPINIONS = b"worker,query_id,doc_id,label\n" + b"ada,403,D1,2\n" * 1000
STUDIES, ENTRIES, COLLEAGUES = 20, 200, 5


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
    settle()


def _judged(data: Path, owner: Any) -> Study:
    """The study, with every unit completed."""
    with (data / "table1.tsv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    question = {"question": "Which?", "options": ANSWERS, "answer": ANSWERS[0]}
    topics = {row["topic"]: {"h_k": row["H_k"], "n_k": row["N_k"], **question} for row in rows}
    content = {"title": "As published", "payment": 0.2, "topics": topics}
    study = create_study(STUDY, STUDY, content, by=owner)
    unit_plans.plan(study, seed=SEED)
    ids = PooledDocument.objects.order_by("doc_id").values_list("doc_id", flat=True).distinct()
    add_documents(study.collection, ids, WORDS)
    study = opening.open_study(STUDY, owner)
    add_crowd(study, timezone.now(), completed=study.units.count())
    return study


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
    """Workers who are excluded, and a batch that makes up for them."""
    for worker in study.workers.order_by("pk")[:3]:
        exclusion.exclude(worker, "Gave the same score to every document.", owner)
    batches.add_batch(study, batches.short_of_judgments(study), 1, owner)


def _analyse(study: Study) -> None:
    """Have all analyses computed, as by somebody who opened every page of results."""
    stored.get_or_request(study, of_study(study), study.labels, timezone.now())
    stored.bring_up_to_date()


def pages() -> list[str]:
    """The addresses of all pages: of the study, and those of making one of a draft as well."""
    pool = PooledDocument.objects.filter(
        study_topic__study__slug=STUDY, study_topic__topic__query_id=TOPIC
    )
    one, other = Run.objects.filter(collection__slug=STUDY).order_by("tag")[:2]
    payment = Payment.objects.filter(assignment__study__slug=STUDY).order_by("pk")[0]
    words: dict[str, Sequence[str]] = {
        "slug": [STUDY],
        "run": [one.tag],
        "tag": [one.tag],
        "other": [other.tag],
        "name": ["welcome", "document-3"],
        "query_id": [TOPIC],
        "doc_id": [pool.filter(role=PooledDocument.Role.OTHER)[0].doc_id],
        "pseudonym": [Worker.objects.filter(study__slug=STUDY).order_by("pk")[7].pseudonym],
        "analysis": list(analyses.of_study(Study.objects.get(slug=STUDY))),
        "key": [str(Upload.objects.get(job=None).pk)],
        "studies/key": [str(payment.pk)],
        "imports/key": [str(ImportJob.objects.get().pk)],
    }
    draft = words | {"slug": [DRAFT]}
    of_study = [page for route in routes() for page in addresses(route, words)]
    made = [page for route in routes() if "/set-up/" in route for page in addresses(route, draft)]
    return of_study + made


def measured(port: int) -> dict[str, list[float]]:
    """Milliseconds of each page, turn by turn."""
    client = http.client.HTTPConnection(HOST, port)
    owner = session(get_user_model().objects.get(username=OWNER))
    headers = {"Cookie": owner, "Accept-Encoding": "gzip"}
    taken: dict[str, list[float]] = defaultdict(list)
    for _, page in product(range(TURNS), pages()):
        taken[page].append(1000 * seconds(partial(fetch, client, page, headers)))
    return taken


def main() -> int:
    """The exit status."""
    data = OPTIONS.parse_args().data / "trec8"
    with scratch_database():
        make(data)
        with web_server() as port:
            taken = measured(port)
    high = {page: float(np.quantile(spent, HIGH)) for page, spent in taken.items()}
    fastest = min(float(np.median(spent)) for spent in taken.values())
    print(f"{'median':>8} {'95%':>8} {'times':>6}  page")
    for page in sorted(high, key=high.__getitem__):
        median = float(np.median(taken[page]))
        print(f"{median:8.1f} {high[page]:8.1f} {high[page] / fastest:6.1f}  {page}")
    print(f"{len(high)} pages, {TURNS} requests each; milliseconds")
    return verdict(max(high.values()) / fastest, LIMIT)


if __name__ == "__main__":
    sys.exit(main())
