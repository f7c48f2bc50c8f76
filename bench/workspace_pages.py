"""How long each page of the workspace takes on the published study of TREC-8, judged to its end.

    python -m bench.workspace_pages DATA

DATA is the folder that holds trec8/. The study has 7,059 units on 18 topics, 129 runs and 86,830
labels; beside it stand a draft with a plan and 20 others. All that is made the first time, in a
minute or two, and kept in a database of its own in VAR_DIR.

The study's owner asks gunicorn, which runs as it always does, for every page of the URLconf, one
after the other, and so 50 times, in a session of theirs. Printed are the median and the 95th
percentile of each page, in milliseconds, and how many times the median of the fastest page that
percentile is. Ends with 1 when this is above 50 for any page, and at once when a page answers
other than 200.
"""

import http.client
import sys
import time
from collections import defaultdict
from collections.abc import Sequence
from itertools import product
from pathlib import Path

import numpy as np
from django.conf import settings
from django.contrib.auth import get_user_model
from django.test import Client

from bench.site import trec8
from bench.site.running import HOST, keep, kept_database, web_server
from bench.site.verdict import verdict
from evaluation import analyses
from judging.models import Payment, PooledDocument, Run, Study
from tests.workspace_pages import addresses, routes
from workspace.models import ImportJob, Upload

DATABASE = "bench_pages"
TURNS = 50
HIGH = 0.95
LIMIT = 50


def pages() -> list[str]:
    """The addresses of all pages: of the study, and those of making one of a draft as well."""
    pool = PooledDocument.objects.filter(
        study_topic__study__slug=trec8.STUDY, study_topic__topic__query_id=trec8.TOPIC
    )
    one, other = Run.objects.filter(collection__slug=trec8.STUDY).order_by("tag")[:2]
    payment = Payment.objects.filter(assignment__study__slug=trec8.STUDY).order_by("pk")[0]
    words: dict[str, Sequence[str]] = {
        "slug": [trec8.STUDY],
        "run": [one.tag],
        "other": [other.tag],
        "name": ["welcome", "document-3"],
        "query_id": [trec8.TOPIC],
        "doc_id": [pool.filter(role=PooledDocument.Role.OTHER)[0].doc_id],
        "pseudonym": [trec8.WORKER],
        "analysis": list(analyses.of_study(Study.objects.get(slug=trec8.STUDY))),
        "key": [str(Upload.objects.get(job=None).pk)],
        "studies/key": [str(payment.pk)],
        "imports/key": [str(ImportJob.objects.get().pk)],
    }
    draft = words | {"slug": [trec8.DRAFT]}
    of_study = [page for route in routes() for page in addresses(route, words)]
    made = [page for route in routes() if "/setup/" in route for page in addresses(route, draft)]
    return of_study + made


def cookie() -> str:
    """That of a session of the owner."""
    client = Client()
    client.force_login(get_user_model().objects.get(username=trec8.OWNER))
    return f"{settings.SESSION_COOKIE_NAME}={client.cookies[settings.SESSION_COOKIE_NAME].value}"


def seconds_of(client: http.client.HTTPConnection, page: str, headers: dict[str, str]) -> float:
    """How long a page takes to come as a whole; RuntimeError where it does not."""
    begun = time.perf_counter()
    client.request("GET", page, headers=headers)
    answer = client.getresponse()
    answer.read()
    if answer.status != http.client.OK:
        raise RuntimeError(f"{page} answers {answer.status}")
    return time.perf_counter() - begun


def measured(port: int) -> dict[str, list[float]]:
    """Milliseconds of each page, turn by turn."""
    client = http.client.HTTPConnection(HOST, port)
    headers = {"Cookie": cookie(), "Host": "localhost", "Accept-Encoding": "gzip"}
    taken: dict[str, list[float]] = defaultdict(list)
    for _, page in product(range(TURNS), pages()):
        taken[page].append(1000 * seconds_of(client, page, headers))
    return taken


def main() -> int:
    """The exit status."""
    with kept_database(DATABASE) as is_empty:
        if is_empty:
            trec8.make(Path(sys.argv[1]) / "trec8")
            keep(DATABASE)
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
